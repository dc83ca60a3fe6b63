// The best matches of a table of a segment, documents or elements, after all have been collected: taken best first
// from a heap.
import { NO_MORE_DOCS, type Table } from '../sections/segment.ts';
import { type HitSource, SegmentHitsBase } from './segment-hits.ts';
import type { TopRows } from './top-rows.ts';

export class RankedHits extends SegmentHitsBase {
  readonly #top: TopRows;
  readonly #table: Table;
  readonly #count: () => Generator<void, number>;
  #remaining: number;

  /** @param count counts all live matches */
  constructor(place: HitSource, table: Table, top: TopRows, count: () => Generator<void, number>) {
    super(place);
    this.#table = table;
    this.#top = top;
    this.#count = count;
    this.#remaining = top.count;
    top.startTaking();
  }

  next(): number {
    if (this.#remaining === 0) {
      this.row = NO_MORE_DOCS;
      return this.row;
    }
    this.#remaining -= 1;
    const entry = this.#top.take();
    for (let key = 0; key < this.places.length; key++) {
      this.places[key] = this.#top.place(entry, key);
    }
    this.moveTo(this.#top.row(entry), this.#table);
    return this.row;
  }

  count(): Generator<void, number> {
    return this.#count();
  }
}
