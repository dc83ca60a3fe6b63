// The bucket of each row of a column of numbers, by a rounding: made once for a segment and kept with it, so that the
// next aggregation over the same intervals looks it up. Four bytes a row; a few roundings a column.
// Invariant: what is kept is never changed, and segments never change.
import type { NumberIndex } from '../../index/segment.ts';

/** How numbers are rounded down. */
export interface Rounding {
  /** The same for all roundings that do the same. */
  readonly key: string;
  /** Keeps the order of numbers. */
  round(value: number): number;
}

/** Each number by itself. */
export const AS_IT_IS: Rounding = { key: '', round: (value) => value };

/** The buckets of a column with one value a row. */
export interface RoundedOrdinals {
  /** By row: the number of its bucket, or -1. */
  readonly ords: Int32Array;
  /** By bucket: the rounded number, ascending. */
  readonly keys: readonly number[];
  /** By bucket: how many rows it has. */
  readonly counts: readonly number[];
}

const KEPT_MAX = 4;
/** More buckets than this are hardly asked for twice. */
const BUCKETS_MAX = 1 << 16;

const kept = new WeakMap<NumberIndex, Map<string, RoundedOrdinals | null>>();

/** Rows looked at before others may have their turn. */
const ROWS_PER_YIELD = 16 * 1024;

/** null where they would be too many. */
export function* roundedOrdinals(
  index: NumberIndex,
  rounding: Rounding,
): Generator<void, RoundedOrdinals | null> {
  let known = kept.get(index);
  if (known === undefined) {
    known = new Map();
    kept.set(index, known);
  }
  let ordinals = known.get(rounding.key);
  if (ordinals === undefined) {
    ordinals = yield* makeOrdinals(index, rounding);
  }
  // What was asked for last stands last.
  known.delete(rounding.key);
  known.set(rounding.key, ordinals);
  for (const oldest of known.keys()) {
    if (known.size <= KEPT_MAX) break;
    known.delete(oldest);
  }
  return ordinals;
}

function* makeOrdinals(
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

/** Where the run that begins at `from` ends: it is found in strides that double, then by halves. */
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
