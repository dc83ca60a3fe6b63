// The strings of a field as keys. If many rows are expected, or if global ordinals are cached, a
// row's number is read from two arrays (global-ordinals.ts). If few rows are expected, strings get
// numbers as they occur, so that a query with ten hits does not read a million strings.
import type { MissingValue } from '../../../query/aggregation.ts';
import type { TermDictionary, ValueIndex } from '../../sections/segment.ts';
import type { SegmentContext } from '../collecting/collector.ts';
import type { DistinctKeys } from '../collecting/distinct-keys.ts';
import type { Key } from '../collecting/intermediate.ts';
import { StringTable } from '../collecting/string-table.ts';
import { dictionariesOf, type GlobalOrdinals, globalOrdinals } from './global-ordinals.ts';
import { type IndexKeys, type KeyOptions, REJECTED, UNKNOWN } from './index-keys.ts';
import { type KeyColumn, type LoadedKeys, NO_KEYS } from './key-column.ts';
import type { KeyFilter } from './key-filter.ts';
import { compareKeys } from './key-order.ts';

export class StringKeys implements IndexKeys {
  column: KeyColumn = NO_KEYS;
  numbers: Int32Array | null = null;
  absent = REJECTED;
  readonly #field: string;
  readonly #missing: MissingValue | undefined;
  readonly #filter: KeyFilter | null;
  #numbering: Numbering | null = null;
  #view = 0;

  constructor(field: string, { missing, filter = null }: KeyOptions) {
    this.#field = field;
    this.#missing = missing;
    this.#filter = filter;
  }

  *enter(context: SegmentContext): Generator<void> {
    this.#numbering ??= yield* this.#createNumbering(context);
    const values = context.table?.values(this.#field);
    this.numbers = null;
    if (values === undefined) {
      this.column = NO_KEYS;
    } else if (this.#numbering.size === null) {
      const numbering = this.#numbering;
      const resolve = (ord: number): number => this.#accepted(numbering.number(context.view, ord));
      this.column = new LazyKeys(values, resolve);
    } else {
      this.column = ordinalKeys(values);
      const filtered = this.#filter !== null;
      this.#view = context.view;
      this.numbers = filtered
        ? new Int32Array(values.exact.size).fill(UNKNOWN)
        : this.#numbering.numbers(context.view);
    }
  }

  resolve(ord: number): number {
    const number = this.#accepted(this.#numbering!.number(this.#view, ord));
    this.numbers![ord] = number;
    return number;
  }

  key(number: number): Key {
    return number === this.absent ? this.#missing! : this.#numbering!.text(number);
  }

  compare(left: number, right: number): number {
    if (left === this.absent || right === this.absent) {
      return left === right ? 0 : compareKeys(this.key(left), this.key(right));
    }
    return this.#numbering!.compare(left, right);
  }

  addTo(keys: DistinctKeys, number: number): void {
    if (number === this.absent) keys.add(this.#missing!);
    else this.#numbering!.addTo(keys, number);
  }

  *#createNumbering({ index, path, table }: SegmentContext): Generator<void, Numbering> {
    // Without a table and a path there are no rows: see the context that `nested` creates for
    // unknown paths.
    const views = table === undefined && path === null ? [] : index.views;
    const dictionaries = dictionariesOf(views, path, this.#field);
    const numbering = yield* numberingOf(dictionaries, () =>
      globalOrdinals({ views, cache: index.cache }, path, this.#field, index.expectedRows(path)),
    );
    if (this.#missing !== undefined) {
      const accepted = this.#filter === null || this.#filter(this.#missing);
      this.absent = accepted ? numbering.numberOfText(String(this.#missing)) : REJECTED;
    }
    return numbering;
  }

  #accepted(number: number): number {
    if (this.#filter === null || number === this.absent) return number;
    return this.#filter(this.#numbering!.text(number)) ? number : REJECTED;
  }
}

function ordinalKeys(values: ValueIndex): KeyColumn {
  const { exact, ords, ordStart } = values;
  const frequency = (ord: number): number => values.docFreq(ord);
  return { kind: 'ordinals', ords, start: ordStart, size: exact.size, frequency };
}

/** Strings of the segment get their numbers when a row first has them. */
class LazyKeys implements LoadedKeys {
  readonly kind = 'loaded';
  readonly rowKeys: number[] = [];
  readonly #ords: Int32Array;
  readonly #start: Uint32Array | null;
  readonly #resolve: (ord: number) => number;
  readonly #resolved = new Map<number, number>();

  constructor({ ords, ordStart }: ValueIndex, resolve: (ord: number) => number) {
    this.#ords = ords;
    this.#start = ordStart;
    this.#resolve = resolve;
  }

  load(row: number): number {
    const start = this.#start;
    const from = start === null ? row : start[row]!;
    const to = start === null ? row + 1 : start[row + 1]!;
    if (start === null && this.#ords[row]! < 0) return 0;
    for (let at = from; at < to; at++) this.rowKeys[at - from] = this.#numberOf(this.#ords[at]!);
    return to - from;
  }

  #numberOf(ord: number): number {
    let number = this.#resolved.get(ord);
    if (number === undefined) {
      // path: numbered when used
      number = this.#resolve(ord);
      this.#resolved.set(ord, number);
    }
    return number;
  }
}

/** Numbers the strings of several dictionaries. */
interface Numbering {
  /**
   * An upper bound of the numbers, except that of a text in no dictionary, which is the bound
   * itself; null if not known.
   */
  readonly size: number | null;
  /** By ordinal of a view's dictionary; null if the ordinal is the number. */
  numbers(view: number): Int32Array | null;
  number(view: number, ord: number): number;
  numberOfText(text: string): number;
  text(number: number): string;
  compare(left: number, right: number): number;
  addTo(keys: DistinctKeys, number: number): void;
}

type Dictionaries = readonly (TermDictionary | undefined)[];

function* numberingOf(
  dictionaries: Dictionaries,
  mergeAll: () => Generator<void, GlobalOrdinals | null>,
): Generator<void, Numbering> {
  const present = dictionaries.filter((dictionary) => dictionary !== undefined);
  if (present.length <= 1) return new SingleDictionaryNumbering(present[0] ?? null);
  const ordinals = yield* mergeAll();
  return ordinals === null
    ? new TableNumbering(dictionaries)
    : new GlobalNumbering(dictionaries, ordinals);
}

/** The ordinals of one dictionary, or of none. */
class SingleDictionaryNumbering implements Numbering {
  readonly size: number;
  readonly #terms: TermDictionary | null;

  constructor(terms: TermDictionary | null) {
    this.#terms = terms;
    this.size = terms?.size ?? 0;
  }

  numbers(): null {
    return null;
  }

  number(_view: number, ord: number): number {
    return ord;
  }

  numberOfText(text: string): number {
    const ord = this.#terms?.find(text) ?? -1;
    return ord < 0 ? this.size : ord;
  }

  text(number: number): string {
    return this.#terms!.term(number);
  }

  compare(left: number, right: number): number {
    return left - right;
  }

  addTo(keys: DistinctKeys, number: number): void {
    const { bytes, offsets } = this.#terms!;
    keys.addString(bytes, offsets[number]!, offsets[number + 1]!);
  }
}

/** Global ordinals: numbers in string order. */
class GlobalNumbering implements Numbering {
  readonly size: number;
  readonly #dictionaries: Dictionaries;
  readonly #ordinals: GlobalOrdinals;

  constructor(dictionaries: Dictionaries, ordinals: GlobalOrdinals) {
    this.#dictionaries = dictionaries;
    this.#ordinals = ordinals;
    this.size = ordinals.size;
  }

  numbers(view: number): Int32Array | null {
    return this.#ordinals.numbers[view]!;
  }

  number(view: number, ord: number): number {
    return this.#ordinals.numbers[view]![ord]!;
  }

  numberOfText(text: string): number {
    for (const [view, terms] of this.#dictionaries.entries()) {
      const ord = terms?.find(text) ?? -1;
      if (ord >= 0) return this.number(view, ord);
    }
    return this.size;
  }

  text(number: number): string {
    const { views, ords } = this.#ordinals;
    return this.#dictionaries[views[number]!]!.term(ords[number]!);
  }

  compare(left: number, right: number): number {
    return left - right;
  }

  addTo(keys: DistinctKeys, number: number): void {
    const { views, ords } = this.#ordinals;
    const { bytes, offsets } = this.#dictionaries[views[number]!]!;
    const ord = ords[number]!;
    keys.addString(bytes, offsets[ord]!, offsets[ord + 1]!);
  }
}

/** Numbers in order of appearance. */
class TableNumbering implements Numbering {
  readonly size = null;
  readonly #dictionaries: Dictionaries;
  readonly #strings = new StringTable();

  constructor(dictionaries: Dictionaries) {
    this.#dictionaries = dictionaries;
  }

  numbers(): null {
    return null;
  }

  number(view: number, ord: number): number {
    const { bytes, offsets } = this.#dictionaries[view]!;
    return this.#strings.add(bytes, offsets[ord]!, offsets[ord + 1]!);
  }

  numberOfText(text: string): number {
    return this.#strings.addText(text);
  }

  text(number: number): string {
    return this.#strings.text(number);
  }

  compare(left: number, right: number): number {
    return this.#strings.compare(left, right);
  }

  addTo(keys: DistinctKeys, number: number): void {
    keys.addFrom(this.#strings, number);
  }
}
