// Merges the hits of segments, of one index or several, into one page. The segment with the first
// row is always at hand, so each hit before the page costs one step.
import type { IndexName, SortKey, SortValue } from '../../query/query.ts';
import { STEPS_PER_YIELD } from '../scoring/scorer.ts';
import { NO_MORE_DOCS } from '../sections/segment.ts';
import { passHits } from './pass-hits.ts';
import { PENDING, type SegmentHits } from './segment-hits.ts';
import { BY_SCORE, compareHits } from './sort-order.ts';

/** One document of a page, or some of its elements, before it is read. */
export interface HitRow {
  readonly index: IndexName;
  /** Index into the views of that index. */
  readonly view: number;
  /** Row of the root table. */
  readonly row: number;
  /** null if the order does not use scores. */
  readonly score: number | null;
  /** The values of the sort keys; empty for BY_SCORE. */
  readonly sort: readonly SortValue[];
  /** Indexes of elements in the nested array; null: the document. */
  readonly elements: readonly number[] | null;
}

export interface Page {
  readonly hits: HitRow[];
  /** Number of hits merged, up to the end of the page. */
  readonly merged: number;
}

/** Computing the places of a document, strings and ids included, costs several plain steps. */
const STEPS = STEPS_PER_YIELD / 16;

/** The hits [from, end) of all. */
export function* mergeHits(
  parts: readonly SegmentHits[],
  keys: readonly SortKey[],
  from: number,
  end: number,
): Generator<void, Page> {
  const scoreKey = keys.findIndex(({ type }) => type === 'score');
  const withValues = keys.length > 0 && keys !== BY_SCORE;
  const open = new OpenHits(keys, parts.length);
  let merged = from > 0 ? yield* passHits(parts, keys, from) : 0;
  for (const part of parts) {
    while (part.next() === PENDING) yield;
    if (part.row !== NO_MORE_DOCS) open.insert(part);
  }
  const hits: HitRow[] = [];
  while (merged < end) {
    const best = open.takeFirst();
    if (best === null) break;
    if (merged >= from) hits.push(hitOf(best, scoreKey, withValues ? valuesOf(best) : NO_VALUES));
    merged += 1;
    if (merged === end) break;
    while (best.next() === PENDING) yield;
    if (best.row !== NO_MORE_DOCS) open.insert(best);
    if (merged % STEPS === 0) yield;
  }
  return { hits, merged };
}

function hitOf(part: SegmentHits, scoreKey: number, sort: readonly SortValue[]): HitRow {
  const { index, view, row, element } = part;
  const score = scoreKey < 0 ? null : 0 - part.placeAt(scoreKey);
  return { index, view, row, score, sort, elements: element === null ? null : [element] };
}

function valuesOf(part: SegmentHits): SortValue[] {
  return part.columns.map((column, key) => column.valueAt(part.placeAt(key)));
}

const NO_VALUES: readonly SortValue[] = [];

/**
 * The segments that have a hit, in reverse order of their hits: the first one is at the end, where
 * it is cheap to remove.
 */
class OpenHits {
  readonly #keys: readonly SortKey[];
  readonly #parts: (SegmentHits | null)[];
  #count = 0;

  constructor(keys: readonly SortKey[], capacity: number) {
    this.#keys = keys;
    this.#parts = new Array<SegmentHits | null>(capacity).fill(null);
  }

  takeFirst(): SegmentHits | null {
    if (this.#count === 0) return null;
    this.#count -= 1;
    return this.#parts[this.#count]!;
  }

  insert(part: SegmentHits): void {
    const parts = this.#parts;
    let low = 0;
    let high = this.#count;
    while (low < high) {
      // path: segments merged
      const middle = (low + high) >>> 1;
      if (compareHits(this.#keys, part, parts[middle]!) < 0) low = middle + 1;
      else high = middle;
    }
    for (let at = this.#count; at > low; at--) parts[at] = parts[at - 1]!;
    parts[low] = part;
    this.#count += 1;
  }
}
