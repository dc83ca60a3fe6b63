// The best matches of a segment after all have been collected, taken best first from a heap.
import { done } from '../../query/steps.ts';
import { NO_MORE_DOCS } from '../sections/segment.ts';
import { type HitSource, SegmentHitsBase } from './segment-hits.ts';
import type { TopRows } from './top-rows.ts';

export class RankedHits extends SegmentHitsBase {
  readonly #top: TopRows;
  readonly #count: number;
  #remaining: number;

  /** @param count number of all live matches */
  constructor(place: HitSource, top: TopRows, count: number) {
    super(place);
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
    this.row = this.#top.row(entry);
    return this.row;
  }

  count(): Generator<void, number> {
    return done(this.#count);
  }
}
