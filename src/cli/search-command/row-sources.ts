// Where the rows of `cardea search` come from: a server with rows, a server with the vendor's search
// alone, or the data directory.
import type { RowFormat } from '../../identity/searching/rows/row-format.ts';
import type { Context } from '../context.ts';
import { CommandError, UsageError } from '../context.ts';
import { Refusal, type SearchServer } from './search-server.ts';

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
/** Statuses by which a service says that it has no rows. */
const NO_SUCH_PATH: ReadonlySet<number> = new Set([403, 404, 405, 501]);

/** The rows of a server: its own, or computed from its search if it has none. */
export function servedRows(server: SearchServer, context: Context): RowSource {
  return {
    async rows(request) {
      try {
        return await ownRows(server, request);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (!NO_SUCH_PATH.has(error.status)) throw commandFault(error);
      }
      try {
        return await computedRows(server, request, context);
      } catch (error) {
        throw error instanceof Refusal ? commandFault(error) : error;
      }
    },
  };
}

/** What the server did not accept is wrong on the command line. */
export function commandFault({ status, message }: Refusal): Error {
  return status === 400 ? new UsageError([message]) : new CommandError(message);
}

async function ownRows(server: SearchServer, request: RowsRequest): Promise<RowTexts> {
  const { body, limit, format, count } = request;
  const parameters = new URLSearchParams({ format, count: String(count) });
  if (limit !== null) parameters.set('limit', String(limit));
  const path = `/v2024/search/rows?${parameters}`;
  const answer = await server.post(path, body, TYPES[format]);
  const total = answer.headers.get('x-total-count');
  return {
    total: total === null ? null : Number(total),
    warnings: warningsOf(answer.headers.get('warning')),
    pieces: piecesOf(answer, server),
  };
}

async function* piecesOf(answer: Response, { baseUrl }: SearchServer): AsyncGenerator<Uint8Array> {
  if (answer.body === null) return;
  try {
    for await (const piece of answer.body) yield piece;
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') throw error;
    throw new CommandError(`${baseUrl} broke off: the rows so far are not all.`);
  }
}

/** The texts of `299 - "text", …`. */
function warningsOf(header: string | null): readonly string[] {
  const quoted = (header ?? '').matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g);
  return [...quoted].map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
}

async function computedRows(
  server: SearchServer,
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
      const answer = await server.post(`/v2024/search?limit=${size}`, search);
      return (await answer.json()) as Record<string, unknown>[];
    },
    async count(search: object) {
      const answer = await server.post('/v2024/search/count', search);
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
