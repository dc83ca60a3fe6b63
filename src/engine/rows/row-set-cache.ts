// Cache of the matching rows of queries (OpenSearch's filter cache): the rows that a prefix, a
// pattern or a range matches in a segment stay the same as long as the segment exists, whatever is
// deleted. Sets are cached only of queries that repeat (Lucene's UsageTrackingQueryCachingPolicy):
// those that nobody uses again would only make the garbage collector run. Lists are short.
// Invariant: a cached set never changes.
import { KeyedPart, type QueryCache } from '../index/query-cache.ts';
import type { Table } from '../index/segment.ts';
import { BitSetScorer } from '../matching/bit-set-scorer.ts';
import { type Rows, type RowsOf, rowsWeight } from '../matching/constant-weight.ts';
import type { Scope, Weight } from '../matching/weight.ts';
import { tableOf } from '../terms/field-terms.ts';
import { countBits } from './bit-set.ts';
import { gatherRows } from './known-rows.ts';
import { RowListScorer } from './row-list-scorer.ts';

/** Most characters of a query's JSON; longer queries are not cached. */
const KEY_MAX = 1_000;

/** A query seen lately, and the number of requests that had it. */
interface CachedQuery {
  uses: number;
}

type CachedRows = Exclude<Rows, { readonly kind: 'cursor' }>;

/** A query in a request, and what the request has found, by table. */
interface RequestedQuery {
  readonly query: CachedQuery;
  readonly found: Map<Table, CachedRows>;
}

/** By text. */
const QUERIES = new KeyedPart<CachedQuery>('query');
const REQUESTED = new KeyedPart<RequestedQuery>('requested');
/** By query and table. */
const SETS = new KeyedPart<CachedRows>('rows');

/**
 * A weight over the rows of a query. Calls `create` unless the rows of all segments are known. All rows
 * of a cursor are gathered from the second use on, or later if it says so.
 * Throws what `create` throws.
 */
export function* cachedWeight(
  query: object,
  scope: Scope,
  create: () => Generator<void, RowsOf>,
): Generator<void, Weight> {
  const { cache, views, path } = scope;
  const requested = requestedQuery(query, cache);
  if (requested === null) return rowsWeight(scope, yield* create());
  const { query: cachedQuery, found } = requested;
  const { uses } = cachedQuery;
  const keyOf = (table: Table) => `${cache.numberOf(cachedQuery)} ${cache.numberOf(table)}`;
  const knownRows = (table: Table) =>
    found.get(table) ?? (uses === 1 ? undefined : cache.get(SETS, keyOf(table)));
  const tables = views.map((view) => tableOf(view, path));
  const known = tables.map((table) => (table === undefined ? null : knownRows(table)));
  const rowsOf = known.includes(undefined) ? yield* create() : null;
  const weight = rowsWeight(scope, function* (view) {
    const rows = known[view];
    const table = tables[view];
    if (rows !== undefined || rowsOf === null || table === undefined) return rows ?? null;
    const matching = yield* rowsOf(view);
    if (matching?.kind === 'cursor' && uses <= (matching.usesMin ?? 1)) return matching;
    const reusable = yield* reusableRows(matching, table);
    if (uses > 1 || reusable?.kind !== 'set') {
      cache.add(SETS, keyOf(table), reusable, bytesOf(reusable));
    }
    found.set(table, reusable);
    known[view] = reusable;
    return reusable;
  });
  return { scorer: weight.scorer, count: (view) => countOf(known[view], tables[view]) };
}

/** As cachedWeight, for a weight whose scorers are mostly cursors. */
export function cachedScorers(
  query: object,
  scope: Scope,
  create: () => Generator<void, Weight>,
): Generator<void, Weight> {
  return cachedWeight(query, scope, function* () {
    const weight = yield* create();
    return function* (view) {
      const scorer = yield* weight.scorer(view);
      if (scorer instanceof BitSetScorer) return { kind: 'set', bits: scorer.bits };
      if (scorer instanceof RowListScorer) return { kind: 'list', rows: scorer.rows };
      return scorer === null ? null : { kind: 'cursor', scorer };
    };
  });
}

/** Counts a request with the query. null: too long to be cached. */
function requestedQuery(query: object, cache: QueryCache): RequestedQuery | null {
  const { boost, ...unboosted } = query as { boost?: number };
  const text = JSON.stringify(unboosted);
  if (text.length > KEY_MAX) return null;
  return cache.ofRequest(REQUESTED, text, () => {
    let cachedQuery = cache.get(QUERIES, text);
    if (cachedQuery === undefined) {
      cachedQuery = { uses: 0 };
      cache.add(QUERIES, text, cachedQuery, 0);
    }
    cachedQuery.uses += 1;
    return { query: cachedQuery, found: new Map() };
  });
}

/** Rows that can be iterated more than once. */
function* reusableRows(rows: Rows, { rowCount }: Table): Generator<void, CachedRows> {
  if (rows === null || rows.kind === 'all' || rows.kind === 'list') return rows;
  if (rows.kind === 'set') return { ...rows, count: rows.count ?? countBits(rows.bits, null) };
  const bits = yield* gatherRows(rows.scorer, rowCount);
  return { kind: 'set', bits, count: countBits(bits, null) };
}

function countOf(rows: CachedRows | undefined, table: Table | undefined): number {
  if (rows === undefined) return -1;
  if (rows === null) return 0;
  if (rows.kind === 'list') return rows.rows.length;
  return rows.kind === 'all' ? (table?.rowCount ?? 0) : (rows.count ?? -1);
}

function bytesOf(rows: CachedRows): number {
  if (rows?.kind === 'set') return rows.bits.byteLength;
  return rows?.kind === 'list' ? rows.rows.byteLength : 0;
}
