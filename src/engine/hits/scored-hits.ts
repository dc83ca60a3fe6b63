// The best matches of a segment by score alone, best first, once all segments have been looked at.
import { NO_MORE_DOCS } from '../index/segment.ts';
import type { Pruning, ScoreCollector } from './score-collector.ts';
import { type HitPlace, PlacedHits, STILL_LOOKING } from './segment-hits.ts';

export class ScoredHits extends PlacedHits {
  readonly #collector: ScoreCollector;
  readonly #pruning: Pruning;
  readonly #count: number;
  #isTaking = false;

  /**
   * @param pruning what is known when the first hit is asked for
   * @param count of all live matches; of no meaning where nobody will ask
   */
  constructor(place: HitPlace, collector: ScoreCollector, pruning: Pruning, count: number) {
    super(place);
    this.#collector = collector;
    this.#pruning = pruning;
    this.#count = count;
  }

  next(): number {
    const { best } = this.#collector;
    if (!this.#isTaking) this.#startTaking();
    if (best.count === 0) {
      this.row = this.#collector.lookForTies() ? STILL_LOOKING : NO_MORE_DOCS;
      this.#startTaking();
      if (best.count === 0) return this.row;
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

  #startTaking(): void {
    const { best } = this.#collector;
    best.keep(this.#pruning.leastScore, this.#pruning.size);
    best.startTaking();
    this.#isTaking = true;
  }
}
