// Keys by row for those who need them one row after the other, wherever they stand: as numbers of the index.
import { type IndexKeys, UNKNOWN } from './index-keys.ts';
import type { LoadedKeys, PlacedKeys } from './key-column.ts';

/** The keys of the segment that was entered last. */
export function loadedKeys(keys: IndexKeys): LoadedKeys {
  const { column } = keys;
  return column.kind === 'loaded' ? column : new PlacedOneByOne(keys, column);
}

/** The number of a key of a placed column. */
export function numberOf(keys: IndexKeys, ord: number): number {
  const { numbers } = keys;
  const number = numbers === null ? ord : numbers[ord]!;
  return number === UNKNOWN ? keys.resolve(ord) : number;
}

class PlacedOneByOne implements LoadedKeys {
  readonly kind = 'loaded';
  readonly found: number[] = [];
  readonly #keys: IndexKeys;
  readonly #column: PlacedKeys;

  constructor(keys: IndexKeys, column: PlacedKeys) {
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
      this.found[count] = numberOf(this.#keys, ord);
      count += 1;
    }
    return count;
  }
}
