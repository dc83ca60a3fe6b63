// Rows that contain one term, scored by BM25, or unscored in a filter.
import type { ScoreDetail } from '../../query/plan-clause.ts';
import { BitSetScorer } from '../scoring/bit-set-scorer.ts';
import type { Bm25 } from '../scoring/bm25.ts';
import type { ScoreWindow } from '../scoring/score-window.ts';
import type { Scorer } from '../scoring/scorer.ts';
import { bestScore, type Impacts } from '../sections/impacts.ts';
import type { Postings } from '../sections/segment.ts';
import type { TermRows } from './term-rows.ts';

export class TermScorer implements Scorer {
  readonly cost: number;
  readonly maxScore: number;
  readonly isConstant: boolean;
  readonly #postings: Postings;
  readonly #similarity: Bm25 | null;
  readonly #norms: Uint8Array | null;
  readonly #impacts: Impacts | null;
  #minScore = -1;

  /**
   * @param similarity null when no scores are needed
   * @param norms null if the impacts are uniform
   * @param impacts null if not computed
   */
  constructor(
    postings: Postings,
    similarity: Bm25 | null,
    norms: Uint8Array | null,
    impacts: Impacts | null,
  ) {
    this.#postings = postings;
    this.#similarity = similarity;
    this.#norms = norms;
    this.#impacts = impacts;
    this.cost = postings.cost;
    this.maxScore = maxScoreOf(similarity, impacts);
    this.isConstant = similarity === null || norms === null;
  }

  docId(): number {
    return this.#postings.docId();
  }

  nextDoc(): number {
    return this.#postings.nextDoc();
  }

  advance(target: number): number {
    return this.#postings.advance(target);
  }

  matches(): boolean {
    return true;
  }

  score(): number {
    if (this.#similarity === null) return 0;
    const norms = this.#norms;
    if (norms === null) return this.maxScore;
    return this.#similarity.score(this.#postings.freq(), norms[this.#postings.docId()]!);
  }

  setMinScore(score: number): void {
    this.#minScore = score;
    if (this.#similarity !== null && this.#norms !== null) {
      this.#postings.skipBelow(this.#similarity, score);
    }
  }

  guaranteedScore(count: number): number {
    return this.isConstant && this.cost >= count ? this.maxScore : -1;
  }

  fill(window: ScoreWindow): void {
    const postings = this.#postings;
    if (postings.docId() < window.from) postings.advance(window.from);
    const norms = this.#norms;
    for (;;) {
      const count = postings.take(window.to, window.rows, window.freqs);
      if (count === 0) return;
      if (norms === null || this.#similarity === null) putRows(window, count, this.maxScore);
      else putScores(window, count, this.#similarity, norms, this.#minScore);
    }
  }

  addTo(bits: Uint32Array): boolean {
    return this.#postings.addTo(bits);
  }

  explain(): ScoreDetail | null {
    if (this.#similarity === null) return null;
    const norms = this.#norms;
    if (norms === null) return explainUniform(this.#similarity, this.#impacts);
    return this.#similarity.explain(this.#postings.freq(), norms[this.#postings.docId()]!);
  }
}

function putRows(window: ScoreWindow, count: number, score: number): void {
  const { rows } = window;
  for (let i = 0; i < count; i++) /* path: one score */ window.put(rows[i]!, score);
}

function putScores(
  window: ScoreWindow,
  count: number,
  similarity: Bm25,
  norms: Uint8Array,
  minScore: number,
): void {
  const { rows, freqs } = window;
  for (let i = 0; i < count; i++) {
    const row = rows[i]!;
    const score = similarity.score(freqs[i]!, norms[row]!);
    // path: scored
    if (score > minScore) window.put(row, score);
  }
}

function maxScoreOf(similarity: Bm25 | null, impacts: Impacts | null): number {
  if (similarity === null) return 0;
  return impacts === null ? similarity.maxScore : bestScore(impacts, similarity);
}

function explainUniform(similarity: Bm25, impacts: Impacts | null): ScoreDetail | null {
  const [freq, norm] = impacts?.pairs ?? [];
  return freq === undefined || norm === undefined ? null : similarity.explain(freq, norm);
}

/** The rows that contain a term as a set. */
export class TermSetScorer extends BitSetScorer {
  readonly #similarity: Bm25 | null;
  readonly #impacts: Impacts | null;

  /** @param impacts uniform; null when no scores are needed */
  constructor({ bits, count }: TermRows, similarity: Bm25 | null, impacts: Impacts | null) {
    super(bits, maxScoreOf(similarity, impacts), count);
    this.#similarity = similarity;
    this.#impacts = impacts;
  }

  explain(): ScoreDetail | null {
    return this.#similarity === null ? null : explainUniform(this.#similarity, this.#impacts);
  }
}
