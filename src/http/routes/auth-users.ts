// Auth users over HTTP: read one, or change its capabilities by JSON Patch. The ETag of a response
// is for If-Match.
import type { FastifyReply } from 'fastify';
import type { AuthUsers, TaggedAuthUser } from '../../service/accounts/auth-users.ts';
import { callerOf, type Endpoint, pathParameter } from '../requests/endpoint.ts';

/** `/auth-users/{id}`. */
export function authUserEndpoints(authUsers: Pick<AuthUsers, 'get' | 'patch'>): Endpoint[] {
  return [
    {
      method: 'GET',
      path: '/:id',
      dialect: 'isc',
      operation: (caller, request) =>
        pathParameter(request, 'id') === caller.identityId
          ? 'auth-user:read-own'
          : 'auth-user:read',
      work: null,
      body: 'none',
      async handle(request, reply) {
        return withETag(
          await authUsers.get(callerOf(request), pathParameter(request, 'id')),
          reply,
        );
      },
    },
    {
      method: 'PATCH',
      path: '/:id',
      dialect: 'isc',
      operation: 'auth-user:patch',
      body: 'json-patch',
      work: 'urgent changes',
      async handle(request, reply) {
        const id = pathParameter(request, 'id');
        const ifMatch = request.headers['if-match'];
        return withETag(await authUsers.patch(callerOf(request), id, request.body, ifMatch), reply);
      },
    },
  ];
}

function withETag({ user, etag }: TaggedAuthUser, reply: FastifyReply): object {
  reply.raw.setHeader('ETag', etag);
  return user;
}
