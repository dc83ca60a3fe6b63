// Disjunction: matches where at least `minimumMatch` clauses match. Moves a heap of cursors row by
// row, or fills windows clause by clause when many rows need scores (disjunction-window.ts). Scores
// are summed, or combined as a disjunction max: the best, plus a share of the others.
import type { ScoreDetail } from '../../query/plan-clause.ts';
import { addMatches } from '../rows/bit-set.ts';
import { ClausesByMaxScore, fillBest, fillSum } from '../scoring/disjunction-window.ts';
import { fillByCandidates, fillSeparately } from '../scoring/fill-window.ts';
import type { ScoreWindow } from '../scoring/score-window.ts';
import { addSome, type Scorer, STEPS_PER_YIELD } from '../scoring/scorer.ts';
import { NO_MORE_DOCS } from '../sections/segment.ts';

export interface DisjunctionOptions {
  /** Number of clauses that must match; 1 or more. */
  readonly minimumMatch: number;
  /** Whether `score` will be called. */
  readonly scoring: boolean;
  /** null: sum of the scores. Otherwise: the best score plus this times each other. */
  readonly tieBreaker: number | null;
}

export class DisjunctionScorer implements Scorer {
  readonly cost: number;
  readonly maxScore: number;
  readonly #heap: Scorer[];
  readonly #rows: Int32Array;
  readonly #options: DisjunctionOptions;
  readonly #matching: Scorer[] = [];
  #row = -1;
  #matchCount = 0;
  /** The clauses by maximum score; created on the first use of windows. */
  #clauses: ClausesByMaxScore | null = null;
  #minScore = -1;
  /** Number of clauses whose matches have been added to a set. */
  #added = 0;
  /** True after a window: the clauses have moved and the heap is out of order. */
  #scattered = false;

  constructor(scorers: readonly Scorer[], options: DisjunctionOptions) {
    this.#heap = [...scorers];
    this.#rows = new Int32Array(scorers.length).fill(-1);
    this.#options = options;
    let cost = 0;
    let sum = 0;
    let best = 0;
    for (const scorer of scorers) {
      cost += scorer.cost;
      sum += scorer.maxScore;
      best = Math.max(best, scorer.maxScore);
    }
    this.cost = cost;
    this.maxScore = Math.fround(combined(sum, best, options.tieBreaker));
  }

  docId(): number {
    return this.#row;
  }

  nextDoc(): number {
    const rows = this.#rows;
    const row = this.#row;
    if (this.#scattered) return this.advance(row + 1);
    while (rows[0] === row && row !== NO_MORE_DOCS) {
      // path: row by row
      rows[0] = this.#heap[0]!.nextDoc();
      this.#siftDown();
    }
    this.#row = rows[0]!;
    return this.#row;
  }

  advance(target: number): number {
    const rows = this.#rows;
    if (this.#scattered) this.#rebuildHeap(target);
    while (rows[0]! < target) {
      rows[0] = this.#heap[0]!.advance(target);
      this.#siftDown();
    }
    this.#row = rows[0]!;
    return this.#row;
  }

  matches(): boolean {
    this.#matchCount = 0;
    this.#collectMatching(0);
    return this.#matchCount >= this.#options.minimumMatch;
  }

  score(): number {
    let sum = 0;
    let best = 0;
    for (let i = 0; i < this.#matchCount; i++) {
      const score = this.#matching[i]!.score();
      sum += score;
      if (score > best) best = score;
    }
    return Math.fround(combined(sum, best, this.#options.tieBreaker));
  }

  /** For a maximum, each clause must exceed `score` itself; for a sum see ClausesByMaxScore. */
  setMinScore(score: number): void {
    const { tieBreaker, minimumMatch } = this.#options;
    if (minimumMatch > 1) return;
    this.#minScore = score;
    if (tieBreaker === null) this.#byMaxScore().setMinScore(score);
    else if (tieBreaker === 0) for (const scorer of this.#heap) scorer.setMinScore?.(score);
  }

  /** A bound of one clause holds for the whole: the other clauses only add to it. */
  guaranteedScore(count: number): number {
    if (this.#options.minimumMatch > 1) return -1;
    let reached = -1;
    for (const scorer of this.#heap) {
      if (scorer.maxScore <= reached || scorer.guaranteedScore === undefined) continue;
      reached = Math.max(reached, scorer.guaranteedScore(count));
    }
    return reached;
  }

  fill(window: ScoreWindow): void {
    const { tieBreaker, minimumMatch } = this.#options;
    if (minimumMatch > 1 || (tieBreaker !== null && tieBreaker !== 0)) {
      // path: several must match
      fillByCandidates(this, window);
      return;
    }
    const joining = tieBreaker === null ? 'sum' : 'best';
    if (window.joining === 'best' && joining === 'best') this.#fill(window);
    else fillSeparately(window, joining, (own) => this.#fill(own));
    this.#row = Math.max(this.#row, window.to - 1);
    this.#scattered = true;
  }

  /** Clause by clause, where one match suffices. */
  addTo(bits: Uint32Array): boolean {
    if (this.#options.minimumMatch > 1) return addMatches(bits, this, STEPS_PER_YIELD);
    if (addSome(bits, this.#heap[this.#added]!)) return true;
    // path: clause added to a set
    this.#added += 1;
    return this.#added < this.#heap.length;
  }

  #fill(window: ScoreWindow): void {
    if (window.joining === 'sum') {
      // path: scores summed
      fillSum(this.#byMaxScore(), window, this.#minScore);
    } else {
      // path: best score
      fillBest(this.#byMaxScore(), window, this.#minScore);
    }
  }

  #byMaxScore(): ClausesByMaxScore {
    this.#clauses ??= new ClausesByMaxScore(this.#heap);
    return this.#clauses;
  }

  /** Rebuilds the heap after windows, with all clauses at `target` or later. */
  #rebuildHeap(target: number): void {
    // path: row by row after windows
    const scorers = [...this.#heap];
    this.#scattered = false;
    for (const [at, scorer] of scorers.entries()) {
      const row = scorer.docId();
      this.#rows[at] = row < target ? scorer.advance(target) : row;
    }
    const order = [...scorers.keys()].sort((a, b) => this.#rows[a]! - this.#rows[b]!);
    const rows = order.map((at) => this.#rows[at]!);
    for (const [at, from] of order.entries()) {
      this.#heap[at] = scorers[from]!;
      this.#rows[at] = rows[at]!;
    }
  }

  explain(): ScoreDetail {
    const details: ScoreDetail[] = [];
    for (let i = 0; i < this.#matchCount; i++) {
      const detail = this.#matching[i]!.explain?.();
      if (detail) details.push(detail);
    }
    const [only] = details;
    if (only !== undefined && details.length === 1) return only;
    return { value: this.score(), description: 'sum over the terms that are there', details };
  }

  /** Calls `matches` on the clauses at the current row, which are the top of the heap. */
  #collectMatching(at: number): void {
    if (at >= this.#heap.length || this.#rows[at] !== this.#row) return;
    const { scoring, minimumMatch } = this.#options;
    if (!scoring && this.#matchCount >= minimumMatch) return;
    const scorer = this.#heap[at]!;
    if (scorer.matches()) this.#matching[this.#matchCount++] = scorer;
    this.#collectMatching(2 * at + 1);
    this.#collectMatching(2 * at + 2);
  }

  /** Restores the heap after its first entry has moved. */
  #siftDown(): void {
    const heap = this.#heap;
    const rows = this.#rows;
    const length = heap.length;
    const scorer = heap[0]!;
    const row = rows[0]!;
    let at = 0;
    for (let child = 1; child < length; child = 2 * at + 1) {
      if (child + 1 < length && rows[child + 1]! < rows[child]!) child += 1;
      if (rows[child]! >= row) break;
      heap[at] = heap[child]!;
      rows[at] = rows[child]!;
      at = child;
    }
    heap[at] = scorer;
    rows[at] = row;
  }
}

function combined(sum: number, best: number, tieBreaker: number | null): number {
  // Without a bound of the sum there is no bound of the combination.
  if (tieBreaker === null || sum === Number.POSITIVE_INFINITY) return sum;
  return tieBreaker === 0 ? best : best + (sum - best) * tieBreaker;
}
