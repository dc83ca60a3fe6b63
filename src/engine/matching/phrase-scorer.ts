// Rows that contain a phrase, exactly or with slop. Scored by BM25 as one term whose frequency is
// how often (and how closely) the phrase occurs.
import type { ScoreDetail } from '../../query/plan-clause.ts';
import type { Bm25 } from '../scoring/bm25.ts';
import type { Scorer } from '../scoring/scorer.ts';
import { ConjunctionScorer } from './conjunction-scorer.ts';
import { ExactPhrase } from './exact-phrase.ts';
import type { PositionCursor } from './position-cursor.ts';
import type { SloppyPhrase } from './sloppy-phrase.ts';

/** How a phrase is scored. */
export interface PhraseScoring {
  /** null when no scores are needed. */
  readonly similarity: Bm25 | null;
  readonly norms: Uint8Array;
  /** Upper bound of all scores; 0 when no scores are needed. */
  readonly maxScore: number;
}

export class PhraseScorer implements Scorer {
  readonly cost: number;
  readonly maxScore: number;
  readonly #rows: Scorer;
  readonly #cursors: readonly PositionCursor[];
  readonly #exact: ExactPhrase;
  readonly #sloppy: SloppyPhrase | null;
  readonly #similarity: Bm25 | null;
  readonly #norms: Uint8Array;
  #minScore = -1;
  #freq = 0;

  /**
   * @param cursors one per position of the phrase; two or more
   * @param sloppy over the same cursors; null for an exact phrase
   */
  constructor(
    cursors: readonly PositionCursor[],
    sloppy: SloppyPhrase | null,
    { similarity, norms, maxScore }: PhraseScoring,
  ) {
    const rows = cursors.map((cursor) => cursor.rows);
    this.#rows = new ConjunctionScorer(rows, []);
    this.#cursors = cursors;
    this.#exact = new ExactPhrase(cursors);
    this.#sloppy = sloppy;
    this.#similarity = similarity;
    this.#norms = norms;
    this.cost = this.#rows.cost;
    this.maxScore = maxScore;
  }

  docId(): number {
    return this.#rows.docId();
  }

  nextDoc(): number {
    return this.#rows.nextDoc();
  }

  advance(target: number): number {
    return this.#rows.advance(target);
  }

  matches(): boolean {
    if (!this.#rows.matches()) return false;
    if (this.#minScore >= 0 && this.#maxScoreOfRow() <= this.#minScore) {
      // path: left out for its frequencies
      return false;
    }
    for (const cursor of this.#cursors) /* path: positions read */ cursor.read();
    const scoring = this.#similarity !== null;
    this.#freq =
      this.#sloppy === null
        ? this.#exact.freq(scoring ? Number.POSITIVE_INFINITY : 1)
        : /* path: with slop */ this.#sloppy.freq(scoring ? 'all' : 'first');
    return this.#freq > 0;
  }

  /** Occurrences of the phrase in the current row, valid after `matches` returned true. */
  freq(): number {
    return this.#freq;
  }

  setMinScore(score: number): void {
    this.#minScore = score;
  }

  /**
   * Upper bound of the score of the current row. An exact phrase occurs at most as often as its
   * rarest term. With slop, one occurrence of a term may serve several matches, but each match has
   * an occurrence of some term to itself.
   */
  #maxScoreOfRow(): number {
    if (this.#similarity === null) return 0;
    let least = Number.POSITIVE_INFINITY;
    let sum = 0;
    for (const cursor of this.#cursors) {
      const freq = cursor.freq();
      least = Math.min(least, freq);
      sum += freq;
    }
    const freqMax = this.#sloppy === null ? least : sum;
    return this.#similarity.score(freqMax, this.#norms[this.#rows.docId()]!);
  }

  score(): number {
    return this.#similarity?.score(this.#freq, this.#norms[this.#rows.docId()]!) ?? 0;
  }

  explain(): ScoreDetail | null {
    return this.#similarity?.explain(this.#freq, this.#norms[this.#rows.docId()]!) ?? null;
  }
}
