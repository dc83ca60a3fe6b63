// Cache of the rows of frequent terms as bit sets, filled on second use: a set is faster to
// iterate, look up and join than postings (Lucene's dense blocks).
// Invariant: a cached set never changes.
import { done, mapSteps } from '../../query/steps.ts';
import { KeyedPart, type QueryCache } from '../index/query-cache.ts';
import { countBits } from '../rows/bit-set.ts';
import type { FieldTerms } from './field-terms.ts';

export interface TermRows {
  readonly bits: Uint32Array;
  readonly count: number;
}

/** Terms in fewer than 1/SPARSE of the rows are not cached: a set would cost more than it saves. */
const SPARSE = 128;

/** By dictionary and ordinal. */
const SETS = new KeyedPart<TermRows>('term');

/**
 * The rows of a term; null if its postings are the better choice. A folded value with several
 * spellings has no postings of its own, so it always gets a set.
 */
export function frequentTermRows(
  field: FieldTerms,
  ord: number,
  cache: QueryCache,
): Generator<void, TermRows | null> {
  const hasPostings = field.hasPostings(ord);
  if (hasPostings && field.docFreq(ord) * SPARSE < field.rowCount) return done(null);
  const key = `${cache.numberOf(field)} ${ord}`;
  const cached = cache.get(SETS, field.segment, key);
  if (cached !== undefined) /* path: in the cache */ return done(cached);
  if (hasPostings && cache.countUse(SETS, key) === 1) /* path: first use */ return done(null);
  const computed = field.rows({ from: ord, to: ord + 1, only: null, count: 1 });
  return mapSteps(computed, (bits) => {
    const rows = { bits, count: countBits(bits, null) };
    // path: put into the cache
    cache.add(SETS, [field.segment], key, { value: rows, bytes: bits.byteLength });
    return rows;
  });
}
