// What one scorer matches and another does not.
import { advanceToMarks, fillApart, fillWindow, walkWindow } from '../scoring/fill-window.ts';
import type { ScoreWindow } from '../scoring/score-window.ts';
import { type Scorer, standsOn } from './scorer.ts';

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
    const perhaps = standsOn(this.#excluded, this.#required.docId());
    return this.#required.matches() && !(perhaps && this.#excluded.matches());
  }

  score(): number {
    return this.#required.score();
  }

  setMinScore(score: number): void {
    this.#required.setMinScore?.(score);
  }

  fill(window: ScoreWindow): void {
    if (this.#required.fill === undefined) {
      walkWindow(this, window);
      return;
    }
    fillApart(window, 'sum', (own) => {
      fillWindow(this.#required, own);
      advanceToMarks(own, this.#excluded, 'nothing', 'others');
    });
  }
}
