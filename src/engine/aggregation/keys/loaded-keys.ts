// Reads the keys of any column row by row, as numbers of the index.
import { type IndexKeys, UNKNOWN } from './index-keys.ts';
import type { LoadedKeys, OrdinalKeys } from './key-column.ts';

/** Returns the keys of the segment that was entered last. */
export function loadedKeys(keys: IndexKeys): LoadedKeys {
  const { column } = keys;
  return column.kind === 'loaded' ? column : new OrdinalKeysByRow(keys, column);
}

/** Returns the number of a key of an ordinal column. */
export function numberOf(keys: IndexKeys, ord: number): number {
  const { numbers } = keys;
  const number = numbers === null ? ord : numbers[ord]!;
  return number === UNKNOWN ? keys.resolve(ord) : number;
}

class OrdinalKeysByRow implements LoadedKeys {
  readonly kind = 'loaded';
  readonly rowKeys: number[] = [];
  readonly #keys: IndexKeys;
  readonly #column: OrdinalKeys;

  constructor(keys: IndexKeys, column: OrdinalKeys) {
    this.#keys = keys;
    this.#column = column;
  }

  load(row: number): number {
    const { ords, start } = this.#column;
    const from = start === null ? row : start[row]!;
    const to = start === null ? row + 1 : start[row + 1]!;
    let count = 0;
    for (let at = from; at < to; at++) {
      const ord = ords[at]!;
      if (ord < 0) continue;
      this.rowKeys[count] = numberOf(this.#keys, ord);
      count += 1;
    }
    return count;
  }
}
