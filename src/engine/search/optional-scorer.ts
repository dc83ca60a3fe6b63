// What one scorer matches, with the score of another added where that one matches too.
import { type Scorer, standsOn } from './scorer.ts';

export class OptionalScorer implements Scorer {
  readonly cost: number;
  readonly maxScore: number;
  readonly #required: Scorer;
  readonly #optional: Scorer;

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
    const perhaps = standsOn(this.#optional, this.#required.docId());
    const score = this.#required.score();
    if (!perhaps || !this.#optional.matches()) return score;
    return Math.fround(score + this.#optional.score());
  }
}
