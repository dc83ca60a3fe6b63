// Keys that are strings of a field. Where many rows are expected, or it was done before, the dictionaries of all segments
// are numbered as one (global-ordinals.ts) and a row's number is looked up in two arrays; where few are, strings get
// numbers as they come, so that a query that finds ten documents does not read a million strings.
import type { MissingValue } from '../../../query/aggregation/aggregation.ts';
import type { TermDictionary, ValueIndex } from '../../index/segment.ts';
import type { SegmentPlace } from '../collector.ts';
import type { Key } from '../intermediate.ts';
import type { DistinctKeys } from '../metric/distinct-keys.ts';
import { dictionariesOf, type GlobalOrdinals, globalOrdinals } from './global-ordinals.ts';
import { type IndexKeys, type KeyOptions, REJECTED, UNKNOWN } from './index-keys.ts';
import { type KeyColumn, type LoadedKeys, NO_KEYS } from './key-column.ts';
import type { KeyFilter } from './key-filter.ts';
import { compareKeys } from './key-order.ts';
import { StringTable } from './string-table.ts';

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

  *enter(place: SegmentPlace): Generator<void> {
    this.#numbering ??= yield* this.#number(place);
    const values = place.table?.values(this.#field);
    this.numbers = null;
    if (values === undefined) {
      this.column = NO_KEYS;
    } else if (this.#numbering.size === null) {
      const numbering = this.#numbering;
      const resolve = (ord: number): number => this.#accepted(numbering.number(place.view, ord));
      this.column = new LookedUpKeys(values, resolve);
    } else {
      this.column = placed(values);
      const filtered = this.#filter !== null;
      this.#view = place.view;
      this.numbers = filtered
        ? new Int32Array(values.exact.size).fill(UNKNOWN)
        : this.#numbering.numbers(place.view);
    }
  }

  resolve(ord: number): number {
    const number = this.#accepted(this.#numbering!.number(this.#view, ord));
    this.numbers![ord] = number;
    return number;
  }

  get size(): number | null {
    const numbered = this.#numbering?.size ?? null;
    return numbered === null ? null : numbered + 1;
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

  *#number({ index, path, table }: SegmentPlace): Generator<void, Numbering> {
    // Rows of a level that the index does not have: see the place that `nested` makes.
    const views = table === undefined && path === null ? [] : index.views;
    const dictionaries = dictionariesOf(views, path, this.#field);
    const numbering = yield* numberingOf(dictionaries, () =>
      globalOrdinals(views, path, this.#field, index.expectedRows(path)),
    );
    if (this.#missing !== undefined) {
      const wanted = this.#filter === null || this.#filter(this.#missing);
      this.absent = wanted ? numbering.numberOfText(String(this.#missing)) : REJECTED;
    }
    return numbering;
  }

  #accepted(number: number): number {
    if (this.#filter === null || number === this.absent) return number;
    return this.#filter(this.#numbering!.text(number)) ? number : REJECTED;
  }
}

function placed(values: ValueIndex): KeyColumn {
  const { exact, ords, ordStart } = values;
  const frequency = (ord: number): number => values.docFreq(ord);
  return { kind: 'placed', ords, start: ordStart, size: exact.size, frequency };
}

/** The strings of the segment get their numbers when a row first has them. */
class LookedUpKeys implements LoadedKeys {
  readonly kind = 'loaded';
  readonly found: number[] = [];
  readonly #ords: Int32Array;
  readonly #start: Uint32Array | null;
  readonly #resolve: (ord: number) => number;
  readonly #known = new Map<number, number>();

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
    for (let at = from; at < to; at++) this.found[at - from] = this.#number(this.#ords[at]!);
    return to - from;
  }

  #number(ord: number): number {
    let number = this.#known.get(ord);
    if (number === undefined) {
      number = this.#resolve(ord);
      this.#known.set(ord, number);
    }
    return number;
  }
}

/** Numbers for the strings of several dictionaries. */
interface Numbering {
  /** Numbers are below this, but for that of a text that is in no dictionary, which is this; null where not known. */
  readonly size: number | null;
  /** By ordinal of a view's dictionary; null where the ordinal is the number. */
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
  merged: () => Generator<void, GlobalOrdinals | null>,
): Generator<void, Numbering> {
  const some = dictionaries.filter((one) => one !== undefined);
  if (some.length <= 1) return new OwnNumbering(some[0] ?? null);
  const ordinals = yield* merged();
  return ordinals === null
    ? new TableNumbering(dictionaries)
    : new MergedNumbering(dictionaries, ordinals);
}

/** Of one dictionary, or none. */
class OwnNumbering implements Numbering {
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

/** Merged, in string order. */
class MergedNumbering implements Numbering {
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

/** As they come. */
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
