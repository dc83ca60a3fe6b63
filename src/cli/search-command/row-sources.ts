// Where the rows of `cardea search` come from: a server with rows, a server with the vendor's search
// alone, or the data directory.
import type { RowFormat } from '../../identity/searching/rows/row-format.ts';
import { type ServiceClient, ServiceUnreachable } from '../../remote-api/service-client.ts';
import { ServiceRefusal, warningTexts } from '../../remote-api/service-refusal.ts';
import type { Context } from '../context.ts';
import { CommandError, UsageError } from '../context.ts';

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
    return await ownRows(server, request);
  } catch (error) {
    if (!(error instanceof ServiceRefusal) || !NO_SUCH_PATH.has(error.status)) throw error;
    return computedRows(server, request, context);
  }
}

/** What the server did not accept is wrong on the command line. */
function commandFault(error: unknown): unknown {
  if (error instanceof ServiceUnreachable) return new CommandError(error.message);
  if (!(error instanceof ServiceRefusal)) return error;
  return error.status === 400 ? new UsageError([error.message]) : new CommandError(error.message);
}

async function ownRows(server: ServiceClient, request: RowsRequest): Promise<RowTexts> {
  const { body, limit, format, count } = request;
  const parameters = new URLSearchParams({ format, count: String(count) });
  if (limit !== null) parameters.set('limit', String(limit));
  const path = `/v2024/search/rows?${parameters}`;
  const answer = await server.send({ method: 'POST', path, body, accept: TYPES[format] });
  const total = answer.headers.get('x-total-count');
  return {
    total: total === null ? null : Number(total),
    warnings: warningTexts(answer.headers.get('warning')),
    pieces: piecesOf(answer, server),
  };
}

async function* piecesOf(answer: Response, { baseUrl }: ServiceClient): AsyncGenerator<Uint8Array> {
  if (answer.body === null) return;
  try {
    for await (const piece of answer.body) yield piece;
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') throw error;
    throw new CommandError(`${baseUrl} broke off: the rows so far are not all.`);
  }
}

async function computedRows(
  server: ServiceClient,
  { body, limit, format, count }: RowsRequest,
  { stop, now }: Context,
): Promise<RowTexts> {
  const [{ remoteRows }, { CooperativeScheduler }] = await Promise.all([
    import('../../remote-rows/remote-rows.ts'),
    import('../../identity/scheduling/cooperative.ts'),
  ]);
  const parameters = { count: String(count), ...(limit !== null && { limit: String(limit) }) };
  const remote = {
    async search(search: object, size: number) {
      const path = `/v2024/search?limit=${size}`;
      const answer = await server.send({ method: 'POST', path, body: search });
      return (await answer.json()) as Record<string, unknown>[];
    },
    async count(search: object) {
      const answer = await server.send({ method: 'POST', path: COUNT_PATH, body: search });
      return Number(answer.headers.get('x-total-count'));
    },
  };
  const options = { scheduler: new CooperativeScheduler(), now: now(), signal: stop.signal };
  const answer = await remoteRows(body, parameters, format, remote, options);
  return { total: answer.total, warnings: [], pieces: bytesOf(answer.chunks) };
}

/** The bytes of chunks. */
export async function* bytesOf(
  chunks: AsyncIterable<{ readonly bytes: Uint8Array }>,
): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of chunks) yield bytes;
}
