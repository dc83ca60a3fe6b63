// The keys that the rows of a segment are sorted by, as small numbers. Mostly they stand by row, and those who collect
// walk the arrays themselves; where they must be made for each row, they are loaded.
// Invariant: a row has each key once.
import type { RowSet } from '../rows.ts';

export type KeyColumn = PlacedKeys | LoadedKeys;

/** Keys of the segment, such as the ordinals of its dictionary. */
export interface PlacedKeys {
  readonly kind: 'placed';
  /** The keys of a row: ords[start[row], start[row + 1]); where `start` is null ords[row], or none where that is -1. */
  readonly ords: Int32Array;
  readonly start: Uint32Array | null;
  /** Keys are below this; each of them is in some row. */
  readonly size: number;
  /** How many rows have a key. */
  frequency(ord: number): number;
}

/** Keys of the index: numbers that mean the same in all segments. */
export interface LoadedKeys {
  readonly kind: 'loaded';
  /** Puts the keys of a row into `found`; how many. */
  load(row: number): number;
  readonly found: readonly number[];
  /** Where each key stands for a set of rows: these, by key. */
  readonly sets?: readonly RowSet[];
}

/** No row has a key. */
export const NO_KEYS: LoadedKeys = { kind: 'loaded', found: [], load: () => 0 };

/** Every row has one key, the same. */
export const ONE_KEY: LoadedKeys = { kind: 'loaded', found: [0], load: () => 1 };
