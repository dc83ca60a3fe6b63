// Cache of the matching rows of queries (OpenSearch's filter cache): the rows that a prefix, a
// pattern or a range matches in a segment stay the same as long as the segment exists, whatever is
// deleted. Rows are cached only of queries that repeat (Lucene's UsageTrackingQueryCachingPolicy):
// those of other queries would fill the cache, and garbage collections would take longer.
// Invariant: a cached set never changes.
import { done, mapSteps } from '../../query/steps.ts';
import { KeyedPart, type QueryCache } from '../index/query-cache.ts';
import { countBits } from '../rows/bit-set.ts';
import { BitSetScorer } from '../scoring/bit-set-scorer.ts';
import { RowListScorer } from '../scoring/row-list-scorer.ts';
import type { Scorer } from '../scoring/scorer.ts';
import type { Scope, Weight } from '../scoring/weight.ts';
import type { Segment, SegmentView, Table } from '../sections/segment.ts';
import { type Rows, type RowsOf, rowsWeight } from '../terms/constant-weight.ts';
import { tableOf } from '../terms/field-terms.ts';
import { gatherRows } from './known-rows.ts';

/** Most characters of a query's JSON; longer queries are not cached. */
const KEY_MAX = 1_000;

type CachedRows = Exclude<Rows, { readonly kind: 'cursor' }>;

/** A query in a request, and what the request has found, by table. */
interface RequestedQuery {
  readonly text: string;
  /** The number of recent requests that had it, with this one. */
  readonly uses: number;
  readonly found: Map<Table, CachedRows>;
}

/** By text. */
const REQUESTED = new KeyedPart<RequestedQuery>('requested');
/** By table and text. */
const ROWS = new KeyedPart<CachedRows>('rows');

/**
 * A weight over the rows of a query. Calls `create` unless the rows of all segments are known. All rows
 * of a cursor are gathered from the second use on, or later if it says so.
 * Throws what `create` throws.
 */
export function cachedWeight(
  query: object,
  scope: Scope,
  create: () => Generator<void, RowsOf>,
): Generator<void, Weight> {
  const requested = requestedQuery(query, scope.cache);
  if (requested === null) return mapSteps(create(), (rowsOf) => rowsWeight(scope, rowsOf));
  const sets = new RowSets(requested, scope);
  return mapSteps(sets.areKnown ? done(null) : create(), (rowsOf) => {
    const { scorer } = rowsWeight(scope, (view) => sets.rows(view, rowsOf));
    return { scorer, count: (view) => sets.count(view) };
  });
}

/** As cachedWeight, for a weight whose scorers are mostly cursors. */
export function cachedScorers(
  query: object,
  scope: Scope,
  create: () => Generator<void, Weight>,
): Generator<void, Weight> {
  return cachedWeight(query, scope, () =>
    mapSteps(create(), (weight) => (view) => mapSteps(weight.scorer(view), rowsOfScorer)),
  );
}

function rowsOfScorer(scorer: Scorer | null): Rows {
  if (scorer instanceof BitSetScorer) return { kind: 'set', bits: scorer.bits };
  if (scorer instanceof RowListScorer) return { kind: 'list', rows: scorer.rows };
  return scorer === null ? null : { kind: 'cursor', scorer };
}

/** The rows of a query in a request, as far as they are known, by view. */
class RowSets {
  readonly #query: RequestedQuery;
  readonly #cache: QueryCache;
  readonly #views: readonly SegmentView[];
  /** undefined: the view does not have the table. */
  readonly #tables: readonly (Table | undefined)[];
  readonly #known: (CachedRows | undefined)[];

  constructor(query: RequestedQuery, { cache, views, path }: Scope) {
    this.#query = query;
    this.#cache = cache;
    this.#views = views;
    this.#tables = views.map((view) => tableOf(view, path));
    this.#known = this.#tables.map((table, view) =>
      table === undefined ? null : this.#find(views[view]!.segment, table),
    );
  }

  get areKnown(): boolean {
    return !this.#known.includes(undefined);
  }

  /** @param rowsOf computes what is not known; null if all is */
  rows(view: number, rowsOf: RowsOf | null): ReturnType<RowsOf> {
    const known = this.#known[view];
    const table = this.#tables[view];
    if (known !== undefined || table === undefined || rowsOf === null) return done(known ?? null);
    return this.#rowsToKeep(view, table, rowsOf);
  }

  *#rowsToKeep(view: number, table: Table, rowsOf: RowsOf): ReturnType<RowsOf> {
    // path: rows computed
    const { uses, found } = this.#query;
    const matching = yield* rowsOf(view);
    if (matching?.kind === 'cursor' && uses <= (matching.usesMin ?? 1)) {
      // path: cursor not kept
      return matching;
    }
    const reusable = yield* reusableRows(matching, table);
    if (uses > 1) {
      const entry = { value: reusable, bytes: bytesOf(reusable) };
      // path: rows kept
      this.#cache.add(ROWS, [this.#views[view]!.segment], this.#keyOf(table), entry);
    }
    found.set(table, reusable);
    this.#known[view] = reusable;
    return reusable;
  }

  /** As Weight.count. */
  count(view: number): number {
    return countOf(this.#known[view], this.#tables[view]);
  }

  #find(segment: Segment, table: Table): CachedRows | undefined {
    const { uses, found } = this.#query;
    const rows = found.get(table);
    if (rows !== undefined || uses === 1) return rows;
    return this.#cache.get(ROWS, segment, this.#keyOf(table));
  }

  #keyOf(table: Table): string {
    return `${this.#cache.numberOf(table)} ${this.#query.text}`;
  }
}

/** Counts a request with the query. null: too long to be cached. */
function requestedQuery(query: object, cache: QueryCache): RequestedQuery | null {
  const text = JSON.stringify(query);
  if (text.length > KEY_MAX) return null;
  const create = () => ({ text, uses: cache.countUse(REQUESTED, text), found: new Map() });
  return cache.ofRequest(REQUESTED, text, create);
}

/** Rows that can be iterated more than once. */
function* reusableRows(rows: Rows, { rowCount }: Table): Generator<void, CachedRows> {
  if (rows === null || rows.kind === 'all' || rows.kind === 'list') return rows;
  if (rows.kind === 'set') return { ...rows, count: rows.count ?? countBits(rows.bits, null) };
  // path: cursor gathered
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
