// Upper bound of the score of a word in a segment (Lucene's impacts): the pairs of frequency and
// length that no other pair beats in both. They do not depend on statistics or boosts, so they stay
// valid as long as the segment exists. Some row reaches the bound, unlike `idf * boost`.
import { NO_MORE_DOCS } from '../index/segment.ts';
import type { FieldTerms, Impacts } from '../terms/field-terms.ts';
import type { Bm25 } from './bm25.ts';

/** Greater frequencies count as unbounded. */
const FREQ_MAX = 255;
const NORM_MAX = 255;
/** Number of rows processed before the generator yields. */
const ROWS_PER_YIELD = 16 * 1024;

/** The impacts of a term in a field of words. */
export function* impactsOf(field: FieldTerms, ord: number): Generator<void, Impacts> {
  const cached = field.impacts.get(ord);
  if (cached !== undefined) return cached;
  const { norms } = field;
  const postings = field.postings(ord);
  if (norms === null || postings === null) throw new TypeError('Not a field of words');
  const rows = new Int32Array(128);
  const freqs = new Int32Array(128);
  const shortest = new Int16Array(FREQ_MAX + 1).fill(NORM_MAX + 1);
  postings.nextDoc();
  let rowCount = 0;
  for (;;) {
    const count = postings.take(NO_MORE_DOCS, rows, freqs);
    if (count === 0) break;
    for (let i = 0; i < count; i++) {
      const freq = Math.min(freqs[i]!, FREQ_MAX);
      const norm = norms[rows[i]!]!;
      if (norm < shortest[freq]!) shortest[freq] = norm;
    }
    rowCount += count;
    if (rowCount < ROWS_PER_YIELD) continue;
    rowCount = 0;
    yield;
  }
  const impacts = competitiveImpacts(shortest);
  field.impacts.add(ord, impacts, impacts.length);
  return impacts;
}

/** The best score of all pairs. */
export function bestScore(impacts: Impacts, similarity: Bm25): number {
  let best = 0;
  for (let i = 0; i < impacts.length; i += 2) {
    best = Math.max(best, similarity.score(impacts[i]!, impacts[i + 1]!));
  }
  return best;
}

/** Keeps, from the greatest frequency down, each pair that is shorter than all before it. */
function competitiveImpacts(shortest: Int16Array): Impacts {
  const impacts: number[] = [];
  let least = NORM_MAX + 1;
  for (let freq = FREQ_MAX; freq > 0; freq--) {
    if (shortest[freq]! >= least) continue;
    least = shortest[freq]!;
    impacts.push(freq === FREQ_MAX ? Number.POSITIVE_INFINITY : freq, least);
  }
  return impacts;
}
