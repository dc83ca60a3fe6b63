// Cache of the matching rows of queries (OpenSearch's filter cache): the rows that a prefix, a
// pattern or a range matches in a segment stay the same as long as the segment exists, whatever is
// deleted. Only queries that repeat are cached (Lucene's UsageTrackingQueryCachingPolicy): a set that
// nobody uses again would only make the garbage collector run.
// Invariant: a cached set never changes.
import { KeyedPart, type QueryCache } from '../index/query-cache.ts';
import { BitSetScorer } from '../matching/bit-set-scorer.ts';
import { type Rows, type RowsOf, rowsWeight } from '../matching/constant-weight.ts';
import type { Scope, Weight } from '../matching/weight.ts';
import { tableOf } from '../terms/field-terms.ts';
import { countBits } from './bit-set.ts';
import { gatherRows } from './known-rows.ts';
import { RowListScorer } from './row-list-scorer.ts';

/** Most characters of a query's JSON; longer queries are not cached. */
const KEY_MAX = 1_000;

/** A query seen lately. */
interface CachedQuery {
  uses: number;
}

type CachedRows = Exclude<Rows, { readonly kind: 'cursor' }>;

/** By text. */
const QUERIES = new KeyedPart<CachedQuery>('query');
/** By query and table. */
const SETS = new KeyedPart<CachedRows>('rows');

/**
 * When all matches of a cursor are gathered; the cursor may say that this takes more uses than one
 * before. Those of 'always' are gathered on first use.
 */
export type When = 'always' | 'second use';

/**
 * A weight over the rows of a query. Calls `create` unless the rows of all segments are cached.
 * Throws what `create` throws.
 */
export function* cachedWeight(
  query: object,
  scope: Scope,
  when: When,
  create: () => Generator<void, RowsOf>,
): Generator<void, Weight> {
  const { cache } = scope;
  const cachedQuery = cachedQueryOf(query, cache);
  if (cachedQuery === null) return rowsWeight(scope, yield* create());
  const keys = scope.views.map((_, view) => keyOf(cachedQuery, scope, view));
  const cached = keys.map((key) => (key === null ? null : cache.get(SETS, key)));
  const rowsOf = cached.includes(undefined) ? yield* create() : null;
  const { uses } = cachedQuery;
  const weight = rowsWeight(scope, function* (view) {
    const rows = cached[view];
    if (rows !== undefined || rowsOf === null) return rows ?? null;
    const matching = yield* rowsOf(view);
    const isCursor = when === 'second use' && matching?.kind === 'cursor';
    if (isCursor && uses <= (matching.usesMin ?? 1)) return matching;
    const reusable = yield* reusableRows(matching, scope, view);
    if (uses > 1) cache.add(SETS, keys[view]!, reusable, bytesOf(reusable));
    else cache.addForRequest(SETS, keys[view]!, reusable);
    cached[view] = reusable;
    return reusable;
  });
  return { scorer: weight.scorer, count: (view) => countOf(cached[view], scope, view) };
}

/** As cachedWeight, for weights whose scorers are mostly cursors, cached on second use. */
export function cachedOnSecondUse(
  query: object,
  scope: Scope,
  create: () => Generator<void, Weight>,
): Generator<void, Weight> {
  return cachedWeight(query, scope, 'second use', function* () {
    const weight = yield* create();
    return function* (view) {
      const scorer = yield* weight.scorer(view);
      if (scorer instanceof BitSetScorer) return { kind: 'set', bits: scorer.bits };
      if (scorer instanceof RowListScorer) return { kind: 'list', rows: scorer.rows };
      return scorer === null ? null : { kind: 'cursor', scorer };
    };
  });
}

/** Counts a use of the query. null: too long to be cached. */
function cachedQueryOf(query: object, cache: QueryCache): CachedQuery | null {
  const { boost, ...unboosted } = query as { boost?: number };
  const text = JSON.stringify(unboosted);
  if (text.length > KEY_MAX) return null;
  let cachedQuery = cache.get(QUERIES, text);
  if (cachedQuery === undefined) {
    cachedQuery = { uses: 0 };
    cache.add(QUERIES, text, cachedQuery, 0);
  }
  cachedQuery.uses += 1;
  return cachedQuery;
}

/** null if the view has no such table. */
function keyOf(query: CachedQuery, { views, path, cache }: Scope, view: number): string | null {
  const table = tableOf(views[view]!, path);
  return table === undefined ? null : `${cache.numberOf(query)} ${cache.numberOf(table)}`;
}

/** Rows that can be iterated more than once. */
function* reusableRows(rows: Rows, scope: Scope, view: number): Generator<void, CachedRows> {
  if (rows === null || rows.kind === 'all' || rows.kind === 'list') return rows;
  if (rows.kind === 'set') return { ...rows, count: rows.count ?? countBits(rows.bits, null) };
  const rowCount = tableOf(scope.views[view]!, scope.path)?.rowCount ?? 0;
  const bits = yield* gatherRows(rows.scorer, rowCount);
  return { kind: 'set', bits, count: countBits(bits, null) };
}

function countOf(rows: CachedRows | undefined, { views, path }: Scope, view: number): number {
  if (rows === undefined) return -1;
  if (rows === null) return 0;
  if (rows.kind === 'list') return rows.rows.length;
  return rows.kind === 'all' ? (tableOf(views[view]!, path)?.rowCount ?? 0) : (rows.count ?? -1);
}

function bytesOf(rows: CachedRows): number {
  if (rows?.kind === 'set') return rows.bits.byteLength;
  return rows?.kind === 'list' ? rows.rows.byteLength : 0;
}
