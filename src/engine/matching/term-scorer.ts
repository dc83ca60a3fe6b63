// Rows that contain one term, scored by BM25, or unscored in a filter.
import type { ScoreDetail } from '../../query/explain/plan-clause.ts';
import type { Postings } from '../index/segment.ts';
import { type Bm25, NORM_ONE } from '../scoring/bm25.ts';
import { bestScore } from '../scoring/impacts.ts';
import type { ScoreWindow } from '../scoring/score-window.ts';
import type { Impacts } from '../terms/field-terms.ts';
import type { TermRows } from '../terms/term-rows.ts';
import { BitSetScorer } from './bit-set-scorer.ts';
import type { Scorer } from './scorer.ts';

export class TermScorer implements Scorer {
  readonly cost: number;
  readonly maxScore: number;
  readonly isConstant: boolean;
  readonly #postings: Postings;
  readonly #similarity: Bm25 | null;
  readonly #norms: Uint8Array | null;
  #minScore = -1;

  /**
   * @param similarity null when no scores are needed
   * @param norms null for a field of whole values
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
    this.cost = postings.cost;
    this.maxScore = maxScoreOf(similarity, norms, impacts);
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

  explain(): ScoreDetail | null {
    if (this.#similarity === null) return null;
    const norms = this.#norms;
    if (norms === null) return this.#similarity.explain(1, NORM_ONE);
    return this.#similarity.explain(this.#postings.freq(), norms[this.#postings.docId()]!);
  }
}

function putRows(window: ScoreWindow, count: number, score: number): void {
  const { rows } = window;
  for (let i = 0; i < count; i++) window.put(rows[i]!, score);
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
    if (score > minScore) window.put(row, score);
  }
}

/** Whole values all score the same; the score of words is bounded by their impacts. */
function maxScoreOf(
  similarity: Bm25 | null,
  norms: Uint8Array | null,
  impacts: Impacts | null,
): number {
  if (similarity === null) return 0;
  if (norms === null) return similarity.score(1, NORM_ONE);
  return impacts === null ? similarity.maxScore : bestScore(impacts, similarity);
}

/** The rows that contain a term as a set, each scored as if it contained the term once. */
export class TermSetScorer extends BitSetScorer {
  readonly #similarity: Bm25 | null;

  constructor({ bits, count }: TermRows, similarity: Bm25 | null) {
    super(bits, maxScoreOf(similarity, null, null), count);
    this.#similarity = similarity;
  }

  explain(): ScoreDetail | null {
    return this.#similarity?.explain(1, NORM_ONE) ?? null;
  }
}
