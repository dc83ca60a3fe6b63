// The rows of terms that stand in many rows, as sets: kept when such a term is asked for again, since a set takes less
// time to walk, to look up and to join than postings (Lucene's dense blocks).
// Invariant: a set that was handed out is never changed.
import { GenerationCache } from '../index/generation-cache.ts';
import { countBits } from './bit-set.ts';
import type { FieldTerms } from './field-terms.ts';
import { objectNumber } from './object-number.ts';

export interface TermRows {
  readonly bits: Uint32Array;
  readonly count: number;
}

/** What all sets together may take in memory. */
const BYTES_MAX = 16 * 2 ** 20;
const ENTRY_BYTES = 100;
/** How many terms that were asked for once are remembered. */
const ASKED_MAX = 8192;
/** In a term with fewer rows than one in so many, a set has more words than rows. */
const SPARSE = 32;

const sets = new GenerationCache<string, TermRows>(BYTES_MAX);
const asked = new GenerationCache<string, true>(ASKED_MAX);

/** The rows of a term; null where postings serve better, which a folded value of several spellings does not have. */
export function* frequentTermRows(
  field: FieldTerms,
  ord: number,
): Generator<void, TermRows | null> {
  const hasPostings = field.hasPostings(ord);
  if (hasPostings && field.docFreq(ord) * SPARSE < field.rowCount) return null;
  const key = `${objectNumber(field)} ${ord}`;
  const known = sets.get(key);
  if (known !== undefined) return known;
  if (hasPostings && asked.get(key) === undefined) {
    asked.add(key, true, 1);
    return null;
  }
  const bits = yield* field.rows({ from: ord, to: ord + 1, only: null, count: 1 });
  const rows = { bits, count: countBits(bits, null) };
  sets.add(key, rows, bits.byteLength + ENTRY_BYTES);
  return rows;
}
