// API clients over HTTP, as the class `OAuthClientsApi` of the published client library calls them.
import { LAST_USED } from '../../service/credentials/credential-members.ts';
import type { OAuthClients } from '../../service/credentials/oauth-clients.ts';
import { callerOf, type Endpoint, pathParameter, queryParameters } from '../requests/endpoint.ts';
import { writeTotal } from '../responses/response.ts';

const PAGE = ['limit', 'offset', 'count', 'filters'] as const;

/** `/oauth-clients` and `/oauth-clients/{id}`. */
export function oauthClientEndpoints(
  clients: Pick<OAuthClients, 'list' | 'get' | 'create' | 'patch' | 'remove'>,
): Endpoint[] {
  const shared = { dialect: 'isc', operation: 'oauth-client:manage' } as const;
  return [
    {
      ...shared,
      method: 'GET',
      path: '',
      body: 'none',
      parameters: PAGE,
      form: LAST_USED,
      async handle(request, reply) {
        const { items, total } = await clients.list(
          callerOf(request),
          queryParameters(request, PAGE),
        );
        writeTotal(reply, total);
        return items;
      },
    },
    {
      ...shared,
      method: 'POST',
      path: '',
      body: 'json',
      // 200, not 201, as the public service answers.
      handle: async (request) => clients.create(callerOf(request), request.body),
    },
    {
      ...shared,
      method: 'GET',
      path: '/:id',
      body: 'none',
      handle: async (request) => clients.get(callerOf(request), pathParameter(request, 'id')),
    },
    {
      ...shared,
      method: 'PATCH',
      path: '/:id',
      body: 'json-patch',
      urgent: true,
      handle: async (request) =>
        clients.patch(callerOf(request), pathParameter(request, 'id'), request.body),
    },
    {
      ...shared,
      method: 'DELETE',
      path: '/:id',
      body: 'none',
      urgent: true,
      async handle(request, reply) {
        await clients.remove(callerOf(request), pathParameter(request, 'id'));
        return reply.code(204).send();
      },
    },
  ];
}
