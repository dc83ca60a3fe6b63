// Conjunction: the cheapest clause leads, and the others advance to its row (leap-frog). After
// LEAPS_MAX leaps without a common row it offers the current row as a candidate that does not
// match, so that one step stays short.

import { joinAtMarks } from '../scoring/disjunction-window.ts';
import { fillByCandidates, fillSeparately, fillWindow } from '../scoring/fill-window.ts';
import type { ScoreWindow } from '../scoring/score-window.ts';
import type { Scorer } from '../scoring/scorer.ts';
import { NO_MORE_DOCS } from '../sections/segment.ts';

/** Most leaps in one step. */
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
  #minScore = -1;
  /** True after a window: the clauses are at different rows. */
  #scattered = false;

  /**
   * @param scorers two or more
   * @param scoring the clauses whose scores are summed
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
    if (this.#scattered) return this.advance(this.#row + 1);
    return this.#align(this.#lead.nextDoc());
  }

  advance(target: number): number {
    this.#scattered = false;
    const row = this.#lead.docId();
    return this.#align(row < target ? this.#lead.advance(target) : row);
  }

  matches(): boolean {
    if (!this.#aligned) return false;
    for (const scorer of this.#scorers) if (!scorer.matches()) return false;
    return true;
  }

  /** Sums in double precision, like Lucene's ConjunctionScorer. */
  score(): number {
    let sum = 0;
    for (const scorer of this.#scoring) sum += scorer.score();
    return Math.fround(sum);
  }

  /** Gives each clause the score it must exceed when all others score their maximum. */
  setMinScore(score: number): void {
    this.#minScore = score;
    for (const scorer of this.#scoring) {
      const missing = score - this.#maxScoreWithout(this.#scoring, scorer);
      if (missing > 0) scorer.setMinScore?.(missing);
    }
  }

  /**
   * Fills by window if the leading clause can; otherwise compares rows before calling `matches`.
   */
  fill(window: ScoreWindow): void {
    if (this.#lead.fill === undefined) fillByCandidates(this, window);
    else fillSeparately(window, 'sum', (own) => this.#fill(own));
    this.#row = Math.max(this.#row, window.to - 1);
    this.#scattered = true;
  }

  #fill(window: ScoreWindow): void {
    // path: in windows
    fillWindow(this.#lead, window);
    const unscored = this.#scoring.filter((scorer) => scorer !== this.#lead);
    if (unscored.length === this.#scoring.length) window.clearScores();
    for (const scorer of this.#scorers) {
      if (scorer === this.#lead) continue;
      const rows = window.keepAbove(this.#minScore, this.#maxScoreWithout(unscored, null));
      if (rows === 0) return;
      const at = unscored.indexOf(scorer);
      const counts = at < 0 ? 'nothing' : 'score';
      joinAtMarks(scorer, window, { rows, counts, keep: 'matches' });
      if (at >= 0) unscored.splice(at, 1);
    }
  }

  /** The sum of the maximum scores of the clauses, except one. */
  #maxScoreWithout(scorers: readonly Scorer[], but: Scorer | null): number {
    let sum = 0;
    for (const scorer of scorers) if (scorer !== but) sum += scorer.maxScore;
    return sum;
  }

  #align(from: number): number {
    const scorers = this.#scorers;
    let row = from;
    let leaps = 0;
    for (let at = 1; at < scorers.length && row !== NO_MORE_DOCS; at++) {
      const scorer = scorers[at]!;
      let other = scorer.docId();
      if (other < row) /* path: row by row */ other = scorer.advance(row);
      if (other === row) continue;
      if (other === NO_MORE_DOCS) {
        row = NO_MORE_DOCS;
      } else if (leaps++ === LEAPS_MAX) {
        // path: no common row for long
        this.#aligned = false;
        this.#row = row;
        return row;
      } else {
        // path: lead advanced
        row = this.#lead.advance(other);
        at = 0;
      }
    }
    this.#aligned = true;
    this.#row = row;
    return row;
  }
}
