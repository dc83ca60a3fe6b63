// Personal access tokens over HTTP. Admission checks the least right with which the request can
// succeed; the use case checks whether the token is the caller's own.
import { LAST_USED } from '../../service/credentials/credential-members.ts';
import type { PersonalAccessTokens } from '../../service/credentials/personal-access-tokens.ts';
import {
  callerOf,
  type Endpoint,
  pathParameter,
  queryParameter,
  queryParameters,
} from '../requests/endpoint.ts';
import { writeTotal } from '../responses/response.ts';

const PAGE = ['limit', 'offset', 'count', 'filters'] as const;

/** `/personal-access-tokens` and `/personal-access-tokens/{id}`. */
export function personalAccessTokenEndpoints(
  tokens: Pick<PersonalAccessTokens, 'list' | 'create' | 'patch' | 'remove'>,
): Endpoint[] {
  return [
    {
      method: 'GET',
      path: '',
      dialect: 'isc',
      operation: (caller, request) => {
        const owner = queryParameter(request, 'owner-id');
        const isOwn = owner === 'me' || (owner !== undefined && owner === caller.identityId);
        return isOwn ? 'pat:own:read' : 'pat:all:read';
      },
      body: 'none',
      parameters: ['owner-id', ...PAGE],
      form: LAST_USED,
      async handle(request, reply) {
        const { items, total } = await tokens.list(callerOf(request), {
          ...queryParameters(request, PAGE),
          ownerId: queryParameter(request, 'owner-id'),
        });
        writeTotal(reply, total);
        return items;
      },
    },
    {
      method: 'POST',
      path: '',
      dialect: 'isc',
      operation: 'pat:own:manage',
      body: 'json',
      // 200, not 201, as the public service answers.
      handle: async (request) => tokens.create(callerOf(request), request.body),
    },
    {
      method: 'PATCH',
      path: '/:id',
      dialect: 'isc',
      operation: 'pat:own:manage',
      body: 'json-patch',
      handle: async (request) =>
        tokens.patch(callerOf(request), pathParameter(request, 'id'), request.body),
    },
    {
      method: 'DELETE',
      path: '/:id',
      dialect: 'isc',
      operation: 'pat:own:manage',
      body: 'none',
      urgent: true,
      async handle(request, reply) {
        await tokens.remove(callerOf(request), pathParameter(request, 'id'));
        return reply.code(204).send();
      },
    },
  ];
}
