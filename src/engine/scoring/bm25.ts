// BM25 as in Lucene 10 (BM25Similarity): lengths in one byte, and rounded to 32-bit floats wherever
// Lucene stores a float, so that scores agree to the last digits. Like Lucene, it omits the
// constant factor (k1 + 1).
import type { ScoreDetail } from '../../query/plan-clause.ts';
import { byte4ToInt } from '../fields/norms.ts';
import { finiteFloat } from './finite-float.ts';

/** Lucene's defaults, from Robertson and Zaragoza, The Probabilistic Relevance Framework (2009). */
const K1 = Math.fround(1.2);
const B = Math.fround(0.75);

/** Norm byte of a field without norms (whole values): length one. */
export const NORM_ONE = 1;

/** What BM25 needs to know of a field; deleted rows are included. */
export interface FieldStatistics {
  /** Rows that have the field. */
  readonly docCount: number;
  /** Tokens over all rows; for whole values, the number of values. */
  readonly sumTotalTermFreq: number;
}

/** Statistics of a field over all segments of an index. */
export class IndexStatistics implements FieldStatistics {
  readonly docCount: number;
  readonly sumTotalTermFreq: number;
  #normInverse: Float32Array | null = null;

  constructor(docCount: number, sumTotalTermFreq: number) {
    this.docCount = docCount;
    this.sumTotalTermFreq = sumTotalTermFreq;
  }

  /** 1 / (k1 * ((1 - b) + b * length / average length)) by norm byte; all terms share it. */
  get normInverse(): Float32Array {
    this.#normInverse ??= normInverse(Math.fround(this.sumTotalTermFreq / this.docCount));
    return this.#normInverse;
  }
}

/** Inverse document frequency: rare terms weigh more. */
export function idf(docFreq: number, docCount: number): number {
  return Math.fround(Math.log(1 + (docCount - docFreq + 0.5) / (docFreq + 0.5)));
}

/** A term whose idf is part of the weight, for explanations. */
export interface WeighedTerm {
  readonly text: string;
  /** Rows that contain it; blended terms share one value. */
  readonly docFreq: number;
}

/** Scores the occurrences of one term or phrase in one field. */
export class Bm25 {
  /** Upper bound of the score for any frequency and length. */
  readonly maxScore: number;
  readonly #normInverse: Float32Array;
  readonly #boost: number;
  readonly #weightOfTerms: number;
  readonly #statistics: IndexStatistics;
  readonly #terms: readonly WeighedTerm[];

  /**
   * @param weightOfTerms idf of the term, or the sum of the idfs of a phrase
   * @param terms the terms of that sum, for explanations
   */
  constructor(
    boost: number,
    weightOfTerms: number,
    statistics: IndexStatistics,
    terms: readonly WeighedTerm[] = [],
  ) {
    this.#boost = boost;
    this.#weightOfTerms = weightOfTerms;
    this.#statistics = statistics;
    this.#terms = terms;
    this.maxScore = finiteFloat(Math.fround(boost) * Math.fround(weightOfTerms));
    this.#normInverse = statistics.normInverse;
  }

  /** @param normByte length of the row, as in WordIndex.norms */
  score(freq: number, normByte: number): number {
    const denominator = Math.fround(1 + Math.fround(freq * this.#normInverse[normByte]!));
    return Math.fround(this.maxScore - Math.fround(this.maxScore / denominator));
  }

  /** How `score` is computed. */
  explain(freq: number, normByte: number): ScoreDetail {
    const value = this.score(freq, normByte);
    const texts = this.#terms.map(({ text }) => JSON.stringify(text)).join(' ');
    return detail(value, `${texts}: boost * idf * tf`, [
      detail(this.#boost, 'boost'),
      this.#explainIdf(),
      this.#explainTf(freq, normByte),
    ]);
  }

  #explainIdf(): ScoreDetail {
    const { docCount } = this.#statistics;
    const each = this.#terms.map(({ text, docFreq }) =>
      detail(
        idf(docFreq, docCount),
        `${JSON.stringify(text)}: log(1 + (N - n + 0.5) / (n + 0.5))`,
        [detail(docFreq, 'n, rows with the term'), detail(docCount, 'N, rows with the field')],
      ),
    );
    const description = each.length === 1 ? 'idf' : 'idf, the sum over the terms';
    return detail(this.#weightOfTerms, description, each);
  }

  #explainTf(freq: number, normByte: number): ScoreDetail {
    const { docCount, sumTotalTermFreq } = this.#statistics;
    const part = freq * this.#normInverse[normByte]!;
    return detail(part / (1 + part), 'tf: freq / (freq + k1 * (1 - b + b * length / average))', [
      detail(freq, 'freq, occurrences'),
      detail(K1, 'k1'),
      detail(B, 'b'),
      detail(byte4ToInt(normByte), 'length, words in the field, rounded as it is stored'),
      detail(sumTotalTermFreq / docCount, 'average length'),
    ]);
  }
}

function normInverse(averageLength: number): Float32Array {
  const table = new Float32Array(256);
  for (let byte = 0; byte < 256; byte++) {
    const relative = Math.fround(Math.fround(B * byte4ToInt(byte)) / averageLength);
    table[byte] = 1 / Math.fround(K1 * Math.fround(Math.fround(1 - B) + relative));
  }
  return table;
}

function detail(
  value: number,
  description: string,
  details: readonly ScoreDetail[] = [],
): ScoreDetail {
  return { value, description, ...(details.length > 0 && { details }) };
}
