// The keys of an aggregation over all segments of an index: each key has one small number,
// whichever segment it occurs in. String keys are in string-keys.ts, tuples in bucket/composite.ts.
// Invariant: the number of a key does not change while the aggregation runs.

import type { MissingValue, ValueSource } from '../../../query/aggregation.ts';
import { done } from '../../../query/steps.ts';
import { compareTerms } from '../../fields/term-dictionary.ts';
import type { NumberIndex } from '../../sections/segment.ts';
import type { IndexAggregation, SegmentContext } from '../collecting/collector.ts';
import type { DistinctKeys } from '../collecting/distinct-keys.ts';
import type { Key } from '../collecting/intermediate.ts';
import { type KeyColumn, type LoadedKeys, NO_KEYS, ONE_KEY } from './key-column.ts';
import type { KeyFilter } from './key-filter.ts';
import { compareKeys } from './key-order.ts';
import { type RoundedOrdinals, type Rounding, roundedOrdinals } from './rounded-ordinals.ts';

/** The number of a key that gets no bucket. */
export const REJECTED = -2;
/** The key has no number yet. */
export const UNKNOWN = -1;

export interface IndexKeys {
  /** Starts a segment. Can take long, so it yields. */
  enter(context: SegmentContext): Generator<void>;
  /** The keys of the current segment. */
  readonly column: KeyColumn;
  /**
   * For each key of an ordinal column its number, UNKNOWN or REJECTED; null: the key is the number.
   */
  readonly numbers: Int32Array | null;
  /** Finds the number of a key that is UNKNOWN, and stores it. */
  resolve(ord: number): number;
  /** The number that rows without a key get; negative if they get none. */
  readonly absent: number;
  /** Returns the key with a number. */
  key(number: number): Key;
  /** Compares two numbers in the order of their keys. */
  compare(left: number, right: number): number;
  /** Adds the key with a number. */
  addTo(keys: DistinctKeys, number: number): void;
}

/** Options for the keys of an aggregation. */
export interface KeyOptions {
  /** The key of rows without one. */
  readonly missing?: MissingValue | undefined;
  /** The keys that get a bucket; null: all. */
  readonly filter?: KeyFilter | null;
}

/** Assigns small numbers to keys. */
class KeyNumbers<T extends Key> {
  readonly keys: T[] = [];
  readonly #numbers = new Map<T, number>();

  number(key: T): number {
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.keys.length;
      this.keys.push(key);
      this.#numbers.set(key, number);
    }
    return number;
  }
}

/** Numeric keys, rounded or not. */
export class NumberKeys implements IndexKeys {
  column: KeyColumn = NO_KEYS;
  numbers: Int32Array | null = null;
  readonly absent: number;
  readonly #source: ValueSource;
  readonly #rounding: Rounding;
  readonly #filter: KeyFilter | null;
  readonly #keyNumbers = new KeyNumbers<number>();
  #ordinals: RoundedOrdinals | null = null;

  /** @param missing already rounded */
  constructor(source: ValueSource, rounding: Rounding, { missing, filter = null }: KeyOptions) {
    this.#source = source;
    this.#rounding = rounding;
    this.#filter = filter;
    this.absent = typeof missing === 'number' ? this.#number(missing) : REJECTED;
  }

  *enter({ index: { cache }, table }: SegmentContext): Generator<void> {
    const source = this.#source;
    const index =
      source.kind === 'numbers' ? table?.numbers(source.field, source.column) : undefined;
    this.numbers = null;
    this.#ordinals = null;
    this.column = NO_KEYS;
    if (index === undefined) return;
    const ordinals =
      index.start === null ? yield* roundedOrdinals(index, this.#rounding, cache) : null;
    this.#ordinals = ordinals;
    if (ordinals === null) {
      this.column = new RoundedNumbers(index, (value) => this.#number(this.#rounding.round(value)));
      return;
    }
    const { ords, keys, counts } = ordinals;
    this.column = {
      kind: 'ordinals',
      ords,
      start: null,
      size: keys.length,
      frequency: (ord) => counts[ord]!,
    };
    this.numbers = new Int32Array(keys.length).fill(UNKNOWN);
  }

  resolve(ord: number): number {
    const number = this.#number(this.#ordinals!.keys[ord]!);
    this.numbers![ord] = number;
    return number;
  }

  key(number: number): number {
    return this.#keyNumbers.keys[number]!;
  }

  compare(left: number, right: number): number {
    return this.key(left) - this.key(right);
  }

  addTo(keys: DistinctKeys, number: number): void {
    keys.add(this.key(number));
  }

  #number(key: number): number {
    if (this.#filter !== null && !this.#filter(key)) return REJECTED;
    return this.#keyNumbers.number(key);
  }
}

/** The values of a row ascend, and rounding keeps their order, so equal keys are adjacent. */
class RoundedNumbers implements LoadedKeys {
  readonly kind = 'loaded';
  readonly rowKeys: number[] = [];
  readonly #index: NumberIndex;
  readonly #number: (value: number) => number;

  constructor(index: NumberIndex, number: (value: number) => number) {
    this.#index = index;
    this.#number = number;
  }

  /** Rejected numbers count as keys, too: a row with only rejected keys is not one without keys. */
  load(row: number): number {
    const { values, start } = this.#index;
    if (start === null) {
      const value = values[row]!;
      if (Number.isNaN(value)) return 0;
      this.rowKeys[0] = this.#number(value);
      return 1;
    }
    let count = 0;
    for (let i = start[row]!; i < start[row + 1]!; i++) {
      // path: several numbers
      const number = this.#number(values[i]!);
      if (count > 0 && this.rowKeys[count - 1] === number) continue;
      this.rowKeys[count] = number;
      count += 1;
    }
    return count;
  }
}

/** Document ids; elements have the id of their document. A live document is in one segment. */
export class IdKeys implements IndexKeys {
  column: KeyColumn = NO_KEYS;
  readonly numbers = null;
  readonly absent = REJECTED;
  readonly #index: IndexAggregation;
  readonly #filter: KeyFilter | null;
  /** By view: the number of its first row. */
  readonly #firsts: Float64Array;

  constructor(index: IndexAggregation, { filter = null }: KeyOptions) {
    this.#index = index;
    this.#filter = filter;
    this.#firsts = new Float64Array(index.views.length);
    let first = 0;
    for (const [view, { segment }] of index.views.entries()) {
      this.#firsts[view] = first;
      first += segment.docCount;
    }
  }

  *enter({ view, table }: SegmentContext): Generator<void> {
    const first = this.#firsts[view]!;
    const parent = table?.parent ?? null;
    const filter = this.#filter;
    const rowKeys = [0];
    const load = (row: number): number => {
      const number = first + (parent === null ? row : parent[row]!);
      rowKeys[0] = filter === null || filter(this.key(number)) ? number : REJECTED;
      return 1;
    };
    this.column = { kind: 'loaded', rowKeys, load };
  }

  resolve(ord: number): number {
    return ord;
  }

  key(number: number): string {
    const view = this.#viewOf(number);
    return this.#index.views[view]!.segment.ids.term(number - this.#firsts[view]!);
  }

  compare(left: number, right: number): number {
    const leftView = this.#viewOf(left);
    const rightView = this.#viewOf(right);
    if (leftView === rightView) return left - right;
    const a = this.#index.views[leftView]!.segment.ids;
    const b = this.#index.views[rightView]!.segment.ids;
    return compareTerms(a, left - this.#firsts[leftView]!, b, right - this.#firsts[rightView]!);
  }

  addTo(keys: DistinctKeys, number: number): void {
    const view = this.#viewOf(number);
    const { bytes, offsets } = this.#index.views[view]!.segment.ids;
    const ord = number - this.#firsts[view]!;
    keys.addString(bytes, offsets[ord]!, offsets[ord + 1]!);
  }

  #viewOf(number: number): number {
    let low = 0;
    let high = this.#firsts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#firsts[middle]! <= number) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Keys that are the same in each segment and are numbered by position. */
export class FixedKeys implements IndexKeys {
  column: KeyColumn = NO_KEYS;
  readonly numbers = null;
  readonly absent: number;
  readonly #keys: readonly Key[];
  readonly #columnOf: (context: SegmentContext) => Generator<void, KeyColumn>;

  /** @param absent the number that rows without a key get, if they get one */
  constructor(
    keys: readonly Key[],
    columnOf: (context: SegmentContext) => Generator<void, KeyColumn>,
    absent = REJECTED,
  ) {
    this.#keys = keys;
    this.#columnOf = columnOf;
    this.absent = absent;
  }

  *enter(context: SegmentContext): Generator<void> {
    this.column = yield* this.#columnOf(context);
  }

  resolve(ord: number): number {
    return ord;
  }

  key(number: number): Key {
    return this.#keys[number]!;
  }

  compare(left: number, right: number): number {
    return compareKeys(this.key(left), this.key(right));
  }

  addTo(keys: DistinctKeys, number: number): void {
    keys.add(this.key(number));
  }
}

/** The same key for each row; none if the filter rejects it. */
export function constantKeys(value: Key, { filter = null }: KeyOptions): FixedKeys {
  const column = filter === null || filter(value) ? ONE_KEY : NO_KEYS;
  return new FixedKeys([value], () => done(column));
}

/** No row has a key, except the one for missing values. */
export function noKeys({ missing, filter = null }: KeyOptions): FixedKeys {
  const accepted = missing !== undefined && (filter === null || filter(missing));
  const columnOf = () => done(NO_KEYS);
  return new FixedKeys(accepted ? [missing] : [], columnOf, accepted ? 0 : REJECTED);
}
