// The administration API, which the public service does not have: imports, auth users and status.
// Imports are streams of NDJSON, one JSON array or CSV, plain or gzip; memory does not grow with their
// length.
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import type { AuthUserAdministration } from '../../service/accounts/auth-user-administration.ts';
import { readIndexName } from '../../service/documents/bare-document.ts';
import {
  authUserReader,
  csvIndex,
  documentReader,
  readCsvForm,
} from '../../service/imports/csv/csv-import.ts';
import { type CsvForm, mergeOf } from '../../service/imports/csv/csv-source.ts';
import type { Documents, ImportDocumentsOptions } from '../../service/imports/documents.ts';
import type { AccessPathList } from '../../service/searching/access-path-list.ts';
import { type Capacity, partyOf } from '../admission/capacity.ts';
import { waitingLinesOf } from '../admission/import-body.ts';
import { singleObject } from '../admission/single-object.ts';
import { callerOf, type Endpoint, pathParameter, queryParameter } from '../requests/endpoint.ts';
import { authUserDirectoryEndpoints, type DirectoryCases } from './auth-user-directory.ts';
import { importPreviewEndpoints } from './import-preview.ts';
import { csvTextsOf, linesOf, readFlag } from './import-request.ts';

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
  readonly documents: Pick<
    Documents,
    | 'importDocuments'
    | 'mergeDocuments'
    | 'importAuthUsers'
    | 'checkDocuments'
    | 'checkAuthUsers'
    | 'mapping'
    | 'remove'
  >;
  readonly authUserAdministration: UserCases;
  readonly authUserDirectory: DirectoryCases;
  readonly accessPaths: Pick<AccessPathList, 'of'>;
  readonly status: IndexProgress;
  readonly node: NodeSource;
  readonly mirror: MirrorSource;
}

type UserCases = Pick<AuthUserAdministration, 'create' | 'get' | 'patch' | 'remove' | 'signOut'>;

/** `/admin/v1/…`. */
export function adminEndpoints(
  cases: AdminCases,
  { imports, signals }: Pick<Capacity, 'imports' | 'signals'>,
): Endpoint[] {
  const { documents, status, node, mirror, authUserAdministration: users } = cases;
  const waitForRefresh = async (request: FastifyRequest, sequence: () => Promise<number>) => {
    if (wantsRefresh(request)) await status.waitUntilSearchable(await sequence(), REFRESH_WAIT_MS);
  };
  const choicesOf = (request: FastifyRequest) => ({
    strict: readFlag(request, 'strict'),
    hold: waitingLinesOf(partyOf(request), imports),
  });
  const mergeRows = async (
    request: FastifyRequest,
    form: CsvForm,
    choices: ImportDocumentsOptions,
  ) => {
    const caller = callerOf(request);
    const index = csvIndex(choices.index, form);
    const read = await documentReader(documents, caller.tenantId, index, form);
    const lines = linesOf(request, imports, read);
    return documents.mergeDocuments(caller, lines, { ...choices, index, ...mergeOf(form) });
  };
  return [
    {
      method: 'POST',
      path: '/admin/v1/documents',
      dialect: 'isc',
      operation: 'admin',
      work: 'changes',
      body: 'stream',
      async handle(request) {
        const indexName = queryParameter(request, 'index');
        const choices = {
          index: indexName === undefined ? undefined : readIndexName(indexName),
          ...choicesOf(request),
        };
        checkRefresh(request);
        const caller = callerOf(request);
        const form = await csvFormOf(request);
        const { sequence, ...report } =
          form === null
            ? await documents.importDocuments(caller, linesOf(request, imports), choices)
            : await mergeRows(request, form, choices);
        await waitForRefresh(request, async () => sequence);
        return report;
      },
    },
    {
      method: 'DELETE',
      path: '/admin/v1/documents/:index/:id',
      dialect: 'isc',
      operation: 'admin',
      work: 'changes',
      body: 'none',
      async handle(request, reply) {
        const index = readIndexName(pathParameter(request, 'index'));
        const id = pathParameter(request, 'id');
        checkRefresh(request);
        if (!(await documents.remove(callerOf(request), index, id))) {
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
      work: 'changes',
      body: 'stream',
      async handle(request, reply) {
        const form = await csvFormOf(request);
        const lines = linesOf(request, imports, form === null ? undefined : authUserReader(form));
        const content = await singleObject(lines, request.headers['content-type']);
        if ('object' in content) {
          reply.code(201);
          return users.create(callerOf(request), content.object);
        }
        const { sequence: _, ...report } = await documents.importAuthUsers(
          callerOf(request),
          content.lines,
          { merge: form !== null, ...choicesOf(request) },
        );
        return report;
      },
    },
    ...importPreviewEndpoints(documents, imports),
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
      work: null,
      body: 'none',
      handle: (request) => node.of(callerOf(request).tenantId),
    },
    {
      method: 'GET',
      path: '/admin/v1/mirror',
      dialect: 'isc',
      operation: 'admin',
      work: null,
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
      work: null,
      body: 'none',
      handle: (request) => users.get(callerOf(request), pathParameter(request, 'id')),
    },
    {
      ...shared,
      method: 'PATCH',
      path,
      body: 'json',
      work: 'urgent changes',
      handle: (request) =>
        users.patch(callerOf(request), pathParameter(request, 'id'), request.body),
    },
    {
      ...shared,
      method: 'DELETE',
      path,
      body: 'none',
      work: 'urgent changes',
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
      work: 'urgent changes',
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

async function csvFormOf(request: FastifyRequest): Promise<CsvForm | null> {
  const texts = csvTextsOf(request);
  return texts === null ? null : readCsvForm(texts);
}
