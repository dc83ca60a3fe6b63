// Collects one aggregation over one index, segment after segment. A collector is told rows and the bucket of its parent
// each is in; it numbers its own buckets over all segments and hands rows on to the aggregations inside.
// Invariant: the rows of one bucket come in ascending order, those of one segment together.

import { ServiceError } from '../../errors.ts';
import type { Aggregation } from '../../query/aggregation/aggregation.ts';
import type { IndexName, Query } from '../../query/query.ts';
import { NO_MORE_DOCS, type SegmentView, type Table } from '../index/segment.ts';
import { BitSetScorer } from '../matching/bit-set-scorer.ts';
import { createWeight } from '../matching/create-weight.ts';
import { isLocal } from '../matching/locality.ts';
import { AllScorer, type Scorer, STEPS_PER_YIELD } from '../matching/scorer.ts';
import type { Weight } from '../matching/weight.ts';
import { newBitSet, setBit } from '../rows/bit-set.ts';
import { rememberedAgain } from '../rows/row-set-cache.ts';
import { tableOf } from '../terms/field-terms.ts';
import type { Intermediate, Key } from './intermediate.ts';
import { BLOCK_ROWS, type RowSet, RowWalk } from './rows.ts';

export interface Collector {
  /** Binds it to the rows of a segment: such rows are collected next. May take long, so it yields. */
  enter(place: SegmentPlace): Generator<void>;
  /**
   * The first `count` rows of an array, ascending.
   * @param buckets of the parent; null: all are in bucket 0
   */
  collect(rows: Int32Array, buckets: Int32Array | null, count: number): void;
  /** All rows of a set, in bucket 0. At most once in a segment, and then no others. */
  collectSet(rows: RowSet): Generator<void>;
  /** To be called behind the last row of a segment. */
  leave(): Generator<void>;
  /** What a bucket of the parent came to over all segments; undefined where no row was collected and nothing is to be told. */
  result(bucket: number): Generator<void, Intermediate | undefined>;
}

/** Makes the collector of an aggregation; handed to collectors that have some inside. */
export type CreateCollector = (aggregation: Aggregation, index: IndexAggregation) => Collector;

/** Rows that are collected: those of one table of one segment. */
export interface SegmentPlace {
  readonly index: IndexAggregation;
  /** Number of the view. */
  readonly view: number;
  /** null for documents. */
  readonly path: string | null;
  /** undefined where the segment has no such rows. */
  readonly table: Table | undefined;
}

/** Hands a set of rows to a collector block by block. */
export function* collectInBlocks(
  collector: Collector,
  rows: RowSet,
  { index, table }: SegmentPlace,
): Generator<void> {
  const walk = new RowWalk(rows, table?.rowCount ?? 0);
  let count = walk.next(index.blockRows);
  while (count > 0) {
    collector.collect(walk.rows, null, count);
    if (index.didRows(count)) yield;
    count = walk.next(index.blockRows);
  }
}

/** Buckets that may be collected at a time, over all segments: far more than can be answered, for memory's sake. */
const COLLECTED_MAX = 4_000_000;

/** Buckets looked at before the event loop may have its turn. */
const BUCKETS_PER_YIELD = 512;

/** What the indices of a request share. */
export class RequestAggregation {
  /** How many there are. */
  readonly indices: number;
  readonly #keys = new Map<Aggregation, Set<Key>>();
  #collected = 0;
  #steps = 0;

  constructor(indices: number) {
    this.indices = indices;
  }

  /** @throws ServiceError `limit_exceeded` before memory runs out */
  addBuckets(count: number): void {
    this.#collected += count;
    if (this.#collected <= COLLECTED_MAX) return;
    const cause = `The aggregations sort documents into more than ${COLLECTED_MAX} buckets: narrow the query or use fewer levels`;
    throw new ServiceError('limit_exceeded', cause, { causes: [cause] });
  }

  /** Whether enough was done since the last time that the event loop may have its turn. */
  tick(): boolean {
    this.#steps += 1;
    if (this.#steps < BUCKETS_PER_YIELD) return false;
    this.#steps = 0;
    return true;
  }

  /** Keys that get a bucket even where no row has them. */
  addKeys(aggregation: Aggregation, keys: Iterable<Key>): void {
    const known = this.#keys.get(aggregation) ?? new Set();
    for (const key of keys) known.add(key);
    this.#keys.set(aggregation, known);
  }

  keysOf(aggregation: Aggregation): Iterable<Key> {
    return this.#keys.get(aggregation) ?? [];
  }
}

/** One index that is aggregated over. */
export class IndexAggregation {
  readonly index: IndexName;
  /** Which of the request's indices. */
  readonly target: number;
  readonly views: readonly SegmentView[];
  /** Score of the document whose rows are being collected. */
  score = 1;
  /** Whether scores are told; then rows come one at a time. */
  scoring = false;
  /** How many documents the query may match, about. */
  expectedDocuments = 0;
  /** Rows in the next block. */
  blockRows = BLOCK_ROWS_FIRST;
  readonly request: RequestAggregation;
  readonly #weights = new Map<string, Weight>();
  #steps = 0;
  #extraSteps = 0;

  constructor(
    index: IndexName,
    target: number,
    views: readonly SegmentView[],
    request: RequestAggregation,
  ) {
    this.index = index;
    this.target = target;
    this.views = views;
    this.request = request;
  }

  place(view: number, path: string | null): SegmentPlace {
    return { index: this, view, path, table: tableOf(this.views[view]!, path) };
  }

  /** How many rows of a table may be collected, about: elements in the ratio of their documents. */
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

  /** Says that a collector has looked at more rows than it was given. */
  addSteps(count: number): void {
    this.#extraSteps += count;
  }

  /**
   * Says that a block was collected; whether the event loop may have its turn. Blocks become shorter where their rows have
   * very many elements.
   */
  didRows(count: number): boolean {
    const steps = count + this.#extraSteps;
    this.#extraSteps = 0;
    this.#steps += steps;
    if (steps > STEPS_PER_YIELD * 2) this.blockRows = Math.max(1, this.blockRows >>> 1);
    else if (steps < STEPS_PER_YIELD) this.blockRows = Math.min(BLOCK_ROWS, this.blockRows * 2);
    if (this.#steps < STEPS_PER_YIELD) return false;
    this.#steps = 0;
    return true;
  }

  /** The rows of a place that a query matches, deleted ones included. */
  *matches(query: Query, { view, path, table }: SegmentPlace): Generator<void, RowSet> {
    const { rowCount } = table ?? { rowCount: 0 };
    if (rowCount === 0) return newBitSet(0);
    const weight = yield* this.#weight(query, path);
    const scorer = yield* weight.scorer(view);
    if (scorer === null) return newBitSet(rowCount);
    if (scorer instanceof AllScorer) return null;
    return scorer instanceof BitSetScorer ? scorer.bits : yield* setOf(scorer, rowCount);
  }

  *#weight(query: Query, path: string | null): Generator<void, Weight> {
    const key = `${path ?? ''} ${JSON.stringify(query)}`;
    const known = this.#weights.get(key);
    if (known !== undefined) return known;
    const scope = { views: this.views, path, scoring: false, boost: 1 };
    const make = () => createWeight(query, scope);
    const weight = yield* isLocal(query) ? rememberedAgain(query, scope, make) : make();
    this.#weights.set(key, weight);
    return weight;
  }
}

/** Rows of the first block: how many elements they have is not known then. */
const BLOCK_ROWS_FIRST = 128;

function* setOf(scorer: Scorer, rowCount: number): Generator<void, Uint32Array> {
  const bits = newBitSet(rowCount);
  while (scorer.docId() !== NO_MORE_DOCS) {
    addWindow(bits, scorer);
    yield;
  }
  return bits;
}

function addWindow(bits: Uint32Array, scorer: Scorer): void {
  for (let step = 0; step < STEPS_PER_YIELD; step++) {
    const row = scorer.nextDoc();
    if (row === NO_MORE_DOCS) return;
    if (scorer.matches()) setBit(bits, row);
  }
}
