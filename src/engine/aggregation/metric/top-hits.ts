// `top_hits`: the best rows of each bucket. Only where they stand is collected; sources are read for those that win.
import type { HitSortKey, MetricAggregation } from '../../../query/aggregation/aggregation.ts';
import type { SortKey } from '../../../query/query.ts';
import { cellsOf } from '../../fields/document-cells.ts';
import type { Table } from '../../index/segment.ts';
import type { IndexAggregation, SegmentPlace } from '../collector.ts';
import type { HitCandidate, Intermediate } from '../intermediate.ts';
import { compareKeys } from '../keys/key-order.ts';
import { MetricCollector } from './metric-collector.ts';

type TopHits = Extract<MetricAggregation, { readonly kind: 'topHits' }>;
type SortValue = string | number | null;
type ReadValue = (row: number) => SortValue;

/** The id of a hit's document. */
export type IdOf = (hit: HitCandidate) => string;

/** By the sort keys, missing values last; then by index, id and place in the array. */
export function hitOrder(
  sort: readonly SortKey[],
  idOf: IdOf,
): (a: HitCandidate, b: HitCandidate) => number {
  return (a, b) => {
    if (sort.length === 0 && a.score !== b.score) return b.score - a.score;
    for (const [at, { order, type }] of sort.entries()) {
      if (type === 'doc') {
        const placed = comparePlaces(a, b, idOf);
        if (placed !== 0) return order === 'asc' ? placed : -placed;
      }
      const left = a.sort[at] ?? null;
      const right = b.sort[at] ?? null;
      if (left === right) continue;
      if (left === null) return 1;
      if (right === null) return -1;
      return order === 'asc' ? compareKeys(left, right) : compareKeys(right, left);
    }
    return comparePlaces(a, b, idOf);
  };
}

function comparePlaces(a: HitCandidate, b: HitCandidate, idOf: IdOf): number {
  if (a.target !== b.target) return a.target - b.target;
  if (a.view !== b.view) return compareKeys(idOf(a), idOf(b));
  return a.row - b.row || (a.element?.offset ?? 0) - (b.element?.offset ?? 0);
}

interface Found {
  total: number;
  maxScore: number;
  /** The view that the last candidate was in, how many came from there, and what they score at least. */
  view: number;
  inView: number;
  leastScore: number;
  candidates: HitCandidate[];
}

export class TopHitsCollector extends MetricCollector {
  readonly #sort: readonly HitSortKey[];
  readonly #wanted: number;
  readonly #compare: (a: HitCandidate, b: HitCandidate) => number;
  readonly #found: Found[] = [];
  #place: SegmentPlace | null = null;
  #values: readonly ReadValue[] = [];

  constructor({ from, size, sort }: TopHits, { views }: IndexAggregation) {
    super();
    this.#sort = sort;
    this.#wanted = from + size;
    this.#compare = hitOrder(sort, ({ view, row }) => views[view]!.segment.ids.term(row));
  }

  override collect(rows: Int32Array, buckets: Int32Array | null, count: number): void {
    const place = this.#place;
    if (place === null) return;
    for (let i = 0; i < count; i++) this.#add(place, rows[i]!, buckets === null ? 0 : buckets[i]!);
  }

  protected override *bind(place: SegmentPlace): Generator<void> {
    this.#place = place;
    this.#values = this.#sort.map((key) => valueReader(key, place));
  }

  #add({ index, view, path, table }: SegmentPlace, row: number, bucket: number): void {
    this.#found[bucket] ??= {
      total: 0,
      maxScore: Number.NEGATIVE_INFINITY,
      view: -1,
      inView: 0,
      leastScore: Number.POSITIVE_INFINITY,
      candidates: [],
    };
    const found = this.#found[bucket];
    found.total += 1;
    found.maxScore = Math.max(found.maxScore, index.score);
    if (this.#wanted === 0) return;
    if (found.view !== view) {
      found.view = view;
      found.inView = 0;
      found.leastScore = Number.POSITIVE_INFINITY;
    }
    // Rows of a segment come in order: where all score the same the first ones stay.
    if (this.#sort.length === 0 && found.inView >= this.#wanted) {
      if (found.leastScore >= index.score) return;
    }
    found.inView += 1;
    found.leastScore = Math.min(found.leastScore, index.score);
    const document = table?.parent == null ? row : table.parent[row]!;
    const element =
      path === null ? null : { path, offset: row - (table?.firstRow?.[document] ?? 0) };
    const sort = this.#values.map((read) => read(row));
    found.candidates.push({
      target: index.target,
      view,
      row: document,
      element,
      score: index.score,
      sort,
    });
    if (found.candidates.length <= this.#wanted * 2 + 16) return;
    found.candidates.sort(this.#compare);
    found.candidates.length = this.#wanted;
  }

  // biome-ignore lint/correctness/useYield: nothing here takes long
  override *result(bucket: number): Generator<void, Intermediate | undefined> {
    const found = this.#found[bucket];
    if (found === undefined) return undefined;
    const { total, maxScore, candidates } = found;
    return { kind: 'hits', total, maxScore, candidates };
  }
}

/** The smallest value of a row when ascending, the largest when descending. */
function valueReader(key: HitSortKey, { index, view, table }: SegmentPlace): ReadValue {
  const largest = key.order === 'desc';
  if (key.type === 'score') return () => index.score;
  if (key.type === 'doc') return () => null;
  if (key.nestedPath !== undefined) {
    return flattenedReader(key, index.place(view, key.nestedPath).table);
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

/** The smallest or largest value over all elements of a document. */
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

/** The smallest or largest entry of a document in a column of its elements; an ordinal of -1 and NaN are none. */
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
  last: boolean,
): number | undefined {
  if (start === null) return entries[row];
  const from = start[row]!;
  const to = start[row + 1]!;
  if (from === to) return undefined;
  return entries[last ? to - 1 : from];
}
