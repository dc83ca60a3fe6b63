// The search of the data of a command, as a source of rows: that of the server which has the data, or of
// this process.

import type { Config } from '../../config/config.ts';
import { ServiceError } from '../../errors.ts';
import { operatorOf } from '../../service/audit/operator-event.ts';
import type { Tenant } from '../../service/ports/store.ts';
import type { Visibility } from '../../service/searching/visibility.ts';
import { viewsInForce } from '../../service/views/views-in-force.ts';
import { type Context, UsageError } from '../common/context.ts';
import { type Data, indexUpTo } from '../common/data.ts';
import { bytesOf, type RowSource, servedRows } from './row-sources.ts';

/** Faults of a query, which is part of the command line. */
const QUERY_FAULTS: ReadonlySet<string> = new Set([
  'body_malformed',
  'query_malformed',
  'request_invalid',
  'limit_exceeded',
]);

/** Whose documents are searched, and through which views; empty: all of them are seen. */
export interface Seen {
  readonly tenant: Tenant;
  readonly views?: readonly string[];
}

/**
 * Opens the search. Without a server it waits until every change is searchable.
 * @throws UsageError if another process has it
 */
export async function openSearch(
  data: Data,
  { tenant, views = [] }: Seen,
  config: Config,
  context: Context,
): Promise<RowSource> {
  const { server, store, scheduler } = data;
  if (server !== null) return servedRows(server.client(tenant.id, views), context);
  const { stop, now } = context;
  const { visibility } = await openVisibility(data, config, context);
  const { Search } = await import('../../service/searching/search.ts');
  const { limits, queryTimeoutMs: timeoutMs } = config;
  const search = new Search(visibility, { now }, { limits, timeoutMs, scheduler });
  const reader = operatorOf(tenant.id, await viewsInForce(store.read, tenant.id, views));
  return {
    async rows({ body, limit, format, count }) {
      const parameters = { count: String(count), ...(limit !== null && { limit: String(limit) }) };
      const { signal } = stop;
      const answer = await search
        .rows(reader, body, parameters, format, { signal })
        .catch((error) => Promise.reject(queryFault(error)));
      const warnings = answer.warnings.map(({ text }) => text);
      return { total: answer.total, warnings, pieces: bytesOf(answer.chunks) };
    },
  };
}

/** A fault of the query as one of the command line. */
function queryFault(error: unknown): unknown {
  if (!(error instanceof ServiceError) || !QUERY_FAULTS.has(error.code)) return error;
  const { causes = [] } = error.details;
  return new UsageError(causes.length > 0 ? causes : [error.message]);
}

/**
 * What readers see of the data in this process, once every change is searchable, and the feeding.
 * @throws UsageError if another process has the search
 */
export async function openVisibility(
  { backend, indexer, store, documents, scheduler }: Data,
  { limits, queryTimeoutMs: timeoutMs, dataDir }: Config,
  { terminal, stop, now }: Context,
): Promise<{
  readonly visibility: Visibility;
  readonly indexer: NonNullable<Data['indexer']>;
}> {
  if (backend === null || indexer === null) {
    throw new UsageError([
      `Another process has the search of ${dataDir}, such as an import, or a server that starts or stops: try again when it has ended or serves.`,
    ]);
  }
  await indexUpTo(indexer, { from: 0, sequence: await store.read.lastSequence() }, terminal, stop);
  const { Visibility: Class } = await import('../../service/searching/visibility.ts');
  const settings = { limits, timeoutMs, scheduler };
  return { visibility: new Class({ backend, documents, clock: { now }, ...settings }), indexer };
}
