// API keys of profile management over HTTP, for administrators.
import type { ApiKeys } from '../../service/credentials/api-keys.ts';
import { callerOf, type Endpoint, pathParameter } from '../requests/endpoint.ts';

/** `/admin/v1/api-keys` and `/admin/v1/api-keys/{id}`. */
export function apiKeyEndpoints(apiKeys: Pick<ApiKeys, 'list' | 'create' | 'remove'>): Endpoint[] {
  const path = '/admin/v1/api-keys';
  const common = { dialect: 'isc', operation: 'admin' } as const;
  return [
    {
      ...common,
      method: 'GET',
      path,
      body: 'none',
      handle: (request) => apiKeys.list(callerOf(request)),
    },
    {
      ...common,
      method: 'POST',
      path,
      body: 'json',
      async handle(request, reply) {
        const apiKey = await apiKeys.create(callerOf(request), request.body);
        return reply.code(201).send(apiKey);
      },
    },
    {
      ...common,
      method: 'DELETE',
      path: `${path}/:id`,
      body: 'none',
      urgent: true,
      async handle(request, reply) {
        await apiKeys.remove(callerOf(request), pathParameter(request, 'id'));
        return reply.code(204).send();
      },
    },
  ];
}
