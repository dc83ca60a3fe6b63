// The rows that hold one term, scored by BM25 or, in a filter, not at all.
import type { ScoreDetail } from '../../query/plan-clause.ts';
import type { Postings } from '../index/segment.ts';
import { BitSetScorer } from './bit-set-scorer.ts';
import { type Bm25, NORM_ONE } from './bm25.ts';
import type { Scorer } from './scorer.ts';
import type { TermRows } from './term-rows.ts';

export class TermScorer implements Scorer {
  readonly cost: number;
  readonly maxScore: number;
  readonly isConstant: boolean;
  readonly #postings: Postings;
  readonly #similarity: Bm25 | null;
  readonly #norms: Uint8Array | null;

  /**
   * @param similarity null where no score is wanted
   * @param norms null for a field of whole values
   */
  constructor(postings: Postings, similarity: Bm25 | null, norms: Uint8Array | null) {
    this.#postings = postings;
    this.#similarity = similarity;
    this.#norms = norms;
    this.cost = postings.cost;
    this.maxScore = maxScoreOf(similarity, norms);
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

  explain(): ScoreDetail | null {
    if (this.#similarity === null) return null;
    const norms = this.#norms;
    if (norms === null) return this.#similarity.explain(1, NORM_ONE);
    return this.#similarity.explain(this.#postings.freq(), norms[this.#postings.docId()]!);
  }
}

/** Whole values all score the same; words by how often they stand there, which has a limit. */
function maxScoreOf(similarity: Bm25 | null, norms: Uint8Array | null): number {
  if (similarity === null) return 0;
  return norms === null ? similarity.score(1, NORM_ONE) : similarity.maxScore;
}

/** The rows that hold a term as a set, where each row scores as one in which it stands once. */
export class TermSetScorer extends BitSetScorer {
  readonly #similarity: Bm25 | null;

  constructor({ bits, count }: TermRows, similarity: Bm25 | null) {
    super(bits, maxScoreOf(similarity, null), count);
    this.#similarity = similarity;
  }

  explain(): ScoreDetail | null {
    return this.#similarity?.explain(1, NORM_ONE) ?? null;
  }
}
