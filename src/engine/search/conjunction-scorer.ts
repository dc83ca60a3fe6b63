// All of several scorers: the cheapest leads, the others are asked to come to its row. A leap-frog that finds no
// common row for long offers its row anyway and then says that it does not match, so one step stays short.
import { NO_MORE_DOCS } from '../index/segment.ts';
import type { Scorer } from './scorer.ts';

/** Leaps in one step. */
const LEAPS_MAX = 64;

export class ConjunctionScorer implements Scorer {
  readonly cost: number;
  readonly maxScore: number;
  readonly isConstant: boolean;
  readonly #scorers: readonly Scorer[];
  readonly #lead: Scorer;
  readonly #scoring: readonly Scorer[];
  #row = -1;
  #aligned = false;

  /**
   * @param scorers two or more
   * @param scoring those of them whose scores are summed
   */
  constructor(scorers: readonly Scorer[], scoring: readonly Scorer[]) {
    this.#scorers = [...scorers].sort((a, b) => a.cost - b.cost);
    this.#lead = this.#scorers[0]!;
    this.#scoring = scoring;
    this.cost = this.#lead.cost;
    this.maxScore = Math.fround(scoring.reduce((sum, scorer) => sum + scorer.maxScore, 0));
    this.isConstant = scoring.every((scorer) => scorer.isConstant === true);
  }

  docId(): number {
    return this.#row;
  }

  nextDoc(): number {
    return this.#align(this.#lead.nextDoc());
  }

  advance(target: number): number {
    const row = this.#lead.docId();
    return this.#align(row < target ? this.#lead.advance(target) : row);
  }

  matches(): boolean {
    if (!this.#aligned) return false;
    for (const scorer of this.#scorers) if (!scorer.matches()) return false;
    return true;
  }

  /** Summed in double precision, as Lucene's ConjunctionScorer. */
  score(): number {
    let sum = 0;
    for (const scorer of this.#scoring) sum += scorer.score();
    return Math.fround(sum);
  }

  /** Filters add nothing, so the one clause that scores decides. */
  setMinScore(score: number): void {
    if (this.#scoring.length === 1) this.#scoring[0]!.setMinScore?.(score);
  }

  #align(from: number): number {
    const scorers = this.#scorers;
    let row = from;
    let leaps = 0;
    for (let at = 1; at < scorers.length && row !== NO_MORE_DOCS; at++) {
      const scorer = scorers[at]!;
      let other = scorer.docId();
      if (other < row) other = scorer.advance(row);
      if (other === row) continue;
      if (other === NO_MORE_DOCS) {
        row = NO_MORE_DOCS;
      } else if (leaps++ === LEAPS_MAX) {
        this.#aligned = false;
        this.#row = row;
        return row;
      } else {
        row = this.#lead.advance(other);
        at = 0;
      }
    }
    this.#aligned = true;
    this.#row = row;
    return row;
  }
}
