// Exclusion: the matches of one scorer that another scorer does not match.
import {
  advanceToMarks,
  fillByCandidates,
  fillSeparately,
  fillWindow,
} from '../scoring/fill-window.ts';
import type { ScoreWindow } from '../scoring/score-window.ts';
import { advanceExact, type Scorer } from './scorer.ts';

export class ExclusionScorer implements Scorer {
  readonly cost: number;
  readonly maxScore: number;
  readonly isConstant: boolean;
  readonly #required: Scorer;
  readonly #excluded: Scorer;

  constructor(required: Scorer, excluded: Scorer) {
    this.#required = required;
    this.#excluded = excluded;
    this.cost = required.cost;
    this.maxScore = required.maxScore;
    this.isConstant = required.isConstant === true;
  }

  docId(): number {
    return this.#required.docId();
  }

  nextDoc(): number {
    return this.#required.nextDoc();
  }

  advance(target: number): number {
    return this.#required.advance(target);
  }

  matches(): boolean {
    const isCandidate = advanceExact(this.#excluded, this.#required.docId());
    return this.#required.matches() && !(isCandidate && this.#excluded.matches());
  }

  score(): number {
    return this.#required.score();
  }

  setMinScore(score: number): void {
    this.#required.setMinScore?.(score);
  }

  fill(window: ScoreWindow): void {
    if (this.#required.fill === undefined) {
      fillByCandidates(this, window);
      return;
    }
    fillSeparately(window, 'sum', (own) => {
      fillWindow(this.#required, own);
      advanceToMarks(own, this.#excluded, 'nothing', 'others');
    });
  }
}
