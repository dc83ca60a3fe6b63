// Compares rows across segments and indexes, where ordinals are not comparable: terms by their
// bytes, numbers and scores by their places. Ties are broken by index order, then by id.
import type { SortKey } from '../../query/query.ts';
import { compareTerms } from '../fields/term-dictionary.ts';
import type { SegmentHits } from './segment-hits.ts';
import { LAST } from './sort-column.ts';

const SCORE: SortKey = { field: '_score', order: 'desc', type: 'score' };

/** Default order of a query that scores. Hits do not return its sort values. */
export const BY_SCORE: readonly SortKey[] = [SCORE];

/** Compares the current rows of two segments; 0 only for the same row. */
export function compareHits(
  keys: readonly SortKey[],
  left: SegmentHits,
  right: SegmentHits,
): number {
  for (let at = 0; at < keys.length; at++) {
    const { type, order } = keys[at]!;
    if (repeats(keys, at) && isOfSameTerms(left, at) && isOfSameTerms(right, at)) continue;
    const sign = order === 'asc' ? 1 : -1;
    const difference =
      type === 'doc' ? sign * compareRows(left, right) : comparePlaces(at, sign, left, right);
    if (difference !== 0) return difference;
  }
  return compareRows(left, right);
}

/** Whether a key is on the field of the one before in the same order, in another form. */
function repeats(keys: readonly SortKey[], at: number): boolean {
  const [key, before] = [keys[at]!, keys[at - 1]];
  return key.field === before?.field && key.order === before.order;
}

/** Such a key decides no tie where both have the same terms, as in a field without capitals. */
function isOfSameTerms({ columns }: SegmentHits, key: number): boolean {
  const terms = columns[key]!.terms;
  return terms !== null && terms === columns[key - 1]!.terms;
}

function comparePlaces(key: number, sign: number, left: SegmentHits, right: SegmentHits): number {
  const a = left.placeAt(key);
  const b = right.placeAt(key);
  if (a === LAST || b === LAST) return a === b ? 0 : a - b;
  const aTerms = left.columns[key]!.terms;
  const bTerms = right.columns[key]!.terms;
  if (aTerms === null || bTerms === null) return a - b;
  return sign * compareTerms(aTerms, Math.abs(a), bTerms, Math.abs(b));
}

function compareRows(left: SegmentHits, right: SegmentHits): number {
  if (left.target !== right.target) return left.target - right.target;
  if (left.view === right.view) return left.row - right.row;
  return compareTerms(left.segment.ids, left.row, right.segment.ids, right.row);
}
