// The bucket of each row of a column of numbers, by a rounding: made once for a segment and kept with it, so that the
// next histogram over the same intervals looks it up. Four bytes a row; a few roundings a column.
// Invariant: what is kept is never changed, and segments never change.
import type { NumberIndex } from '../index/segment.ts';

/** How numbers are rounded down. */
export interface Rounding {
  /** The same for all roundings that do the same. */
  readonly key: string;
  round(value: number): number;
}

/** The buckets of a column with one value a row. */
export interface RoundedOrdinals {
  /** By row: the number of its bucket, or -1. */
  readonly ords: Int32Array;
  /** By bucket: the rounded number. */
  readonly keys: readonly number[];
  readonly ordOf: ReadonlyMap<number, number>;
}

const KEPT_MAX = 4;

const kept = new WeakMap<NumberIndex, Map<string, RoundedOrdinals>>();

/** Rows looked at before others may have their turn. */
const ROWS_PER_YIELD = 64 * 1024;

export function* roundedOrdinals(
  index: NumberIndex,
  rounding: Rounding,
): Generator<void, RoundedOrdinals> {
  let known = kept.get(index);
  if (known === undefined) {
    known = new Map();
    kept.set(index, known);
  }
  let ordinals = known.get(rounding.key);
  if (ordinals === undefined) {
    ordinals = yield* makeOrdinals(index, rounding);
    if (known.size >= KEPT_MAX) known.clear();
    known.set(rounding.key, ordinals);
  }
  return ordinals;
}

function* makeOrdinals(
  { values }: NumberIndex,
  rounding: Rounding,
): Generator<void, RoundedOrdinals> {
  const ords = new Int32Array(values.length).fill(-1);
  const keys: number[] = [];
  const ordOf = new Map<number, number>();
  for (let row = 0; row < values.length; row++) {
    if (row % ROWS_PER_YIELD === ROWS_PER_YIELD - 1) yield;
    const value = values[row]!;
    if (Number.isNaN(value)) continue;
    const key = rounding.round(value);
    let ord = ordOf.get(key);
    if (ord === undefined) {
      ord = keys.length;
      keys.push(key);
      ordOf.set(key, ord);
    }
    ords[row] = ord;
  }
  return { ords, keys, ordOf };
}
