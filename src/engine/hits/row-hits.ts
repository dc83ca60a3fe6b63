// Matches in row order, which is id order, for queries that score all matches of a segment alike.

import { type Scorer, STEPS_PER_YIELD } from '../scoring/scorer.ts';
import { isLive } from '../sections/live-docs.ts';
import { NO_MORE_DOCS, type SegmentView } from '../sections/segment.ts';
import { countMatches } from './collector.ts';
import { type HitSource, PENDING, SegmentHitsBase } from './segment-hits.ts';

export class RowHits extends SegmentHitsBase {
  readonly #scorer: Scorer;
  readonly #segmentView: SegmentView;
  readonly #knownCount: number;
  #passed = 0;

  /**
   * @param place sorted by score alone, if by any key
   * @param knownCount number of live matches; -1 if unknown
   */
  constructor(place: HitSource, scorer: Scorer, segmentView: SegmentView, knownCount: number) {
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
      this.#passed += 1;
      return row;
    }
    return PENDING;
  }

  *count(): Generator<void, number> {
    if (this.#knownCount >= 0) return this.#knownCount;
    return this.#passed + (yield* countMatches(this.#scorer, this.#segmentView));
  }
}
