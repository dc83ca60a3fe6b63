// Collects one aggregation over one index, segment by segment. A collector gets rows and the bucket
// of its parent that each row is in. It numbers its own buckets over all segments and passes rows
// on to its sub-aggregations.
// Invariant: the rows of one bucket ascend, and those of one segment come together.

import { ServiceError } from '../../../errors.ts';
import type { Aggregation } from '../../../query/aggregation.ts';
import type { DateCache } from '../../../query/dates/date-cache.ts';
import type { IndexName, Query } from '../../../query/query.ts';
import { firstExpansion } from '../../../query/query-parts.ts';
import type { IndexSegments, QueryCache } from '../../index/query-cache.ts';
import { createWeight } from '../../matching/create-weight.ts';
import { gatherRows, knownRows } from '../../matching/known-rows.ts';
import { cachedScorers } from '../../matching/row-set-cache.ts';
import { newBitSet } from '../../rows/bit-set.ts';
import { STEPS_PER_YIELD } from '../../scoring/scorer.ts';
import type { Weight } from '../../scoring/weight.ts';
import type { SegmentView, Table } from '../../sections/segment.ts';
import { tableOf } from '../../terms/field-terms.ts';
import type { Intermediate, Key } from './intermediate.ts';
import { BLOCK_ROWS, type CountedSet, type RowSet, RowWalk } from './rows.ts';

export interface Collector {
  /** Starts a segment: the rows collected next are its rows. Can take long, so it yields. */
  enter(context: SegmentContext): Generator<void>;
  /**
   * Collects the first `count` rows of an array, ascending.
   * @param buckets of the parent; null: all are in bucket 0
   */
  collect(rows: Int32Array, buckets: Int32Array | null, count: number): void;
  /** Collects all rows of a set, in bucket 0. At most once per segment, and then no other rows. */
  collectSet(set: CountedSet): Generator<void>;
  /** Ends a segment. Called after its last row. */
  leave(): Generator<void>;
  /**
   * Returns the result of a parent bucket over all segments; undefined if it has no rows and needs
   * no result.
   */
  result(bucket: number): Generator<void, Intermediate | undefined>;
}

/** Creates the collector of an aggregation; passed to collectors that have sub-aggregations. */
export type CreateCollector = (aggregation: Aggregation, index: IndexAggregation) => Collector;

/** The rows being collected: those of one table of one segment. */
export interface SegmentContext {
  readonly index: IndexAggregation;
  /** The number of the view. */
  readonly view: number;
  /** The nested path; null for documents. */
  readonly path: string | null;
  /** undefined if the segment has no such rows. */
  readonly table: Table | undefined;
}

/** Passes a set of rows to a collector block by block. */
export function* collectInBlocks(
  collector: Collector,
  rows: RowSet,
  { index, table }: SegmentContext,
): Generator<void> {
  const walk = new RowWalk(rows, table?.rowCount ?? 0);
  let count = walk.next(index.blockRows);
  while (count > 0) {
    // path: set in blocks
    collector.collect(walk.rows, null, count);
    if (index.recordRows(count)) yield;
    count = walk.next(index.blockRows);
  }
}

/**
 * Maximum number of buckets collected at a time, over all segments. It limits memory and is far
 * above what a response may contain.
 */
const COLLECTED_MAX = 4_000_000;

/**
 * Maximum number of values of which a request keeps each for percentiles through views: 16 MB, and a
 * tenth of a second to sort them.
 */
const EXACT_VALUES_MAX = 1_000_000;

/** Buckets processed between two yields to the event loop. */
const BUCKETS_PER_YIELD = 512;

/** State that the indices of a request share. */
export class RequestAggregation {
  /** The number of indices. */
  readonly indices: number;
  readonly dates: DateCache;
  readonly #keys = new Map<Aggregation, Set<Key>>();
  #collected = 0;
  #exactValues = 0;
  #steps = 0;

  constructor(indices: number, dates: DateCache) {
    this.indices = indices;
    this.dates = dates;
  }

  /** @throws ServiceError `limit_exceeded` before memory runs out */
  addBuckets(count: number): void {
    this.#collected += count;
    if (this.#collected <= COLLECTED_MAX) return;
    const cause = `The aggregations create more than ${COLLECTED_MAX} buckets: narrow the query or use fewer levels`;
    throw new ServiceError('limit_exceeded', cause, { causes: [cause] });
  }

  /**
   * Counts a value that is kept for percentiles through a view.
   * @throws ServiceError `request_invalid` if there are too many
   */
  addExactValue(): void {
    this.#exactValues += 1;
    if (this.#exactValues <= EXACT_VALUES_MAX) return;
    const cause =
      'Percentiles of more than 1,000,000 values in all are not exact, and so not available through a view: narrow the query';
    throw new ServiceError('request_invalid', cause, { causes: [cause] });
  }

  /** Counts a step; true if it is time to yield to the event loop. */
  tick(): boolean {
    this.#steps += 1;
    if (this.#steps < BUCKETS_PER_YIELD) return false;
    this.#steps = 0;
    return true;
  }

  /** Adds keys that get a bucket even if no matching row has them. */
  addKeys(aggregation: Aggregation, keys: Iterable<Key>): void {
    const allKeys = this.#keys.get(aggregation) ?? new Set();
    for (const key of keys) allKeys.add(key);
    this.#keys.set(aggregation, allKeys);
  }

  keysOf(aggregation: Aggregation): Iterable<Key> {
    return this.#keys.get(aggregation) ?? [];
  }
}

/** The aggregation over one index. */
export class IndexAggregation {
  readonly index: IndexName;
  /** The number of the index within the request. */
  readonly target: number;
  readonly views: readonly SegmentView[];
  readonly cache: QueryCache;
  /** The score of the document whose rows are being collected. */
  score = 1;
  /** True if scores are needed; rows are then collected one at a time. */
  scoring = false;
  /** Approximate number of documents that the query matches. */
  expectedDocuments = 0;
  /** The number of rows in the next block. */
  blockRows = BLOCK_ROWS_FIRST;
  readonly request: RequestAggregation;
  readonly #weights = new Map<string, Weight>();
  #steps = 0;
  #extraSteps = 0;

  constructor(
    index: IndexName,
    target: number,
    { views, cache }: IndexSegments,
    request: RequestAggregation,
  ) {
    this.index = index;
    this.target = target;
    this.views = views;
    this.cache = cache;
    this.request = request;
  }

  contextOf(view: number, path: string | null): SegmentContext {
    return { index: this, view, path, table: tableOf(this.views[view]!, path) };
  }

  /**
   * Estimates how many rows of a table are collected: elements in proportion to their documents.
   */
  expectedRows(path: string | null): number {
    if (path === null) return this.expectedDocuments;
    let documents = 0;
    let elements = 0;
    for (const view of this.views) {
      documents += view.segment.docCount;
      elements += tableOf(view, path)?.rowCount ?? 0;
    }
    return documents === 0 ? 0 : (this.expectedDocuments * elements) / documents;
  }

  /** Counts rows that a collector processed in addition to those passed to it. */
  addSteps(count: number): void {
    this.#extraSteps += count;
  }

  /**
   * Counts a collected block; true if it is time to yield to the event loop. Blocks shrink while
   * their rows have very many elements.
   */
  recordRows(count: number): boolean {
    const steps = count + this.#extraSteps;
    this.#extraSteps = 0;
    this.#steps += steps;
    if (steps > STEPS_PER_YIELD * 2) this.blockRows = Math.max(1, this.blockRows >>> 1);
    else if (steps < STEPS_PER_YIELD) this.blockRows = Math.min(BLOCK_ROWS, this.blockRows * 2);
    if (this.#steps < STEPS_PER_YIELD) return false;
    this.#steps = 0;
    return true;
  }

  /** Returns the rows of a segment's table that a query matches, including deleted ones. */
  *matches(query: Query, { view, path, table }: SegmentContext): Generator<void, RowSet> {
    const { rowCount } = table ?? { rowCount: 0 };
    if (rowCount === 0) return newBitSet(0);
    const weight = yield* this.#weight(query, path);
    const scorer = yield* weight.scorer(view);
    if (scorer === null) return newBitSet(rowCount);
    const rows = yield* knownRows(scorer, rowCount);
    return rows === undefined
      ? /* path: filter gathered */ yield* gatherRows(scorer, rowCount)
      : rows;
  }

  *#weight(query: Query, path: string | null): Generator<void, Weight> {
    const key = `${path ?? ''} ${JSON.stringify(query)}`;
    const cachedWeight = this.#weights.get(key);
    if (cachedWeight !== undefined) return cachedWeight;
    const scope = { views: this.views, cache: this.cache, path, scoring: false, boost: 1 };
    const make = () => createWeight(query, scope);
    const weight = yield* firstExpansion(query) === null
      ? cachedScorers(query, scope, make)
      : make();
    this.#weights.set(key, weight);
    return weight;
  }
}

/**
 * Rows in the first block: one may have so many elements that it takes a turn alone. The next ones
 * double while that is not so.
 */
const BLOCK_ROWS_FIRST = 1;
