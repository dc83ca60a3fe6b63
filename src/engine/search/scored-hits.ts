// The best matches of a segment by score alone, best first, once all segments have been looked at.
import { NO_MORE_DOCS } from '../index/segment.ts';
import type { BestRows } from './best-rows.ts';
import type { Pruning } from './score-collector.ts';
import { type HitPlace, PlacedHits } from './segment-hits.ts';

export class ScoredHits extends PlacedHits {
  readonly #best: BestRows;
  readonly #pruning: Pruning;
  readonly #count: number;
  #isTaking = false;

  /**
   * @param pruning what is known when the first hit is asked for
   * @param count of all live matches; of no meaning where nobody will ask
   */
  constructor(place: HitPlace, best: BestRows, pruning: Pruning, count: number) {
    super(place);
    this.#best = best;
    this.#pruning = pruning;
    this.#count = count;
  }

  next(): number {
    const best = this.#best;
    if (!this.#isTaking) {
      best.keep(this.#pruning.leastScore, this.#pruning.size);
      best.startTaking();
      this.#isTaking = true;
    }
    if (best.count === 0) {
      this.row = NO_MORE_DOCS;
      return this.row;
    }
    const taken = best.take();
    this.places[0] = -best.score(taken);
    this.row = best.row(taken);
    return this.row;
  }

  // biome-ignore lint/correctness/useYield: it is known
  *count(): Generator<void, number> {
    return this.#count;
  }
}
