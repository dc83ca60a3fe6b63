// Collects one aggregation over one segment. A collector is told rows and the bucket of its parent each is in; it
// numbers its own buckets over all of those and hands rows on to the aggregations inside.
// Invariant: the rows of one bucket come in ascending order.

import { ServiceError } from '../../errors.ts';
import type { Aggregation } from '../../query/aggregation.ts';
import type { IndexName, Query } from '../../query/plan.ts';
import { NO_MORE_DOCS, type SegmentView, type Table } from '../index/segment.ts';
import { hasBit, newBitSet, setBit } from '../search/bit-set.ts';
import { createWeight } from '../search/create-weight.ts';
import { tableOf } from '../search/field-terms.ts';
import { STEPS_PER_YIELD } from '../search/scorer.ts';
import type { Weight } from '../search/weight.ts';
import type { Intermediate, Key } from './intermediate.ts';

export interface Collector {
  /** @param bucket of the parent; 0 at the top */
  collect(row: number, bucket: number): void;
  /** What a bucket of the parent came to; undefined where no row was collected and nothing is to be told. */
  result(bucket: number): Generator<void, Intermediate | undefined>;
}

/** Makes the collector of an aggregation; handed to collectors that have some inside. */
export type CreateCollector = (
  aggregation: Aggregation,
  place: SegmentPlace,
) => Generator<void, Collector>;

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

/** Rows of a table that meet a query. */
export class RowSet {
  readonly #bits: Uint32Array;

  constructor(bits: Uint32Array) {
    this.#bits = bits;
  }

  has(row: number): boolean {
    return hasBit(this.#bits, row);
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
  addBucket(): void {
    this.#collected += 1;
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
  /** Whether scores are told; then rows must be handed on at once. */
  scoring = false;
  /** Rows looked at since the driver last yielded. */
  steps = 0;
  readonly request: RequestAggregation;
  readonly #weights = new Map<string, Weight>();

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

  /** The rows of a place that a query matches. */
  *matches(query: Query, { view, path, table }: SegmentPlace): Generator<void, RowSet> {
    const bits = newBitSet(table?.rowCount ?? 0);
    const rows = new RowSet(bits);
    if (table === undefined) return rows;
    const scorer = yield* (yield* this.#weight(query, path)).scorer(view);
    if (scorer === null) return rows;
    let steps = 0;
    for (let row = scorer.nextDoc(); row !== NO_MORE_DOCS; row = scorer.nextDoc()) {
      if (scorer.matches()) setBit(bits, row);
      steps += 1;
      if (steps % STEPS_PER_YIELD === 0) yield;
    }
    return rows;
  }

  *#weight(query: Query, path: string | null): Generator<void, Weight> {
    const key = `${path ?? ''} ${JSON.stringify(query)}`;
    let weight = this.#weights.get(key);
    if (weight === undefined) {
      weight = yield* createWeight(query, { views: this.views, path, scoring: false, boost: 1 });
      this.#weights.set(key, weight);
    }
    return weight;
  }
}

/** The collectors of the aggregations inside a bucket. */
export function* insideOf(
  aggregations: Readonly<Record<string, Aggregation>>,
  place: SegmentPlace,
  create: CreateCollector,
): Generator<void, Collector[]> {
  const inside: Collector[] = [];
  for (const aggregation of Object.values(aggregations))
    inside.push(yield* create(aggregation, place));
  return inside;
}

/** What the aggregations inside a bucket came to. */
export function* resultsOf(
  inside: readonly Collector[],
  bucket: number,
): Generator<void, (Intermediate | undefined)[]> {
  if (inside.length === 0) return [];
  const results: (Intermediate | undefined)[] = [];
  for (const collector of inside) results.push(yield* collector.result(bucket));
  return results;
}
