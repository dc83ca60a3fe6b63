// Merges what segments have found, of one index or of several, into one page: the segment whose next row is first is
// always at hand, and what comes before the page costs no more than a step each.
import type { SortKey, SortValue } from '../../query/query.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import { STEPS_PER_YIELD } from '../matching/scorer.ts';
import { type SegmentHits, STILL_LOOKING } from './segment-hits.ts';
import { BY_SCORE, compareHits } from './sort-order.ts';

/** One document of a page. */
export interface MergedHit {
  /** Of SegmentHits, as `view`. */
  readonly target: number;
  readonly view: number;
  /** Row of the root table. */
  readonly row: number;
  /** null where the order does not depend on it. */
  readonly score: number | null;
  /** The values of the sort keys; none of BY_SCORE. */
  readonly sort: readonly SortValue[];
}

export interface Page {
  readonly hits: MergedHit[];
  /** How many documents there were up to the end of the page. */
  readonly passed: number;
}

/** Finding the place of a document, strings and ids included, costs a few plain steps. */
const STEPS = STEPS_PER_YIELD / 16;

/** Documents [from, end) of all. */
export function* mergeHits(
  parts: readonly SegmentHits[],
  keys: readonly SortKey[],
  from: number,
  end: number,
): Generator<void, Page> {
  const scoreKey = keys.findIndex(({ type }) => type === 'score');
  const tellsValues = keys.length > 0 && keys !== BY_SCORE;
  const open = new OpenHits(keys, parts.length);
  for (const part of parts) {
    while (part.next() === STILL_LOOKING) yield;
    if (part.row !== NO_MORE_DOCS) open.insert(part);
  }
  const hits: MergedHit[] = [];
  let passed = 0;
  while (passed < end) {
    const best = open.takeFirst();
    if (best === null) break;
    if (passed >= from) hits.push(hitOf(best, scoreKey, tellsValues ? valuesOf(best) : NO_VALUES));
    passed += 1;
    if (passed === end) break;
    while (best.next() === STILL_LOOKING) yield;
    if (best.row !== NO_MORE_DOCS) open.insert(best);
    if (passed % STEPS === 0) yield;
  }
  return { hits, passed };
}

function hitOf(part: SegmentHits, scoreKey: number, sort: readonly SortValue[]): MergedHit {
  const { target, view, row, places } = part;
  const score = scoreKey < 0 ? null : 0 - places[scoreKey]!;
  return { target, view, row, score, sort };
}

function valuesOf({ columns, places }: SegmentHits): SortValue[] {
  return columns.map((column, key) => column.valueAt(places[key]!));
}

const NO_VALUES: readonly SortValue[] = [];

/** The parts that have a row, in the order of their rows; the first one stands last, where it is cheap to take. */
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
      const middle = (low + high) >>> 1;
      if (compareHits(this.#keys, part, parts[middle]!) < 0) low = middle + 1;
      else high = middle;
    }
    for (let at = this.#count; at > low; at--) parts[at] = parts[at - 1]!;
    parts[low] = part;
    this.#count += 1;
  }
}
