// The administration API, which the public service does not have: imports, auth users and status.
// Imports are streams of NDJSON or one JSON array, plain or gzip; memory does not grow with their
// length.
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import type { SourceLine } from '../../json/json-source.ts';
import type { AuthUserAdministration } from '../../service/accounts/auth-user-administration.ts';
import { actorOf } from '../../service/audit/audit-event.ts';
import { readIndexName } from '../../service/documents/bare-document.ts';
import type { Documents } from '../../service/imports/documents.ts';
import type { AccessPathList } from '../../service/searching/access-path-list.ts';
import { type Capacity, partyOf } from '../admission/capacity.ts';
import { type ImportBodyRules, importLines, waitingLinesOf } from '../admission/import-body.ts';
import { callerOf, type Endpoint, pathParameter, queryParameter } from '../requests/endpoint.ts';
import { authUserDirectoryEndpoints, type DirectoryCases } from './auth-user-directory.ts';

/** Most milliseconds that `refresh=wait` waits. */
const REFRESH_WAIT_MS = 30_000;

/** The progress of the search index. */
export interface IndexProgress {
  /** The last change sequence assigned. */
  lastSequence(): Promise<number>;
  /** Resolves when the change with that sequence is searchable; throws `unavailable` on timeout. */
  waitUntilSearchable(sequence: number, timeoutMs: number): Promise<void>;
}

/** The status of this node for one tenant. */
export interface NodeSource {
  of(tenantId: string): Promise<object>;
}

/** The mirror of a tenant. */
export interface MirrorSource {
  /** null if the tenant is no mirror. */
  of(tenantId: string): Promise<object | null>;
}

/** What administrators call. */
export interface AdminCases {
  readonly documents: Pick<Documents, 'importDocuments' | 'importAuthUsers' | 'remove'>;
  readonly authUserAdministration: UserCases;
  readonly authUserDirectory: DirectoryCases;
  readonly accessPaths: Pick<AccessPathList, 'of'>;
  readonly status: IndexProgress;
  readonly node: NodeSource;
  readonly mirror: MirrorSource;
}

type UserCases = Pick<AuthUserAdministration, 'get' | 'patch' | 'remove' | 'signOut'>;

/** `/admin/v1/…`. */
export function adminEndpoints(
  cases: AdminCases,
  { imports, signals }: Pick<Capacity, 'imports' | 'signals'>,
): Endpoint[] {
  const { documents, status, node, mirror, authUserAdministration: users } = cases;
  const waitForRefresh = async (request: FastifyRequest, sequence: () => Promise<number>) => {
    if (wantsRefresh(request)) await status.waitUntilSearchable(await sequence(), REFRESH_WAIT_MS);
  };
  /**
   * Actor of an import, the check that ends it once its caller loses the right, and the count of
   * its memory.
   */
  const callerChoices = (request: FastifyRequest) => ({
    actor: actorOf(callerOf(request)),
    confirm: () => callerOf(request).current(),
    hold: waitingLinesOf(partyOf(request), imports),
  });
  return [
    {
      method: 'POST',
      path: '/admin/v1/documents',
      dialect: 'isc',
      operation: 'admin',
      body: 'stream',
      async handle(request) {
        const indexName = queryParameter(request, 'index');
        const choices = {
          index: indexName === undefined ? undefined : readIndexName(indexName),
          strict: readFlag(request, 'strict'),
          ...callerChoices(request),
        };
        checkRefresh(request);
        const { sequence, ...report } = await documents.importDocuments(
          callerOf(request).tenantId,
          linesOf(request, imports),
          choices,
        );
        await waitForRefresh(request, async () => sequence);
        return report;
      },
    },
    {
      method: 'DELETE',
      path: '/admin/v1/documents/:index/:id',
      dialect: 'isc',
      operation: 'admin',
      body: 'none',
      async handle(request, reply) {
        const index = readIndexName(pathParameter(request, 'index'));
        const id = pathParameter(request, 'id');
        checkRefresh(request);
        if (
          !(await documents.remove(
            callerOf(request).tenantId,
            index,
            id,
            actorOf(callerOf(request)),
          ))
        ) {
          throw new ServiceError('not_found', 'There is no such document.');
        }
        await waitForRefresh(request, () => status.lastSequence());
        return reply.code(204).send();
      },
    },
    {
      method: 'POST',
      path: '/admin/v1/auth-users',
      dialect: 'isc',
      operation: 'admin',
      body: 'stream',
      async handle(request) {
        const { sequence: _, ...report } = await documents.importAuthUsers(
          callerOf(request).tenantId,
          linesOf(request, imports),
          { strict: readFlag(request, 'strict'), ...callerChoices(request) },
        );
        return report;
      },
    },
    ...authUserDirectoryEndpoints(cases.authUserDirectory),
    ...authUserEndpoints(users),
    {
      method: 'GET',
      path: '/admin/v1/identities/:id/access-paths',
      dialect: 'isc',
      operation: 'document:get',
      work: 'searches',
      body: 'none',
      handle: (request, reply) =>
        signals.run(reply.raw, (signal) =>
          cases.accessPaths.of(callerOf(request), pathParameter(request, 'id'), signal),
        ),
    },
    {
      method: 'GET',
      path: '/admin/v1/status',
      dialect: 'isc',
      operation: 'admin',
      body: 'none',
      handle: (request) => node.of(callerOf(request).tenantId),
    },
    {
      method: 'GET',
      path: '/admin/v1/mirror',
      dialect: 'isc',
      operation: 'admin',
      body: 'none',
      handle: async (request) => ({ mirror: await mirror.of(callerOf(request).tenantId) }),
    },
  ];
}

function authUserEndpoints(users: UserCases): Endpoint[] {
  const shared = { dialect: 'isc', operation: 'admin' } as const;
  const path = '/admin/v1/auth-users/:id';
  return [
    {
      ...shared,
      method: 'GET',
      path,
      body: 'none',
      handle: (request) => users.get(callerOf(request), pathParameter(request, 'id')),
    },
    {
      ...shared,
      method: 'PATCH',
      path,
      body: 'json',
      urgent: true,
      handle: (request) =>
        users.patch(callerOf(request), pathParameter(request, 'id'), request.body),
    },
    {
      ...shared,
      method: 'DELETE',
      path,
      body: 'none',
      urgent: true,
      async handle(request, reply) {
        await users.remove(callerOf(request), pathParameter(request, 'id'));
        return reply.code(204).send();
      },
    },
    {
      ...shared,
      method: 'POST',
      path: `${path}/sign-out`,
      body: 'none',
      urgent: true,
      async handle(request, reply) {
        await users.signOut(callerOf(request), pathParameter(request, 'id'));
        return reply.code(204).send();
      },
    },
  ];
}

/** Refuses an invalid `refresh` before anything is written. @throws ServiceError `request_invalid` */
function checkRefresh(request: FastifyRequest): void {
  wantsRefresh(request);
}

/** @throws ServiceError `request_invalid` */
function wantsRefresh(request: FastifyRequest): boolean {
  const refresh = queryParameter(request, 'refresh');
  if (refresh === undefined || refresh.toLowerCase() === 'false') return false;
  if (refresh === 'wait') return true;
  throw new ServiceError('request_invalid', 'refresh must be wait or left out.', {
    causes: [`refresh "${refresh}" is not wait`],
  });
}

function readFlag(request: FastifyRequest, name: string): boolean {
  const value = queryParameter(request, name)?.toLowerCase();
  if (value === undefined || value === 'false') return false;
  if (value === 'true') return true;
  throw new ServiceError('request_invalid', `${name} must be true, false or left out.`);
}

/** Streams the JSON texts of the body. */
function linesOf(request: FastifyRequest, imports: ImportBodyRules): AsyncGenerator<SourceLine> {
  const body = request.body as IncomingMessage | undefined;
  if (body === undefined) {
    throw new ServiceError('body_malformed', 'The request has no body.');
  }
  const isGzip = request.headers['content-encoding']?.trim().toLowerCase() === 'gzip';
  return importLines(body, isGzip ? 'gzip' : 'identity', partyOf(request), imports);
}
