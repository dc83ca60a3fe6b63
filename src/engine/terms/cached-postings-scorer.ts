// Scorer over cached postings (cached-postings.ts) by BM25: computes one score per kind of row.
import type { ScoreDetail } from '../../query/plan-clause.ts';
import { firstFrom } from '../rows/row-list.ts';
import type { Bm25 } from '../scoring/bm25.ts';
import type { ScoreWindow } from '../scoring/score-window.ts';
import type { Scorer } from '../scoring/scorer.ts';
import { NO_MORE_DOCS } from '../sections/segment.ts';
import type { CachedPostings } from './cached-postings.ts';

const STEPS = 128;

export class CachedPostingsScorer implements Scorer {
  readonly cost: number;
  readonly maxScore: number;
  readonly isConstant: boolean;
  readonly #postings: CachedPostings;
  readonly #rows: Int32Array;
  readonly #similarity: Bm25;
  /** By kind. */
  readonly #scores: number[] = [];
  /** Index of the current row; -1 before the first. */
  #at = -1;
  #minScore = -1;

  constructor(postings: CachedPostings, similarity: Bm25) {
    const { rows, freqs, norms } = postings;
    this.#postings = postings;
    this.#rows = rows;
    this.#similarity = similarity;
    let maxScore = 0;
    for (let kind = 0; kind < freqs.length; kind++) {
      const score = similarity.score(freqs[kind]!, norms[kind]!);
      this.#scores.push(score);
      if (score > maxScore) maxScore = score;
    }
    this.maxScore = maxScore;
    this.isConstant = freqs.length === 1;
    this.cost = rows.length;
  }

  docId(): number {
    return this.#at < 0 ? -1 : this.#row();
  }

  nextDoc(): number {
    if (this.#at < this.#rows.length) this.#at += 1;
    return this.#row();
  }

  advance(target: number): number {
    this.#at = firstFrom(this.#rows, this.#at + 1, target);
    return this.#row();
  }

  matches(): boolean {
    return true;
  }

  score(): number {
    return this.#scores[this.#postings.kinds[this.#at]!]!;
  }

  setMinScore(score: number): void {
    this.#minScore = score;
  }

  /** Uses a histogram of the scores, which is almost exact and needs no sorting. */
  guaranteedScore(count: number): number {
    const scores = this.#scores;
    if (this.cost < count || this.maxScore === 0) return -1;
    // By step of the score: number of rows, and their least score.
    const counts = new Array<number>(STEPS).fill(0);
    const least = new Array<number>(STEPS).fill(Number.POSITIVE_INFINITY);
    const scale = (STEPS - 1) / this.maxScore;
    for (let kind = 0; kind < scores.length; kind++) {
      const step = Math.floor(scores[kind]! * scale);
      counts[step]! += this.#postings.counts[kind]!;
      least[step] = Math.min(least[step]!, scores[kind]!);
    }
    let rows = 0;
    for (let step = STEPS - 1; step >= 0; step--) {
      rows += counts[step]!;
      if (rows >= count) return least[step]!;
    }
    return -1;
  }

  fill(window: ScoreWindow): void {
    if (this.docId() < window.from) this.advance(window.from);
    this.#at = window.putKinds(this.#postings, this.#at, this.#scores, this.#minScore);
  }

  explain(): ScoreDetail {
    const kind = this.#postings.kinds[this.#at]!;
    return this.#similarity.explain(this.#postings.freqs[kind]!, this.#postings.norms[kind]!);
  }

  #row(): number {
    return this.#at < this.#rows.length ? this.#rows[this.#at]! : NO_MORE_DOCS;
  }
}
