// All of several scorers: the cheapest leads, the others are asked to come to its row. A leap-frog that finds no
// common row for long offers its row anyway and then says that it does not match, so one step stays short.
import { NO_MORE_DOCS } from '../index/segment.ts';
import { joinAtMarks } from '../scoring/disjunction-window.ts';
import { fillApart, fillWindow, walkWindow } from '../scoring/fill-window.ts';
import type { ScoreWindow } from '../scoring/score-window.ts';
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
  #minScore = -1;
  /** Whether the clauses stand where a window left them. */
  #scattered = false;

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

  /** Summed in double precision, as Lucene's ConjunctionScorer. */
  score(): number {
    let sum = 0;
    for (const scorer of this.#scoring) sum += scorer.score();
    return Math.fround(sum);
  }

  /** What a clause must have for the sum to be more than `score`, the others having all they can. */
  setMinScore(score: number): void {
    this.#minScore = score;
    for (const scorer of this.#scoring) {
      const missing = score - this.#most(this.#scoring, scorer);
      if (missing > 0) scorer.setMinScore?.(missing);
    }
  }

  /** Where the rows of the first clause are found quickly; else rows are compared before anybody is asked whether they match. */
  fill(window: ScoreWindow): void {
    if (this.#lead.fill === undefined) walkWindow(this, window);
    else fillApart(window, 'sum', (own) => this.#fill(own));
    this.#row = Math.max(this.#row, window.to - 1);
    this.#scattered = true;
  }

  #fill(window: ScoreWindow): void {
    fillWindow(this.#lead, window);
    const left = this.#scoring.filter((scorer) => scorer !== this.#lead);
    if (left.length === this.#scoring.length) window.forgetScores();
    for (const scorer of this.#scorers) {
      if (scorer === this.#lead) continue;
      const rows = window.keepAbove(this.#minScore, this.#most(left, null));
      if (rows === 0) return;
      const at = left.indexOf(scorer);
      const counts = at < 0 ? 'nothing' : 'score';
      joinAtMarks(scorer, window, { rows, counts, keep: 'matches' });
      if (at >= 0) left.splice(at, 1);
    }
  }

  /** What some clauses but one score together at most. */
  #most(scorers: readonly Scorer[], but: Scorer | null): number {
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
