// Any, or at least so many, of several scorers: a heap of cursors by row, or where scores are wanted of many rows, one
// clause after the other over a window of them (disjunction-window.ts). Scores are summed, or the best one counts and
// the others a little (disjunction max).
import type { ScoreDetail } from '../../query/explain/plan-clause.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import { fillBest, fillSum, Parts } from '../scoring/disjunction-window.ts';
import { fillApart, walkWindow } from '../scoring/fill-window.ts';
import type { ScoreWindow } from '../scoring/score-window.ts';
import type { Scorer } from './scorer.ts';

export interface DisjunctionOptions {
  /** How many must match; 1 or more. */
  readonly minimumMatch: number;
  /** Whether `score` will be asked. */
  readonly scoring: boolean;
  /** null: scores are summed. Else: the best one plus this times each other. */
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
  /** The clauses by what they score at most; made where windows are filled. */
  #parts: Parts | null = null;
  #minScore = -1;
  /** Whether the clauses have moved without the heap. */
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
      rows[0] = this.#heap[0]!.nextDoc();
      this.#sink();
    }
    this.#row = rows[0]!;
    return this.#row;
  }

  advance(target: number): number {
    const rows = this.#rows;
    if (this.#scattered) this.#gather(target);
    while (rows[0]! < target) {
      rows[0] = this.#heap[0]!.advance(target);
      this.#sink();
    }
    this.#row = rows[0]!;
    return this.#row;
  }

  matches(): boolean {
    this.#matchCount = 0;
    this.#ask(0);
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

  /** Where only the best score counts, a clause that cannot be it is of no interest; of a sum, see Parts. */
  setMinScore(score: number): void {
    const { tieBreaker, minimumMatch } = this.#options;
    if (minimumMatch > 1) return;
    this.#minScore = score;
    if (tieBreaker === null) this.#byMaxScore().setMinScore(score);
    else if (tieBreaker === 0) for (const scorer of this.#heap) scorer.setMinScore?.(score);
  }

  /** What the rows of one clause have: others only add to it. */
  reachedBy(count: number): number {
    if (this.#options.minimumMatch > 1) return -1;
    let reached = -1;
    for (const scorer of this.#heap) {
      if (scorer.maxScore <= reached || scorer.reachedBy === undefined) continue;
      reached = Math.max(reached, scorer.reachedBy(count));
    }
    return reached;
  }

  fill(window: ScoreWindow): void {
    const { tieBreaker, minimumMatch } = this.#options;
    if (minimumMatch > 1 || (tieBreaker !== null && tieBreaker !== 0)) {
      walkWindow(this, window);
      return;
    }
    const joining = tieBreaker === null ? 'sum' : 'best';
    if (window.joining === 'best' && joining === 'best') this.#fill(window);
    else fillApart(window, joining, (own) => this.#fill(own));
    this.#row = Math.max(this.#row, window.to - 1);
    this.#scattered = true;
  }

  #fill(window: ScoreWindow): void {
    if (window.joining === 'sum') fillSum(this.#byMaxScore(), window, this.#minScore);
    else fillBest(this.#byMaxScore(), window, this.#minScore);
  }

  #byMaxScore(): Parts {
    this.#parts ??= new Parts(this.#heap);
    return this.#parts;
  }

  /** Makes the heap again, of clauses that stand at `target` or behind. */
  #gather(target: number): void {
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
      const one = this.#matching[i]!.explain?.();
      if (one) details.push(one);
    }
    const [only] = details;
    if (only !== undefined && details.length === 1) return only;
    return { value: this.score(), description: 'sum over the terms that are there', details };
  }

  /** Asks the scorers that stand on the current row: they are the top of the heap. */
  #ask(at: number): void {
    if (at >= this.#heap.length || this.#rows[at] !== this.#row) return;
    const { scoring, minimumMatch } = this.#options;
    if (!scoring && this.#matchCount >= minimumMatch) return;
    const scorer = this.#heap[at]!;
    if (scorer.matches()) this.#matching[this.#matchCount++] = scorer;
    this.#ask(2 * at + 1);
    this.#ask(2 * at + 2);
  }

  /** Lets the first entry sink to its place. */
  #sink(): void {
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
  // What has no limit has none combined.
  if (tieBreaker === null || sum === Number.POSITIVE_INFINITY) return sum;
  return tieBreaker === 0 ? best : best + (sum - best) * tieBreaker;
}
