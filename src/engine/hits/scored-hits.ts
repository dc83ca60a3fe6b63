// The best matches of a segment by score alone, best first, after all segments have been collected.
import { done } from '../../query/steps.ts';
import { NO_MORE_DOCS } from '../sections/segment.ts';
import type { Pruning, ScoreCollector } from './score-collector.ts';
import { type HitSource, PENDING, SegmentHitsBase } from './segment-hits.ts';

export class ScoredHits extends SegmentHitsBase {
  readonly #collector: ScoreCollector;
  readonly #pruning: Pruning;
  readonly #count: number;
  #isTaking = false;

  /**
   * @param pruning complete when the first hit is taken
   * @param count number of all live matches; without meaning unless totals are tracked
   */
  constructor(place: HitSource, collector: ScoreCollector, pruning: Pruning, count: number) {
    super(place);
    this.#collector = collector;
    this.#pruning = pruning;
    this.#count = count;
  }

  next(): number {
    const { best } = this.#collector;
    if (!this.#isTaking) this.#startTaking();
    if (best.count === 0) {
      this.row = this.#collector.collectTies() ? PENDING : NO_MORE_DOCS;
      this.#startTaking();
      if (best.count === 0) return this.row;
    }
    const entry = best.take();
    this.places[0] = -best.score(entry);
    this.row = best.row(entry);
    return this.row;
  }

  count(): Generator<void, number> {
    return done(this.#count);
  }

  #startTaking(): void {
    const { best } = this.#collector;
    best.keep(this.#pruning.minCompetitiveScore, this.#pruning.size);
    best.startTaking();
    this.#isTaking = true;
  }
}
