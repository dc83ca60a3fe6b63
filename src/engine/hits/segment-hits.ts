// The live matches of one segment in sort order. They are computed lazily, so that a page costs in
// proportion to its size, not to the number of matches.
import type { IndexName } from '../../query/query.ts';
import type { Segment, Table } from '../sections/segment.ts';
import type { SortColumn } from './sort-column.ts';

/** Returned by `next` when it found no hit within its budget of steps: call it again. */
export const PENDING = -1;

export interface SegmentHits {
  /** Index of the target in the request. */
  readonly target: number;
  readonly index: IndexName;
  /** Index of the segment in the index's views. */
  readonly view: number;
  readonly segment: Segment;
  /** By sort key. */
  readonly columns: readonly SortColumn[];
  /** The current row. */
  readonly row: number;
  /** The position of the element of that row that is the hit; null: the document is. */
  readonly element: number | null;
  /** The sort place of that row for a key. */
  placeAt(key: number): number;
  /** Moves to the next row; NO_MORE_DOCS after the last one. */
  next(): number;
  /** Number of all live matches. Must be called last: `next` is invalid afterwards. */
  count(): Generator<void, number>;
}

const NO_PLACES = new Float64Array(0);

/** The segment that hits come from, and its sort columns. */
export type HitSource = Pick<SegmentHits, 'target' | 'index' | 'view' | 'segment' | 'columns'>;

/** Base class of all segment hits. */
export abstract class SegmentHitsBase implements SegmentHits {
  readonly target: number;
  readonly index: IndexName;
  readonly view: number;
  readonly segment: Segment;
  readonly columns: readonly SortColumn[];
  /** The sort places of the current row, by sort key. */
  protected readonly places: Float64Array;
  row = PENDING;
  element: number | null = null;

  constructor({ target, index, view, segment, columns }: HitSource) {
    this.target = target;
    this.index = index;
    this.view = view;
    this.segment = segment;
    this.columns = columns;
    this.places = columns.length === 0 ? NO_PLACES : new Float64Array(columns.length);
  }

  placeAt(key: number): number {
    return this.places[key]!;
  }

  /** Makes a row of a table the current one: a document, or an element of one. */
  protected moveTo(row: number, { parent, firstRow }: Pick<Table, 'parent' | 'firstRow'>): void {
    this.row = parent === null ? row : parent[row]!;
    this.element = parent === null ? null : row - firstRow![this.row]!;
  }

  abstract next(): number;
  abstract count(): Generator<void, number>;
}

/** The places of a row, each read when it is first asked for: few rows tie on the first key. */
export class LazyPlaces {
  readonly #columns: readonly SortColumn[];
  readonly #places: Float64Array;
  #row = 0;
  #read = 0;

  constructor(columns: readonly SortColumn[], places: Float64Array) {
    this.#columns = columns;
    this.#places = places;
  }

  moveTo(row: number): void {
    this.#row = row;
    this.#read = 0;
  }

  at(key: number): number {
    for (; this.#read <= key; this.#read++) {
      this.#places[this.#read] = this.#columns[this.#read]!.place(this.#row, 0);
    }
    return this.#places[key]!;
  }
}
