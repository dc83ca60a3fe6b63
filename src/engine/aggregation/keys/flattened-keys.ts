// Flattened keys: a document has each key of its elements below a path, once.
// Invariant: nothing is copied for a segment; the elements of a document are read when it is
// collected.
import { nestedPathOf, type ValueSource } from '../../../query/aggregation.ts';
import type { IndexAggregation, SegmentContext } from '../collecting/collector.ts';
import type { DistinctKeys } from '../collecting/distinct-keys.ts';
import type { Key } from '../collecting/intermediate.ts';
import type { IndexKeys } from './index-keys.ts';
import { type KeyColumn, type LoadedKeys, NO_KEYS, type OrdinalKeys } from './key-column.ts';
import { numberOf } from './loaded-keys.ts';
import { NumberMarks } from './number-marks.ts';

/** Returns the keys per document if the source is flattened; otherwise the keys themselves. */
export function flattenedKeys(source: ValueSource, keys: IndexKeys): IndexKeys {
  const path = nestedPathOf(source);
  return path === null ? keys : new FlattenedKeys(path, keys);
}

/**
 * Returns the rows that hold the values of a source: the rows being collected, or their elements.
 */
export function valueContextOf(source: ValueSource, context: SegmentContext): SegmentContext {
  const path = nestedPathOf(source);
  return path === null ? context : context.index.contextOf(context.view, path);
}

/**
 * Maps the keys of elements to their documents. Keys are numbered, compared and printed as those of
 * the elements.
 */
class FlattenedKeys implements IndexKeys {
  column: KeyColumn = NO_KEYS;
  readonly numbers = null;
  readonly #path: string;
  readonly #keys: IndexKeys;

  constructor(path: string, keys: IndexKeys) {
    this.#path = path;
    this.#keys = keys;
  }

  *enter({ index, view }: SegmentContext): Generator<void> {
    const elements = index.contextOf(view, this.#path);
    yield* this.#keys.enter(elements);
    const { column } = this.#keys;
    const firstRow = elements.table?.firstRow ?? null;
    if (firstRow === null || column === NO_KEYS) this.column = NO_KEYS;
    else if (column.kind === 'loaded') this.column = new ElementKeys(column, firstRow, index);
    else this.column = new OrdinalElementKeys(this.#keys, column, firstRow, index);
  }

  resolve(ord: number): number {
    return ord;
  }

  get absent(): number {
    return this.#keys.absent;
  }

  key(number: number): Key {
    return this.#keys.key(number);
  }

  compare(left: number, right: number): number {
    return this.#keys.compare(left, right);
  }

  addTo(keys: DistinctKeys, number: number): void {
    this.#keys.addTo(keys, number);
  }
}

/** Keys of documents whose elements have loaded keys. */
class ElementKeys implements LoadedKeys {
  readonly kind = 'loaded';
  readonly rowKeys: number[] = [];
  readonly #elements: LoadedKeys;
  readonly #firstRow: Int32Array;
  readonly #index: IndexAggregation;
  readonly #seen = new NumberMarks();

  constructor(elements: LoadedKeys, firstRow: Int32Array, index: IndexAggregation) {
    this.#elements = elements;
    this.#firstRow = firstRow;
    this.#index = index;
  }

  /** Rejected keys count, too: a document with only rejected keys is not one without keys. */
  load(row: number): number {
    const elements = this.#elements;
    const to = this.#firstRow[row + 1]!;
    const from = this.#firstRow[row]!;
    this.#seen.clear();
    let count = 0;
    for (let element = from; element < to; element++) {
      const keys = elements.load(element);
      for (let at = 0; at < keys; at++) {
        const number = elements.rowKeys[at]!;
        if (number < 0 || this.#seen.add(number)) this.rowKeys[count++] = number;
      }
    }
    this.#index.addSteps(to - from);
    return count;
  }
}

/** Keys of documents whose elements have ordinals; the elements of a document are consecutive. */
class OrdinalElementKeys implements LoadedKeys {
  readonly kind = 'loaded';
  readonly rowKeys: number[] = [];
  readonly #keys: IndexKeys;
  readonly #column: OrdinalKeys;
  readonly #firstRow: Int32Array;
  readonly #index: IndexAggregation;
  readonly #seen = new NumberMarks();

  constructor(keys: IndexKeys, column: OrdinalKeys, firstRow: Int32Array, index: IndexAggregation) {
    this.#keys = keys;
    this.#column = column;
    this.#firstRow = firstRow;
    this.#index = index;
  }

  load(row: number): number {
    const { ords, start } = this.#column;
    const first = this.#firstRow[row]!;
    const end = this.#firstRow[row + 1]!;
    const from = start === null ? first : start[first]!;
    const to = start === null ? end : start[end]!;
    this.#seen.clear();
    let count = 0;
    for (let at = from; at < to; at++) {
      const ord = ords[at]!;
      if (ord < 0) continue;
      const number = numberOf(this.#keys, ord);
      if (number < 0 || this.#seen.add(number)) this.rowKeys[count++] = number;
    }
    this.#index.addSteps(to - from);
    return count;
  }
}
