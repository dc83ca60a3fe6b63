// The keys of an aggregation over all segments of an index: each key is one small number, whichever segment it is met in.
// Strings have a file of their own (string-keys.ts), and so have composite tuples.
// Invariant: a number stands for one key as long as the aggregation runs.
import type { MissingValue, ValueSource } from '../../../query/aggregation/aggregation.ts';
import { compareTerms } from '../../fields/term-dictionary.ts';
import type { NumberIndex } from '../../index/segment.ts';
import type { IndexAggregation, SegmentPlace } from '../collector.ts';
import type { Key } from '../intermediate.ts';
import type { DistinctKeys } from '../metric/distinct-keys.ts';
import { type KeyColumn, type LoadedKeys, NO_KEYS, ONE_KEY } from './key-column.ts';
import type { KeyFilter } from './key-filter.ts';
import { compareKeys } from './key-order.ts';
import { type RoundedOrdinals, type Rounding, roundedOrdinals } from './rounded-ordinals.ts';

/** The number of a key that makes no bucket. */
export const REJECTED = -2;
/** The number of a key is not known yet. */
export const UNKNOWN = -1;

export interface IndexKeys {
  /** Binds to the rows of a segment. May take long, so it yields. */
  enter(place: SegmentPlace): Generator<void>;
  /** The keys of the segment. */
  readonly column: KeyColumn;
  /** By key of a placed column: its number, UNKNOWN or REJECTED. null: the key is the number. */
  readonly numbers: Int32Array | null;
  /** Finds a number that is UNKNOWN, and puts it there. */
  resolve(ord: number): number;
  /** The number of rows without a key; negative where they have none. */
  readonly absent: number;
  /** Numbers are below this while the segment is there; null where that is not known. */
  readonly size: number | null;
  /** What a number stands for. */
  key(number: number): Key;
  /** In the order of keys. */
  compare(left: number, right: number): number;
  /** Adds what a number stands for. */
  addTo(keys: DistinctKeys, number: number): void;
}

/** What can be said of the keys of an aggregation. */
export interface KeyOptions {
  /** Rows without a key get this one. */
  readonly missing?: MissingValue | undefined;
  /** null: all. */
  readonly filter?: KeyFilter | null;
}

/** Gives out small numbers for keys. */
export class KeyNumbers<T extends Key> {
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

/** Keys that are numbers, rounded or as they are. */
export class NumberKeys implements IndexKeys {
  column: KeyColumn = NO_KEYS;
  numbers: Int32Array | null = null;
  readonly absent: number;
  readonly #source: ValueSource;
  readonly #rounding: Rounding;
  readonly #filter: KeyFilter | null;
  readonly #known = new KeyNumbers<number>();
  #ordinals: RoundedOrdinals | null = null;

  /** @param missing already rounded */
  constructor(source: ValueSource, rounding: Rounding, { missing, filter = null }: KeyOptions) {
    this.#source = source;
    this.#rounding = rounding;
    this.#filter = filter;
    this.absent = typeof missing === 'number' ? this.#number(missing) : REJECTED;
  }

  *enter({ table }: SegmentPlace): Generator<void> {
    const source = this.#source;
    const index =
      source.kind === 'numbers' ? table?.numbers(source.field, source.column) : undefined;
    this.numbers = null;
    this.#ordinals = null;
    this.column = NO_KEYS;
    if (index === undefined) return;
    const ordinals = index.start === null ? yield* roundedOrdinals(index, this.#rounding) : null;
    this.#ordinals = ordinals;
    if (ordinals === null) {
      this.column = new RoundedNumbers(index, (value) => this.#number(this.#rounding.round(value)));
      return;
    }
    const { ords, keys, counts } = ordinals;
    this.column = {
      kind: 'placed',
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

  get size(): number | null {
    return this.#ordinals === null && this.column !== NO_KEYS
      ? null
      : this.#known.keys.length + (this.#ordinals?.keys.length ?? 0);
  }

  key(number: number): number {
    return this.#known.keys[number]!;
  }

  compare(left: number, right: number): number {
    return this.key(left) - this.key(right);
  }

  addTo(keys: DistinctKeys, number: number): void {
    keys.add(this.key(number));
  }

  #number(key: number): number {
    if (this.#filter !== null && !this.#filter(key)) return REJECTED;
    return this.#known.number(key);
  }
}

/** Values of a row ascend, and rounding keeps that: equal keys stand side by side. */
class RoundedNumbers implements LoadedKeys {
  readonly kind = 'loaded';
  readonly found: number[] = [];
  readonly #index: NumberIndex;
  readonly #number: (value: number) => number;

  constructor(index: NumberIndex, number: (value: number) => number) {
    this.#index = index;
    this.#number = number;
  }

  /** Numbers that are rejected count as keys, too: a row that has some is not without. */
  load(row: number): number {
    const { values, start } = this.#index;
    if (start === null) {
      const value = values[row]!;
      if (Number.isNaN(value)) return 0;
      this.found[0] = this.#number(value);
      return 1;
    }
    let count = 0;
    for (let i = start[row]!; i < start[row + 1]!; i++) {
      const number = this.#number(values[i]!);
      if (count > 0 && this.found[count - 1] === number) continue;
      this.found[count] = number;
      count += 1;
    }
    return count;
  }
}

/** Documents' ids; elements have that of their document. A live document stands in one segment. */
export class IdKeys implements IndexKeys {
  column: KeyColumn = NO_KEYS;
  readonly numbers = null;
  readonly absent = REJECTED;
  readonly size: number;
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
    this.size = first;
  }

  *enter({ view, table }: SegmentPlace): Generator<void> {
    const first = this.#firsts[view]!;
    const parent = table?.parent ?? null;
    const filter = this.#filter;
    const found = [0];
    const load = (row: number): number => {
      const number = first + (parent === null ? row : parent[row]!);
      found[0] = filter === null || filter(this.key(number)) ? number : REJECTED;
      return 1;
    };
    this.column = { kind: 'loaded', found, load };
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

/** Keys that are the same in every segment, each by its number. */
export class FixedKeys implements IndexKeys {
  column: KeyColumn = NO_KEYS;
  readonly numbers = null;
  readonly size: number;
  readonly absent: number;
  readonly #keys: readonly Key[];
  readonly #columnOf: (place: SegmentPlace) => Generator<void, KeyColumn>;

  /** @param absent the number of rows without a key, if they have one */
  constructor(
    keys: readonly Key[],
    columnOf: (place: SegmentPlace) => Generator<void, KeyColumn>,
    absent = REJECTED,
  ) {
    this.#keys = keys;
    this.size = keys.length;
    this.#columnOf = columnOf;
    this.absent = absent;
  }

  *enter(place: SegmentPlace): Generator<void> {
    this.column = yield* this.#columnOf(place);
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

/** The same key for every row, or only for those without another, of which there are none. */
export function constantKeys(value: Key, { filter = null }: KeyOptions): FixedKeys {
  const column = filter === null || filter(value) ? ONE_KEY : NO_KEYS;
  // biome-ignore lint/correctness/useYield: nothing here takes long
  return new FixedKeys([value], function* () {
    return column;
  });
}

/** No row has a key but what stands in for one. */
export function noKeys({ missing, filter = null }: KeyOptions): FixedKeys {
  const wanted = missing !== undefined && (filter === null || filter(missing));
  // biome-ignore lint/correctness/useYield: nothing here takes long
  const columnOf = function* () {
    return NO_KEYS;
  };
  return new FixedKeys(wanted ? [missing] : [], columnOf, wanted ? 0 : REJECTED);
}
