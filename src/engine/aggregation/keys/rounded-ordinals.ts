// The histogram bucket of each row of a number column, computed once per segment and rounding and
// cached with the column, so that the next aggregation over the same intervals reads it. It takes
// four bytes per row, for a few roundings per column.
// Invariant: segments and cache entries are immutable.
import { BoundedMap } from '../../../query/bounded-map.ts';
import { DerivedPart, type QueryCache } from '../../index/query-cache.ts';
import type { NumberIndex } from '../../sections/segment.ts';

/** Rounds numbers down. */
export interface Rounding {
  /** Equal for roundings that have the same results. */
  readonly key: string;
  /** Keeps the order of numbers. */
  round(value: number): number;
}

/** Keeps each number as it is. */
export const UNROUNDED: Rounding = { key: '', round: (value) => value };

/** The buckets of a column with one value per row. */
export interface RoundedOrdinals {
  /** By row: the number of its bucket, or -1. */
  readonly ords: Int32Array;
  /** By bucket: the rounded number, ascending. */
  readonly keys: readonly number[];
  /** By bucket: its number of rows. */
  readonly counts: readonly number[];
}

/** No ordinals are built for more buckets: such a rounding is unlikely to be used twice. */
const BUCKETS_MAX = 1 << 16;

const ORDINALS = new DerivedPart(
  (_: NumberIndex) => new BoundedMap<string, RoundedOrdinals | null>({ kept: 3 }),
);

/** Rows processed between two yields. */
const ROWS_PER_YIELD = 16 * 1024;

/** Returns null if there would be too many buckets. */
export function* roundedOrdinals(
  index: NumberIndex,
  rounding: Rounding,
  cache: QueryCache,
): Generator<void, RoundedOrdinals | null> {
  const cached = cache.of(ORDINALS, index);
  const ordinals = cached.get(rounding.key);
  if (ordinals !== undefined) return ordinals;
  return cached.add(rounding.key, yield* buildOrdinals(index, rounding));
}

function* buildOrdinals(
  { values, sortedValues, sortedRows }: NumberIndex,
  { round }: Rounding,
): Generator<void, RoundedOrdinals | null> {
  const ords = new Int32Array(values.length).fill(-1);
  const keys: number[] = [];
  const counts: number[] = [];
  let steps = 0;
  for (let from = 0; from < sortedValues.length; ) {
    if (keys.length === BUCKETS_MAX) return null;
    const key = round(sortedValues[from]!);
    const to = endOf(sortedValues, from, (value) => round(value) === key);
    // path: one number
    const ord = keys.push(key) - 1;
    counts.push(to - from);
    for (; from < to; from++) {
      ords[sortedRows[from]!] = ord;
      steps += 1;
      if (steps % ROWS_PER_YIELD === 0) yield;
    }
  }
  return { ords, keys, counts };
}

/** Returns the end of the run that begins at `from`, by galloping and then binary search. */
function endOf(values: Float64Array, from: number, belongs: (value: number) => boolean): number {
  let low = from;
  let stride = 1;
  while (low + stride < values.length && belongs(values[low + stride]!)) {
    low += stride;
    stride *= 2;
  }
  let high = Math.min(low + stride, values.length);
  while (low + 1 < high) {
    const middle = (low + high) >>> 1;
    if (belongs(values[middle]!)) low = middle;
    else high = middle;
  }
  return high;
}
