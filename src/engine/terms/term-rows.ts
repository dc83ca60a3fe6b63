// The rows of terms that stand in many rows, as sets: kept when such a term is asked for again, since a set takes less
// time to walk, to look up and to join than postings (Lucene's dense blocks).
// Invariant: a set that was handed out is never changed.
import { countBits } from '../rows/bit-set.ts';
import { objectNumber } from '../rows/object-number.ts';
import { RowMemory } from '../rows/row-memory.ts';
import type { FieldTerms } from './field-terms.ts';

export interface TermRows {
  readonly bits: Uint32Array;
  readonly count: number;
}

/** Of a term with fewer rows than one in so many, a set would take more memory than it is worth. */
const SPARSE = 128;

/** By dictionary and ordinal. */
const sets = new RowMemory<TermRows>('t');

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
  if (hasPostings && !sets.wantsAgain(key)) return null;
  const bits = yield* field.rows({ from: ord, to: ord + 1, only: null, count: 1 });
  const rows = { bits, count: countBits(bits, null) };
  sets.add(key, rows, bits.byteLength);
  return rows;
}
