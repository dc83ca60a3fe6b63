// Exclusion: the matches of one scorer that another scorer does not match.
import {
  advanceToMarks,
  fillByCandidates,
  fillSeparately,
  fillWindow,
} from '../scoring/fill-window.ts';
import type { ScoreWindow } from '../scoring/score-window.ts';
import { advanceExact, DerivedScorer, type Scorer } from '../scoring/scorer.ts';

export class ExclusionScorer extends DerivedScorer {
  readonly maxScore: number;
  readonly isConstant: boolean;
  readonly #excluded: Scorer;

  constructor(required: Scorer, excluded: Scorer) {
    super(required);
    this.#excluded = excluded;
    this.maxScore = required.maxScore;
    this.isConstant = required.isConstant === true;
  }

  /** What is excluded from what, for callers that need all matches of a scorer not moved yet. */
  get parts(): { readonly required: Scorer; readonly excluded: Scorer } {
    return { required: this.inner, excluded: this.#excluded };
  }

  override matches(): boolean {
    // path: row by row
    const isCandidate = advanceExact(this.#excluded, this.inner.docId());
    return this.inner.matches() && !(isCandidate && this.#excluded.matches());
  }

  score(): number {
    return this.inner.score();
  }

  setMinScore(score: number): void {
    this.inner.setMinScore?.(score);
  }

  fill(window: ScoreWindow): void {
    if (this.inner.fill === undefined) {
      fillByCandidates(this, window);
      return;
    }
    fillSeparately(window, 'sum', (own) => {
      fillWindow(this.inner, own);
      // path: in windows
      advanceToMarks(own, this.#excluded, 'nothing', 'others');
    });
  }
}
