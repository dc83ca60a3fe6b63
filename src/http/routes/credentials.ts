// Personal access tokens, API clients and keys of profile management over HTTP: which routes each kind
// has. Admission checks the least right with which a request can succeed; the use case checks whether
// a token is the caller's own.
import { LAST_USED } from '../../service/credentials/credential-members.ts';
import type { Credentials } from '../../service/credentials/credentials.ts';
import type { CredentialKind } from '../../service/ports/store.ts';
import {
  callerOf,
  type Endpoint,
  pathParameter,
  queryParameter,
  queryParameters,
} from '../requests/endpoint.ts';
import { writeTotal } from '../responses/response.ts';

/** The use cases of one kind. */
export type CredentialCases<K extends CredentialKind> = Pick<
  Credentials<K>,
  'list' | 'get' | 'create' | 'patch' | 'remove'
>;

const PAGE = ['limit', 'offset', 'count', 'filters'] as const;
const OWNER = 'owner-id';

/** `/personal-access-tokens`, with a list of one owner. */
export function personalAccessTokenEndpoints(tokens: CredentialCases<'pat'>): Endpoint[] {
  const shared = { ...pathsOf(''), operation: 'pat:own:manage' } as const;
  return [
    {
      ...pageEndpoint(tokens, shared, [OWNER]),
      operation: (caller, request) => {
        const owner = queryParameter(request, OWNER);
        const isOwn = owner === 'me' || (owner !== undefined && owner === caller.identityId);
        return isOwn ? 'pat:own:read' : 'pat:all:read';
      },
    },
    createEndpoint(tokens, shared),
    patchEndpoint(tokens, shared),
    removeEndpoint(tokens, shared),
  ];
}

/** `/oauth-clients`, as the class `OAuthClientsApi` of the published client library calls them. */
export function oauthClientEndpoints(clients: CredentialCases<'client'>): Endpoint[] {
  const shared = { ...pathsOf(''), operation: 'oauth-client:manage' } as const;
  return [
    pageEndpoint(clients, shared),
    createEndpoint(clients, shared),
    {
      ...one(shared),
      method: 'GET',
      work: null,
      body: 'none',
      handle: async (request) => clients.get(callerOf(request), pathParameter(request, 'id')),
    },
    { ...patchEndpoint(clients, shared), work: 'urgent changes' },
    removeEndpoint(clients, shared),
  ];
}

/** `/admin/v1/api-keys`, without pages. */
export function apiKeyEndpoints(keys: CredentialCases<'key'>): Endpoint[] {
  const shared = { ...pathsOf('/admin/v1/api-keys'), operation: 'admin' } as const;
  return [
    {
      ...shared,
      method: 'GET',
      work: null,
      body: 'none',
      handle: async (request) => (await keys.list(callerOf(request))).items,
    },
    {
      ...createEndpoint(keys, shared),
      handle: async (request, reply) =>
        reply.code(201).send(await keys.create(callerOf(request), request.body)),
    },
    removeEndpoint(keys, shared),
  ];
}

type Shared = Pick<Endpoint, 'dialect' | 'path' | 'operation'>;
type Cases = CredentialCases<CredentialKind>;

function pathsOf(path: string) {
  return { dialect: 'isc', path } as const;
}

function one(shared: Shared): Shared {
  return { ...shared, path: `${shared.path}/:id` };
}

function pageEndpoint(
  cases: Pick<Cases, 'list'>,
  shared: Shared,
  more: readonly string[] = [],
): Endpoint {
  return {
    ...shared,
    method: 'GET',
    work: null,
    body: 'none',
    parameters: [...more, ...PAGE],
    form: LAST_USED,
    async handle(request, reply) {
      const { items, total } = await cases.list(callerOf(request), {
        ...queryParameters(request, PAGE),
        ownerId: more.includes(OWNER) ? queryParameter(request, OWNER) : undefined,
      });
      writeTotal(reply, total);
      return items;
    },
  };
}

function createEndpoint(cases: Pick<Cases, 'create'>, shared: Shared): Endpoint {
  return {
    ...shared,
    method: 'POST',
    work: 'changes',
    body: 'json',
    // 200, not 201, as the public service answers.
    handle: async (request) => cases.create(callerOf(request), request.body),
  };
}

function patchEndpoint(cases: Pick<Cases, 'patch'>, shared: Shared): Endpoint {
  return {
    ...one(shared),
    method: 'PATCH',
    work: 'changes',
    body: 'json-patch',
    handle: async (request) =>
      cases.patch(callerOf(request), pathParameter(request, 'id'), request.body),
  };
}

function removeEndpoint(cases: Pick<Cases, 'remove'>, shared: Shared): Endpoint {
  return {
    ...one(shared),
    method: 'DELETE',
    body: 'none',
    work: 'urgent changes',
    async handle(request, reply) {
      await cases.remove(callerOf(request), pathParameter(request, 'id'));
      return reply.code(204).send();
    },
  };
}
