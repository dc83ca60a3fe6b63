// What the rows of a word can score at most (Lucene's impacts): of all its pairs of frequency and length those that no
// other pair beats in both. They say nothing of statistics or boosts, so they stay true as long as the segment is
// there, and a bound made of them is reached by some row, which `idf * boost` never is.
import { NO_MORE_DOCS } from '../index/segment.ts';
import type { FieldTerms, Impacts } from '../terms/field-terms.ts';
import type { Bm25 } from './bm25.ts';

/** Frequencies from here on count as any frequency. */
const FREQ_MAX = 255;
const NORM_MAX = 255;
/** Rows looked at before others may have their turn. */
const ROWS_PER_YIELD = 16 * 1024;
/** Rows taken at a time, and their frequencies; of no meaning when others have had their turn. */
const ROWS = new Int32Array(128);
const FREQS = new Int32Array(128);

/** The impacts of a term of a field of words. */
export function* impactsOf(field: FieldTerms, ord: number): Generator<void, Impacts> {
  const known = field.impacts.get(ord);
  if (known !== undefined) return known;
  const { norms } = field;
  const postings = field.postings(ord);
  if (norms === null || postings === null) throw new TypeError('Not a field of words');
  const shortest = new Int16Array(FREQ_MAX + 1).fill(NORM_MAX + 1);
  postings.nextDoc();
  let looked = 0;
  for (;;) {
    const count = postings.take(NO_MORE_DOCS, ROWS, FREQS);
    if (count === 0) break;
    for (let i = 0; i < count; i++) {
      const freq = Math.min(FREQS[i]!, FREQ_MAX);
      const norm = norms[ROWS[i]!]!;
      if (norm < shortest[freq]!) shortest[freq] = norm;
    }
    looked += count;
    if (looked < ROWS_PER_YIELD) continue;
    looked = 0;
    yield;
  }
  const impacts = unbeaten(shortest);
  field.impacts.add(ord, impacts, impacts.length);
  return impacts;
}

/** The best score that a pair comes to. */
export function bestScore(impacts: Impacts, similarity: Bm25): number {
  let best = 0;
  for (let i = 0; i < impacts.length; i += 2) {
    best = Math.max(best, similarity.score(impacts[i]!, impacts[i + 1]!));
  }
  return best;
}

/** From the greatest frequency down, only what is shorter than all before; what was not met is longer than anything. */
function unbeaten(shortest: Int16Array): Impacts {
  const impacts: number[] = [];
  let least = NORM_MAX + 1;
  for (let freq = FREQ_MAX; freq > 0; freq--) {
    if (shortest[freq]! >= least) continue;
    least = shortest[freq]!;
    impacts.push(freq === FREQ_MAX ? Number.POSITIVE_INFINITY : freq, least);
  }
  return impacts;
}
