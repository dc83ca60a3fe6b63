// The keys of the rows of a segment, as small numbers. Most columns are arrays of ordinals that
// collectors read directly; keys that must be computed are loaded row by row.
// Invariant: a row has each key once.
import type { RowSet } from '../collecting/rows.ts';

export type KeyColumn = OrdinalKeys | LoadedKeys;

/** Keys of the segment as an array by row, such as the ordinals of its dictionary. */
export interface OrdinalKeys {
  readonly kind: 'ordinals';
  /**
   * The keys of a row: ords[start[row], start[row + 1]); without `start` ords[row], or none if that
   * is -1.
   */
  readonly ords: Int32Array;
  readonly start: Uint32Array | null;
  /** An upper bound of the keys; each smaller number occurs in some row. */
  readonly size: number;
  /** Returns the number of rows that have a key. */
  frequency(ord: number): number;
}

/** Keys that are loaded row by row. Their numbers are valid for the whole index. */
export interface LoadedKeys {
  readonly kind: 'loaded';
  /** Puts the keys of a row into `rowKeys` and returns their number. */
  load(row: number): number;
  readonly rowKeys: readonly number[];
  /**
   * The number of keys loaded so far, if the column counts each as a bucket when it finds it;
   * omitted: it counts none.
   */
  readonly counted?: number;
  /** By key: its set of rows, if each key is defined by one. */
  readonly sets?: readonly RowSet[];
}

/** No row has a key. */
export const NO_KEYS: LoadedKeys = { kind: 'loaded', rowKeys: [], load: () => 0 };

/** Each row has the same single key. */
export const ONE_KEY: LoadedKeys = { kind: 'loaded', rowKeys: [0], load: () => 1 };
