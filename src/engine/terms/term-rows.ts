// Cache of the rows of frequent terms as bit sets, filled on second use: a set is faster to
// iterate, look up and join than postings (Lucene's dense blocks).
// Invariant: a cached set never changes.
import { countBits } from '../rows/bit-set.ts';
import { objectNumber } from '../rows/object-number.ts';
import { RowMemory } from '../rows/row-memory.ts';
import type { FieldTerms } from './field-terms.ts';

export interface TermRows {
  readonly bits: Uint32Array;
  readonly count: number;
}

/** Terms in fewer than 1/SPARSE of the rows are not cached: a set would cost more than it saves. */
const SPARSE = 128;

/** By dictionary and ordinal. */
const sets = new RowMemory<TermRows>('t');

/**
 * The rows of a term; null if its postings are the better choice. A folded value with several
 * spellings has no postings of its own, so it always gets a set.
 */
export function* frequentTermRows(
  field: FieldTerms,
  ord: number,
): Generator<void, TermRows | null> {
  const hasPostings = field.hasPostings(ord);
  if (hasPostings && field.docFreq(ord) * SPARSE < field.rowCount) return null;
  const key = `${objectNumber(field)} ${ord}`;
  const cached = sets.get(key);
  if (cached !== undefined) return cached;
  if (hasPostings && !sets.countUse(key)) return null;
  const bits = yield* field.rows({ from: ord, to: ord + 1, only: null, count: 1 });
  const rows = { bits, count: countBits(bits, null) };
  sets.add(key, rows, bits.byteLength);
  return rows;
}
