// The order of results across segments and indexes, where ordinals mean nothing and values are compared.
import type { SortKey, SortValue } from '../../query/plan.ts';
import { compareCodePoints } from '../index/utf8.ts';

/** The key results are sorted by where none is given and the query scores. */
export const BY_SCORE: SortKey = { field: '_score', order: 'desc', type: 'score' };

/**
 * Compares two results by their sort values; 0 when they tie on all keys.
 * @param tie how the two stand in the index, which is what `_doc` asks for
 */
export function compareSortValues(
  keys: readonly SortKey[],
  left: readonly SortValue[],
  right: readonly SortValue[],
  tie: () => number,
): number {
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at]!;
    const order =
      key.type === 'doc'
        ? tie() * (key.order === 'asc' ? 1 : -1)
        : compareValues(key, left[at] ?? null, right[at] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}

function compareValues(key: SortKey, left: SortValue, right: SortValue): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  const ascending =
    typeof left === 'string' && typeof right === 'string'
      ? compareCodePoints(left, right)
      : Number(left) - Number(right);
  return key.order === 'asc' && key.type !== 'score' ? ascending : -ascending;
}
