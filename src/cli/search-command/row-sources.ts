// Where the rows of commands come from: a server with rows, or one with the vendor's search alone; those
// of a data directory without a server are in searches.ts.
import { ServiceError } from '../../errors.ts';
import { BadAnswer, jsonOf, type ServiceClient } from '../../remote/service-client.ts';
import { ServiceRefusal, warningTexts } from '../../remote/service-refusal.ts';
import type { RowFormat } from '../../service/searching/rows/row-format.ts';
import type { Context } from '../common/context.ts';
import { CommandError, UsageError } from '../common/context.ts';

/** A request for rows: the body of `POST /search/rows`, and its limit. */
export interface RowsRequest {
  readonly body: Readonly<Record<string, unknown>>;
  /** null: all rows. */
  readonly limit: number | null;
  readonly format: RowFormat;
  /** Whether the number of rows is of use. */
  readonly count: boolean;
}

/** The text of a table in pieces. */
export interface RowTexts {
  /** null if it is unknown. */
  readonly total: number | null;
  /** Warnings about the query. */
  readonly warnings: readonly string[];
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** Counts the rows of a request, and what else is said of it. */
export async function countRows(source: RowSource, body: RowsRequest['body']): Promise<RowTexts> {
  const answer = await source.rows({ body, limit: 0, format: 'ndjson', count: true });
  for await (const _ of answer.pieces);
  return answer;
}

/** Serves requests for rows. */
export interface RowSource {
  rows(request: RowsRequest): Promise<RowTexts>;
}

const TYPES: Readonly<Record<RowFormat, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
};
const COUNT_PATH = '/v2024/search/count';
/** Statuses by which a service says that it has no rows. */
const NO_SUCH_PATH: ReadonlySet<number> = new Set([403, 404, 405, 501]);

/** The rows of a server: its own, or computed from its search if it has none. */
export function servedRows(server: ServiceClient, context: Context): RowSource {
  return {
    async rows(request) {
      try {
        return await rowsOf(server, request, context);
      } catch (error) {
        context.stop.check();
        throw commandFault(error);
      }
    },
  };
}

async function rowsOf(
  server: ServiceClient,
  request: RowsRequest,
  context: Context,
): Promise<RowTexts> {
  try {
    return await ownRows(server, request, context);
  } catch (error) {
    if (!(error instanceof ServiceRefusal) || !NO_SUCH_PATH.has(error.status)) throw error;
    return computedRows(server, request, context);
  }
}

/** What the server did not accept is wrong on the command line. */
function commandFault(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  if (!(error instanceof ServiceRefusal)) return new CommandError(error.message);
  return error.status === 400
    ? new UsageError(error.reasons)
    : new CommandError(error.reasons.join(' '));
}

async function ownRows(
  server: ServiceClient,
  request: RowsRequest,
  context: Context,
): Promise<RowTexts> {
  const { body, limit, format, count } = request;
  const parameters = new URLSearchParams({ format, count: String(count) });
  if (limit !== null) parameters.set('limit', String(limit));
  const path = `/v2024/search/rows?${parameters}`;
  const answer = await server.stream({ method: 'POST', path, body, accept: TYPES[format] });
  const total = answer.headers['x-total-count'];
  return {
    total: total === undefined ? null : Number(total),
    warnings: warningTexts(answer.headers.warning),
    pieces: piecesOf(answer.body, server, context),
  };
}

async function* piecesOf(
  body: AsyncIterable<Uint8Array>,
  { baseUrl }: ServiceClient,
  { stop }: Context,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    stop.check();
    if (!(error instanceof ServiceError)) throw error;
    throw new CommandError(`${baseUrl} broke off: the rows so far are not all.`);
  }
}

async function computedRows(
  server: ServiceClient,
  { body, limit, format, count }: RowsRequest,
  { stop, now }: Context,
): Promise<RowTexts> {
  const [{ remoteRows }, { CooperativeScheduler }] = await Promise.all([
    import('../../remote/remote-rows.ts'),
    import('../../scheduling/cooperative.ts'),
  ]);
  const parameters = { count: String(count), ...(limit !== null && { limit: String(limit) }) };
  const remote = {
    search(search: object, size: number) {
      const path = `/v2024/search?limit=${size}`;
      return server.call({ method: 'POST', path, body: search }, ({ body: page }) => {
        const documents = jsonOf(page);
        if (Array.isArray(documents) && documents.every(isObject)) return documents;
        throw new BadAnswer('a body that is not an array of documents');
      });
    },
    count(search: object) {
      return server.call({ method: 'POST', path: COUNT_PATH, body: search }, ({ headers }) =>
        Number(headers['x-total-count']),
      );
    },
  };
  const options = { scheduler: new CooperativeScheduler(), now: now(), signal: stop.signal };
  const answer = await remoteRows(body, parameters, format, remote, options);
  const warnings = answer.warnings.map(({ text }) => text);
  return { total: answer.total, warnings, pieces: bytesOf(answer.chunks) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** The bytes of chunks. */
export async function* bytesOf(
  chunks: AsyncIterable<{ readonly bytes: Uint8Array }>,
): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of chunks) yield bytes;
}
