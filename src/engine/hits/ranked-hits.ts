// The best matches of a segment after all of them have been looked at: entries of a heap, taken best first.
import { NO_MORE_DOCS } from '../index/segment.ts';
import { type HitPlace, PlacedHits } from './segment-hits.ts';
import type { TopRows } from './top-rows.ts';

export class RankedHits extends PlacedHits {
  readonly #top: TopRows;
  readonly #count: number;
  #left: number;

  /** @param count of all live matches */
  constructor(place: HitPlace, top: TopRows, count: number) {
    super(place);
    this.#top = top;
    this.#count = count;
    this.#left = top.count;
    top.startTaking();
  }

  next(): number {
    if (this.#left === 0) {
      this.row = NO_MORE_DOCS;
      return this.row;
    }
    this.#left -= 1;
    const entry = this.#top.take();
    for (let key = 0; key < this.places.length; key++) {
      this.places[key] = this.#top.place(entry, key);
    }
    this.row = this.#top.row(entry);
    return this.row;
  }

  // biome-ignore lint/correctness/useYield: it is known
  *count(): Generator<void, number> {
    return this.#count;
  }
}
