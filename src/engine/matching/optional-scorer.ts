// The matches of one scorer; adds the score of another one where it matches too.
import { joinAtMarks } from '../scoring/disjunction-window.ts';
import { fillByCandidates, fillSeparately, fillWindow } from '../scoring/fill-window.ts';
import type { ScoreWindow } from '../scoring/score-window.ts';
import { advanceExact, DerivedScorer, type Scorer } from '../scoring/scorer.ts';

export class OptionalScorer extends DerivedScorer {
  readonly maxScore: number;
  readonly #optional: Scorer;
  /** The row where the optional clause was checked last, and whether it matched. */
  #checkedRow = -1;
  #optionalMatches = false;
  #minScore = -1;

  constructor(required: Scorer, optional: Scorer) {
    super(required);
    this.#optional = optional;
    this.maxScore = Math.fround(required.maxScore + optional.maxScore);
  }

  score(): number {
    const row = this.inner.docId();
    if (this.#checkedRow !== row) {
      // path: row by row
      this.#checkedRow = row;
      this.#optionalMatches = advanceExact(this.#optional, row) && this.#optional.matches();
    }
    const score = this.inner.score();
    return this.#optionalMatches ? Math.fround(score + this.#optional.score()) : score;
  }

  setMinScore(score: number): void {
    this.#minScore = score;
    const missing = score - this.#optional.maxScore;
    if (missing > 0) this.inner.setMinScore?.(missing);
  }

  fill(window: ScoreWindow): void {
    if (this.inner.fill === undefined) fillByCandidates(this, window);
    else fillSeparately(window, 'sum', (own) => this.#fill(own));
  }

  #fill(window: ScoreWindow): void {
    fillWindow(this.inner, window);
    const rows = window.keepAbove(this.#minScore, this.#optional.maxScore);
    if (rows > 0) {
      // path: in windows
      joinAtMarks(this.#optional, window, { rows, counts: 'score', keep: 'all' });
    }
  }
}
