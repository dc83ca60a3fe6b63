// What one scorer matches, with the score of another added where that one matches too.
import { joinAtMarks } from '../scoring/disjunction-window.ts';
import { fillApart, fillWindow, walkWindow } from '../scoring/fill-window.ts';
import type { ScoreWindow } from '../scoring/score-window.ts';
import { type Scorer, standsOn } from './scorer.ts';

export class OptionalScorer implements Scorer {
  readonly cost: number;
  readonly maxScore: number;
  readonly #required: Scorer;
  readonly #optional: Scorer;
  /** The row at which the optional clause was last asked, and whether it matched there. */
  #askedAt = -1;
  #optionalMatches = false;
  #minScore = -1;

  constructor(required: Scorer, optional: Scorer) {
    this.#required = required;
    this.#optional = optional;
    this.cost = required.cost;
    this.maxScore = Math.fround(required.maxScore + optional.maxScore);
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
    return this.#required.matches();
  }

  score(): number {
    const row = this.#required.docId();
    if (this.#askedAt !== row) {
      this.#askedAt = row;
      this.#optionalMatches = standsOn(this.#optional, row) && this.#optional.matches();
    }
    const score = this.#required.score();
    return this.#optionalMatches ? Math.fround(score + this.#optional.score()) : score;
  }

  setMinScore(score: number): void {
    this.#minScore = score;
    const missing = score - this.#optional.maxScore;
    if (missing > 0) this.#required.setMinScore?.(missing);
  }

  fill(window: ScoreWindow): void {
    if (this.#required.fill === undefined) walkWindow(this, window);
    else fillApart(window, 'sum', (own) => this.#fill(own));
  }

  #fill(window: ScoreWindow): void {
    fillWindow(this.#required, window);
    const rows = window.keepAbove(this.#minScore, this.#optional.maxScore);
    if (rows > 0) joinAtMarks(this.#optional, window, { rows, counts: 'score', keep: 'all' });
  }
}
