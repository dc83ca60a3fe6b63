// The keys that rows are sorted by, as small numbers: ordinals of a dictionary, or numbers given out as values come.
// Everything that makes many buckets is a column of keys in front of one collector.
// Invariant: `load` gives each key of a row once.
import type { MissingValue, TermsFilter, ValueSource } from '../../query/aggregation.ts';
import { parseRegexp } from '../../query/regexp.ts';
import { regexpMeets } from '../../query/regexp-match.ts';
import type { NumberIndex, TermDictionary } from '../index/segment.ts';
import type { SegmentPlace } from './collector.ts';
import type { Key } from './intermediate.ts';
import { type RoundedOrdinals, type Rounding, roundedOrdinals } from './rounded-ordinals.ts';

export interface KeyColumn {
  /** Puts the keys of a row into `found`; how many. */
  load(row: number): number;
  readonly found: readonly number[];
  /** What a key stands for. */
  key(ord: number): Key;
  /** The number of a key; -1 where no row has it. */
  find(key: Key): number;
  /** Keys are below this, where that is known beforehand. */
  readonly size: number | null;
  /** Where keys are strings of a dictionary: a key below its size is the ordinal of the string. */
  readonly terms?: TermDictionary | null | undefined;
}

/** The keys of a source, each value its own. */
export function keyColumn(source: ValueSource, place: SegmentPlace): KeyColumn {
  const { table } = place;
  switch (source.kind) {
    case 'strings': {
      const values = table?.values(source.field);
      if (values === undefined) return new NoKeys();
      const { ords, ordStart, exact } = values;
      return ordStart === null
        ? new SingleOrdinals(ords, exact)
        : new ManyOrdinals(ords, ordStart, exact);
    }
    case 'numbers':
      return numberKeys(table?.numbers(source.field, source.column), same);
    case 'id':
      return new IdKeys(table?.parent ?? null, place.index.views[place.view]!.segment.ids);
    case 'constant':
      return new ConstantKey(source.value);
    case 'none':
      return new NoKeys();
  }
}

/** The keys of a source of numbers, rounded down. */
export function* roundedColumn(
  source: ValueSource,
  place: SegmentPlace,
  rounding: Rounding,
): Generator<void, KeyColumn> {
  if (source.kind !== 'numbers') return new NoKeys();
  const index = place.table?.numbers(source.field, source.column);
  if (index?.start === null) return new SingleRounded(yield* roundedOrdinals(index, rounding));
  return numberKeys(index, (value) => rounding.round(value));
}

/** Rows without a key get this one. */
export function withMissing(column: KeyColumn, missing: MissingValue | undefined): KeyColumn {
  return missing === undefined ? column : new KeysWithMissing(column, missing);
}

/** Only keys that are included and not excluded. */
export function withFilter(
  column: KeyColumn,
  include: TermsFilter | undefined,
  exclude: TermsFilter | undefined,
): KeyColumn {
  if (include === undefined && exclude === undefined) return column;
  return new FilteredKeys(column, keyFilter(include, exclude));
}

/** Which keys make buckets. */
export function keyFilter(
  include: TermsFilter | undefined,
  exclude: TermsFilter | undefined,
): (key: Key) => boolean {
  const included = include === undefined ? () => true : accepts(include);
  const excluded = exclude === undefined ? () => false : accepts(exclude);
  return (key) => included(key) && !excluded(key);
}

function accepts(filter: TermsFilter): (key: Key) => boolean {
  if (filter.kind === 'values') {
    const values = new Set<Key>(filter.values);
    return (key) => values.has(key);
  }
  const pattern = parseRegexp(filter.pattern);
  return (key) => typeof key === 'string' && regexpMeets(pattern, key);
}

class NoKeys implements KeyColumn {
  readonly found: readonly number[] = [];
  readonly size = 0;

  load(): number {
    return 0;
  }

  key(): Key {
    return '';
  }

  find(): number {
    return -1;
  }
}

class SingleOrdinals implements KeyColumn {
  readonly found = [0];
  readonly size: number;
  readonly #ords: Int32Array;
  readonly terms: TermDictionary;

  constructor(ords: Int32Array, terms: TermDictionary) {
    this.#ords = ords;
    this.terms = terms;
    this.size = terms.size;
  }

  load(row: number): number {
    const ord = this.#ords[row]!;
    this.found[0] = ord;
    return ord < 0 ? 0 : 1;
  }

  key(ord: number): Key {
    return this.terms.term(ord);
  }

  find(key: Key): number {
    return this.terms.find(String(key));
  }
}

class ManyOrdinals implements KeyColumn {
  readonly found: number[] = [];
  readonly size: number;
  readonly #ords: Int32Array;
  readonly #start: Uint32Array;
  readonly terms: TermDictionary;

  constructor(ords: Int32Array, start: Uint32Array, terms: TermDictionary) {
    this.#ords = ords;
    this.#start = start;
    this.terms = terms;
    this.size = terms.size;
  }

  load(row: number): number {
    const from = this.#start[row]!;
    const count = this.#start[row + 1]! - from;
    for (let i = 0; i < count; i++) this.found[i] = this.#ords[from + i]!;
    return count;
  }

  key(ord: number): Key {
    return this.terms.term(ord);
  }

  find(key: Key): number {
    return this.terms.find(String(key));
  }
}

/** A document's id; elements have that of their document. */
class IdKeys implements KeyColumn {
  readonly found = [0];
  readonly size: number;
  readonly #parent: Int32Array | null;
  readonly terms: TermDictionary;

  constructor(parent: Int32Array | null, ids: TermDictionary) {
    this.#parent = parent;
    this.terms = ids;
    this.size = ids.size;
  }

  load(row: number): number {
    this.found[0] = this.#parent === null ? row : this.#parent[row]!;
    return 1;
  }

  key(ord: number): Key {
    return this.terms.term(ord);
  }

  find(key: Key): number {
    return this.terms.find(String(key));
  }
}

class ConstantKey implements KeyColumn {
  readonly found: readonly number[] = [0];
  readonly size = 1;
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  load(): number {
    return 1;
  }

  key(): Key {
    return this.#value;
  }

  find(key: Key): number {
    return key === this.#value ? 0 : -1;
  }
}

/** Gives out small numbers for keys. */
export class KeyNumbers<T extends Key> {
  readonly keys: T[] = [];
  readonly #ords = new Map<T, number>();

  ord(key: T): number {
    let ord = this.#ords.get(key);
    if (ord === undefined) {
      ord = this.keys.length;
      this.keys.push(key);
      this.#ords.set(key, ord);
    }
    return ord;
  }
}

function numberKeys(index: NumberIndex | undefined, round: (value: number) => number): KeyColumn {
  return index === undefined ? new NoKeys() : new RoundedNumbers(index, round);
}

function same(value: number): number {
  return value;
}

/** One value a row, and the bucket of each row known. */
class SingleRounded implements KeyColumn {
  readonly found = [0];
  readonly size: number;
  readonly #ordinals: RoundedOrdinals;
  readonly #ords: Int32Array;

  constructor(ordinals: RoundedOrdinals) {
    this.#ordinals = ordinals;
    this.#ords = ordinals.ords;
    this.size = ordinals.keys.length;
  }

  load(row: number): number {
    const ord = this.#ords[row]!;
    this.found[0] = ord;
    return ord < 0 ? 0 : 1;
  }

  key(ord: number): Key {
    return this.#ordinals.keys[ord]!;
  }

  find(key: Key): number {
    return this.#ordinals.ordOf.get(Number(key)) ?? -1;
  }
}

/** Values of a row ascend, and rounding keeps that: equal keys stand side by side. */
class RoundedNumbers implements KeyColumn {
  readonly found: number[] = [];
  readonly size = null;
  readonly #index: NumberIndex;
  readonly #round: (value: number) => number;
  readonly #numbers = new KeyNumbers<number>();

  constructor(index: NumberIndex, round: (value: number) => number) {
    this.#index = index;
    this.#round = round;
  }

  load(row: number): number {
    const { values, start } = this.#index;
    if (start === null) {
      const value = values[row]!;
      if (Number.isNaN(value)) return 0;
      this.found[0] = this.#numbers.ord(this.#round(value));
      return 1;
    }
    let count = 0;
    for (let i = start[row]!; i < start[row + 1]!; i++) {
      const ord = this.#numbers.ord(this.#round(values[i]!));
      if (count > 0 && this.found[count - 1] === ord) continue;
      this.found[count] = ord;
      count += 1;
    }
    return count;
  }

  key(ord: number): Key {
    return this.#numbers.keys[ord]!;
  }

  find(key: Key): number {
    return this.#numbers.ord(Number(key));
  }
}

/** The key for missing values is one of the others, or stands behind them. */
class KeysWithMissing implements KeyColumn {
  readonly found: number[] = [];
  readonly size: number | null;
  readonly terms?: TermDictionary | null | undefined;
  readonly #column: KeyColumn;
  readonly #missing: MissingValue;
  readonly #ord: number;

  constructor(column: KeyColumn, missing: MissingValue) {
    const known = column.find(missing);
    this.#column = column;
    this.#missing = missing;
    this.#ord = known < 0 ? (column.size ?? 0) : known;
    this.size = column.size === null ? null : column.size + 1;
    this.terms = column.terms;
  }

  load(row: number): number {
    const count = this.#column.load(row);
    if (count === 0) {
      this.found[0] = this.#ord;
      return 1;
    }
    for (let i = 0; i < count; i++) this.found[i] = this.#column.found[i]!;
    return count;
  }

  key(ord: number): Key {
    return ord === this.#ord ? this.#missing : this.#column.key(ord);
  }

  find(key: Key): number {
    return key === this.#missing ? this.#ord : this.#column.find(key);
  }
}

class FilteredKeys implements KeyColumn {
  readonly found: number[] = [];
  readonly size: number | null;
  readonly terms?: TermDictionary | null | undefined;
  readonly #column: KeyColumn;
  readonly #accepts: (key: Key) => boolean;
  /** By ordinal: 1 yes, 2 no, absent not asked yet. */
  readonly #known: number[] = [];

  constructor(column: KeyColumn, accepted: (key: Key) => boolean) {
    this.#column = column;
    this.#accepts = accepted;
    this.size = column.size;
    this.terms = column.terms;
  }

  load(row: number): number {
    const all = this.#column.load(row);
    let count = 0;
    for (let i = 0; i < all; i++) {
      const ord = this.#column.found[i]!;
      this.#known[ord] ??= this.#accepts(this.#column.key(ord)) ? 1 : 2;
      if (this.#known[ord] !== 1) continue;
      this.found[count] = ord;
      count += 1;
    }
    return count;
  }

  key(ord: number): Key {
    return this.#column.key(ord);
  }

  find(key: Key): number {
    return this.#column.find(key);
  }
}
