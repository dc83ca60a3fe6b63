// Who may do what, over HTTP: the list of auth users, also as CSV, and the history of one.
import type { FastifyRequest } from 'fastify';
import {
  AUTH_USER_FORM,
  type AuthUserDirectory,
} from '../../service/accounts/auth-user-directory.ts';
import { callerOf, type Endpoint, pathParameter, queryParameter } from '../requests/endpoint.ts';
import { acceptedForm } from '../responses/accept.ts';
import { CSV_TYPE, writeTotal } from '../responses/response.ts';
import { writeWarnings } from '../responses/warning-header.ts';

/** What the routes call. */
export type DirectoryCases = Pick<AuthUserDirectory, 'list' | 'holdersCsv' | 'history'>;

const CUT = 'More auth users match: request the next ones with offset, or narrow filters';

/** `/admin/v1/auth-users` and `/admin/v1/auth-users/{id}/history`. */
export function authUserDirectoryEndpoints(directory: DirectoryCases): Endpoint[] {
  const shared = {
    method: 'GET',
    dialect: 'isc',
    operation: 'admin',
    work: null,
    body: 'none',
  } as const;
  const path = '/admin/v1/auth-users';
  return [
    {
      ...shared,
      path,
      parameters: ['limit', 'offset', 'count', 'sorters', 'filters'],
      form: AUTH_USER_FORM,
      async handle(request, reply) {
        const parameters = {
          ...pageParameters(request),
          sorters: queryParameter(request, 'sorters'),
          filters: queryParameter(request, 'filters'),
        };
        if (acceptedForm(request.headers.accept) === 'json') {
          const { users, total } = await directory.list(callerOf(request), parameters);
          writeTotal(reply, total);
          return users;
        }
        const { csv, total, isWhole } = await directory.holdersCsv(callerOf(request), parameters);
        writeTotal(reply, total);
        if (!isWhole) writeWarnings(reply, [{ text: CUT }]);
        return reply.type(CSV_TYPE).send(csv);
      },
    },
    {
      ...shared,
      path: `${path}/:id/history`,
      parameters: ['limit', 'offset', 'count'],
      async handle(request, reply) {
        const id = pathParameter(request, 'id');
        const parameters = pageParameters(request);
        const { entries, total } = await directory.history(callerOf(request), id, parameters);
        writeTotal(reply, total);
        return entries;
      },
    },
  ];
}

function pageParameters(request: FastifyRequest) {
  return {
    limit: queryParameter(request, 'limit'),
    offset: queryParameter(request, 'offset'),
    count: queryParameter(request, 'count'),
  };
}
