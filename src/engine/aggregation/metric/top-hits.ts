// `top_hits`: the best rows of each bucket. Only their positions are collected; sources are read
// for the final hits.

import type { HitSortKey, MetricAggregation } from '../../../query/aggregation.ts';
import type { SortKey } from '../../../query/query.ts';
import { oneStep } from '../../../query/steps.ts';
import { cellsOf } from '../../fields/document-cells.ts';
import type { Table } from '../../sections/segment.ts';
import type { IndexAggregation, SegmentContext } from '../collecting/collector.ts';
import type { HitCandidate, Intermediate } from '../collecting/intermediate.ts';
import { compareKeys } from '../keys/key-order.ts';
import { MetricCollector } from './metric-collector.ts';

type TopHits = Extract<MetricAggregation, { readonly kind: 'topHits' }>;
type SortValue = string | number | null;
type ReadValue = (row: number) => SortValue;

/** Returns the id of a hit's document. */
export type IdOf = (hit: HitCandidate) => string;

/** Compares by the sort keys, missing values last, then by index, id and offset in the array. */
export function hitOrder(
  sort: readonly SortKey[],
  idOf: IdOf,
): (a: HitCandidate, b: HitCandidate) => number {
  return (a, b) => {
    if (sort.length === 0 && a.score !== b.score) return b.score - a.score;
    for (const [at, { order, type }] of sort.entries()) {
      if (type === 'doc') {
        const compared = comparePositions(a, b, idOf);
        if (compared !== 0) return order === 'asc' ? compared : -compared;
      }
      const left = a.sort[at] ?? null;
      const right = b.sort[at] ?? null;
      if (left === right) continue;
      if (left === null) return 1;
      if (right === null) return -1;
      return order === 'asc' ? compareKeys(left, right) : compareKeys(right, left);
    }
    return comparePositions(a, b, idOf);
  };
}

function comparePositions(a: HitCandidate, b: HitCandidate, idOf: IdOf): number {
  if (a.target !== b.target) return a.target - b.target;
  if (a.view !== b.view) return compareKeys(idOf(a), idOf(b));
  return a.row - b.row || (a.element?.offset ?? 0) - (b.element?.offset ?? 0);
}

interface BucketHits {
  total: number;
  maxScore: number;
  /** The view of the last candidate, the number of candidates from it, and their lowest score. */
  view: number;
  inView: number;
  leastScore: number;
  candidates: HitCandidate[];
}

export class TopHitsCollector extends MetricCollector {
  readonly #sort: readonly HitSortKey[];
  readonly #hitsMax: number;
  readonly #compare: (a: HitCandidate, b: HitCandidate) => number;
  readonly #buckets: BucketHits[] = [];
  #context: SegmentContext | null = null;
  #values: readonly ReadValue[] = [];

  constructor({ from, size, sort }: TopHits, { views }: IndexAggregation) {
    super();
    this.#sort = sort;
    this.#hitsMax = from + size;
    this.#compare = hitOrder(sort, ({ view, row }) => views[view]!.segment.ids.term(row));
  }

  override collect(rows: Int32Array, buckets: Int32Array | null, count: number): void {
    const context = this.#context;
    if (context === null) return;
    for (let i = 0; i < count; i++)
      this.#add(context, rows[i]!, buckets === null ? 0 : buckets[i]!);
  }

  protected override *bind(context: SegmentContext): Generator<void> {
    this.#context = context;
    this.#values = this.#sort.map((key) => valueReader(key, context));
  }

  #add({ index, view, path, table }: SegmentContext, row: number, bucket: number): void {
    this.#buckets[bucket] ??= {
      total: 0,
      maxScore: Number.NEGATIVE_INFINITY,
      view: -1,
      inView: 0,
      leastScore: Number.POSITIVE_INFINITY,
      candidates: [],
    };
    const bucketHits = this.#buckets[bucket];
    bucketHits.total += 1;
    bucketHits.maxScore = Math.max(bucketHits.maxScore, index.score);
    if (this.#hitsMax === 0) return;
    if (bucketHits.view !== view) {
      bucketHits.view = view;
      bucketHits.inView = 0;
      bucketHits.leastScore = Number.POSITIVE_INFINITY;
    }
    // Rows of a segment come in order, so among equal scores the first rows win.
    if (this.#sort.length === 0 && bucketHits.inView >= this.#hitsMax) {
      if (bucketHits.leastScore >= index.score) return;
    }
    bucketHits.inView += 1;
    bucketHits.leastScore = Math.min(bucketHits.leastScore, index.score);
    const document = table?.parent == null ? row : table.parent[row]!;
    const element =
      path === null ? null : { path, offset: row - (table?.firstRow?.[document] ?? 0) };
    const sort = this.#values.map((read) => read(row));
    bucketHits.candidates.push({
      target: index.target,
      view,
      row: document,
      element,
      score: index.score,
      sort,
    });
    if (bucketHits.candidates.length <= this.#hitsMax * 2 + 16) return;
    bucketHits.candidates.sort(this.#compare);
    bucketHits.candidates.length = this.#hitsMax;
  }

  override result(bucket: number): Generator<void, Intermediate | undefined> {
    return oneStep(() => {
      const bucketHits = this.#buckets[bucket];
      if (bucketHits === undefined) return undefined;
      const { total, maxScore, candidates } = bucketHits;
      return { kind: 'hits', total, maxScore, candidates };
    });
  }
}

/** Reads the smallest value of a row if ascending, the largest if descending. */
function valueReader(key: HitSortKey, { index, view, table }: SegmentContext): ReadValue {
  const largest = key.order === 'desc';
  if (key.type === 'score') return () => index.score;
  if (key.type === 'doc') return () => null;
  if (key.nestedPath !== undefined) {
    return flattenedReader(key, index.contextOf(view, key.nestedPath).table);
  }
  if (key.type === 'string') {
    const values = table?.values(key.field);
    if (values === undefined) return () => null;
    const { ords, ordStart, exact } = values;
    return (row) => {
      const ord = entryOf(ords, ordStart, row, largest) ?? -1;
      return ord < 0 ? null : exact.term(ord);
    };
  }
  const numbers = table?.numbers(key.field, 'value');
  if (numbers === undefined) return () => null;
  const { values, start } = numbers;
  return (row) => {
    const value = entryOf(values, start, row, largest) ?? Number.NaN;
    return Number.isNaN(value) ? null : value;
  };
}

/** Reads the smallest or largest value over all elements of a document. */
function flattenedReader(
  { field, type, order }: HitSortKey,
  elements: Table | undefined,
): ReadValue {
  const strings = type === 'string' ? elements?.values(field) : undefined;
  if (elements !== undefined && strings !== undefined) {
    const { ords, ordStart, exact } = strings;
    const read = bestEntry(elements, ords, ordStart, order);
    return (row) => {
      const ord = read(row);
      return ord === null ? null : exact.term(ord);
    };
  }
  const numbers = type === 'number' ? elements?.numbers(field, 'value') : undefined;
  if (elements === undefined || numbers === undefined) return () => null;
  return bestEntry(elements, numbers.values, numbers.start, order);
}

/**
 * Returns the smallest or largest entry of a document in a column of its elements; an ordinal of -1
 * and NaN are no entries.
 */
function bestEntry(
  elements: Table,
  entries: Int32Array | Float64Array,
  start: Uint32Array | null,
  order: 'asc' | 'desc',
): (row: number) => number | null {
  const cells = cellsOf(elements, start);
  const isOrdinal = entries instanceof Int32Array;
  return (row) => {
    let best: number | null = null;
    if (cells === null) return best;
    for (let at = cells.first(row), to = cells.end(row); at < to; at++) {
      const entry = entries[at]!;
      if (isOrdinal ? entry < 0 : Number.isNaN(entry)) continue;
      if (best === null || (order === 'asc' ? entry < best : entry > best)) best = entry;
    }
    return best;
  };
}

function entryOf(
  entries: Int32Array | Float64Array,
  start: Uint32Array | null,
  row: number,
  takesLast: boolean,
): number | undefined {
  if (start === null) return entries[row];
  const from = start[row]!;
  const to = start[row + 1]!;
  if (from === to) return undefined;
  return entries[takesLast ? to - 1 : from];
}
