// Calls about documents. search/search-body.ts builds the bodies. Documents are untyped, since
// their members differ by tenant; pages read them by path.
import type { IndexName } from '../../src/query/query.ts';
import type { AccessPath, AggregationResult, Document, SearchBody } from '../model/wire.ts';
import { call, callJson } from './client.ts';

/** A page of hits and the total. */
export interface SearchResults {
  readonly hits: readonly Document[];
  readonly total: number;
  /** The number of documents, if the hits are elements. */
  readonly documents?: number;
  /** Warnings of the service, such as unknown field names. */
  readonly warnings: readonly string[];
}

const SEARCH = 'v2024/search';

/** @throws ApiFault */
export async function search(
  body: SearchBody,
  page: { readonly limit: number; readonly offset?: number; readonly count?: 'exact' | 'none' },
  signal?: AbortSignal,
): Promise<SearchResults> {
  const { limit, offset = 0, count = 'none' } = page;
  const answer = await call(
    `${SEARCH}?limit=${limit}&offset=${offset}&count=${count === 'exact'}`,
    post(body, signal),
  );
  return {
    hits: (await answer.json()) as Document[],
    total: Number(answer.headers.get('x-total-count') ?? 0),
    warnings: warningsOf(answer.headers.get('warning')),
  };
}

/** How rows are requested. */
export interface RowsRequest {
  readonly format: 'json' | 'ndjson' | 'csv';
  /** null: all rows. */
  readonly limit: number | null;
  /** Whether the header `X-Total-Count` is requested. */
  readonly count: boolean;
}

/**
 * Requests a table, one row per element of a nested array. Its body is a stream; reading it fails if
 * the table is not complete.
 * @throws ApiFault
 */
export function requestRows(
  body: SearchBody,
  { format, limit, count: isCounted }: RowsRequest,
  signal?: AbortSignal,
): Promise<Response> {
  const limited = limit === null ? '' : `&limit=${limit}`;
  const path = `${SEARCH}/rows?format=${format}&count=${isCounted}${limited}`;
  return call(path, post(body, signal));
}

/** Completes a prefix to values of a field. */
export async function typeAhead(body: SearchBody, signal?: AbortSignal): Promise<string[]> {
  return callJson(SEARCH, post(body, signal));
}

/** Counts the matching documents. */
export async function count(body: SearchBody, signal?: AbortSignal): Promise<number> {
  return (await countWithWarnings(body, signal)).total;
}

/** Counts the matching documents, with the warnings of the service. @throws ApiFault */
export async function countWithWarnings(
  body: SearchBody,
  signal?: AbortSignal,
): Promise<Pick<SearchResults, 'total' | 'warnings'>> {
  const { headers } = await call(`${SEARCH}/count`, post(body, signal));
  return {
    total: Number(headers.get('x-total-count') ?? 0),
    warnings: warningsOf(headers.get('warning')),
  };
}

/** Runs aggregations only, without hits. */
export async function aggregate(
  body: SearchBody,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, AggregationResult>>> {
  const answer = await callJson<{ aggregations: Record<string, AggregationResult> }>(
    `${SEARCH}/aggregate?limit=0`,
    post(body, signal),
  );
  return answer.aggregations;
}

export async function readDocument(
  index: IndexName,
  id: string,
  signal?: AbortSignal,
): Promise<Document> {
  return callJson(`${SEARCH}/${index}/${encodeURIComponent(id)}`, signal ? { signal } : {});
}

/** The roles and access profiles through which an identity holds its access, by element. */
export async function readAccessPaths(
  id: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly AccessPath[]>> {
  const path = `admin/v1/identities/${encodeURIComponent(id)}/access-paths`;
  const { access } = await callJson<{
    access: readonly { readonly id: string; readonly paths: readonly AccessPath[] }[];
  }>(path, { signal });
  return new Map(access.map(({ id: element, paths }) => [element, paths]));
}

/** Explains a search and, if given, why one document matches or not. */
export async function explain<T>(
  body: SearchBody,
  of: { readonly index: IndexName; readonly id: string } | null,
  signal?: AbortSignal,
): Promise<T> {
  const document = of === null ? '' : `&index=${of.index}&id=${encodeURIComponent(of.id)}`;
  return callJson(`${SEARCH}/explain?limit=1${document}`, post(body, signal));
}

/** The texts of a `Warning` header: `299 - "…"`, `299 - "…"`. */
export function warningsOf(header: string | null): string[] {
  return [...(header ?? '').matchAll(/299 - "((?:\\.|[^"\\])*)"/g)].map(([, text = '']) =>
    text.replace(/\\(.)/g, '$1'),
  );
}

function post(body: SearchBody, signal: AbortSignal | undefined) {
  return { method: 'POST' as const, body, ...(signal === undefined ? {} : { signal }) };
}
