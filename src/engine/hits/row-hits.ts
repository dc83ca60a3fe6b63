// Matches in row order, which is id order: of queries that do not score, or that score all matches of a segment alike.
import { isLive } from '../index/live-docs.ts';
import { NO_MORE_DOCS, type SegmentView } from '../index/segment.ts';
import { type Scorer, STEPS_PER_YIELD } from '../matching/scorer.ts';
import { countMatches } from './collector.ts';
import { type HitPlace, PlacedHits, STILL_LOOKING } from './segment-hits.ts';

export class RowHits extends PlacedHits {
  readonly #scorer: Scorer;
  readonly #segmentView: SegmentView;
  readonly #knownCount: number;
  #found = 0;

  /**
   * @param place by score alone where the order has a key
   * @param knownCount how many live rows match; -1 where that is not known
   */
  constructor(place: HitPlace, scorer: Scorer, segmentView: SegmentView, knownCount: number) {
    super(place);
    this.#scorer = scorer;
    this.#segmentView = segmentView;
    this.#knownCount = knownCount;
    this.places.fill(-scorer.maxScore);
  }

  next(): number {
    const scorer = this.#scorer;
    for (let step = 0; step < STEPS_PER_YIELD; step++) {
      const row = scorer.nextDoc();
      this.row = row;
      if (row === NO_MORE_DOCS) return row;
      if (!isLive(this.#segmentView, row) || !scorer.matches()) continue;
      this.#found += 1;
      return row;
    }
    return STILL_LOOKING;
  }

  *count(): Generator<void, number> {
    if (this.#knownCount >= 0) return this.#knownCount;
    return this.#found + (yield* countMatches(this.#scorer, this.#segmentView));
  }
}
