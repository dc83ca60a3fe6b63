// Binds the heads of a file and its map to the members of a target.
// Invariant: every column is read or named in the warning; nothing is lost silently.
import { plainText } from '../../../query/csv-row.ts';
import { nearestName } from '../../../query/mapping/nearest-name.ts';
import { cellReader } from './cell-value.ts';
import type { ColumnRule, CsvMap } from './csv-map.ts';
import type { CsvTarget } from './csv-target.ts';
import { type Identity, RowPatches, type Setter } from './row-patches.ts';

/** Columns that fit, or what is wrong with the heads. */
export type BoundColumns =
  | { readonly rows: RowPatches; readonly warning: string | null }
  | { readonly faults: readonly string[] };

/** Columns that a file may have. */
export const COLUMNS_MAX = 2_000;
/** Unknown names that are listed, and for which a known one is sought: that takes a millisecond each. */
const NAMED_MAX = 20;

/** Binds heads. @param map null: the heads are names of members */
export function bindColumns(
  heads: readonly string[],
  map: CsvMap | null,
  target: CsvTarget,
): BoundColumns {
  if (heads.length > COLUMNS_MAX) {
    return { faults: [`has ${heads.length} columns; a file may have ${COLUMNS_MAX}`] };
  }
  const binder = new Binder(heads, map, target);
  const setters = binder.setters();
  const { faults } = binder;
  if (faults.length > 0) return { faults };
  const unused = binder.unusedHeads();
  const warning =
    unused.length === 0 ? null : `columns that the map does not name are left out: ${unused}`;
  return { rows: new RowPatches(heads, setters, binder.identity(setters)), warning };
}

class Binder {
  readonly faults: string[] = [];
  readonly #heads: readonly string[];
  readonly #map: CsvMap | null;
  readonly #target: CsvTarget;
  readonly #used = new Set<number>();
  readonly #unknownHeads: string[] = [];
  /** Names for which a known one was sought. */
  #sought = 0;

  constructor(heads: readonly string[], map: CsvMap | null, target: CsvTarget) {
    this.#heads = heads;
    this.#map = map;
    this.#target = target;
  }

  setters(): readonly Setter[] {
    const setters = this.#map === null ? this.#byHeads() : this.#byMap(this.#map);
    const paths = new Map<string, string>();
    for (const { name, path, nested } of setters) {
      const member = [...(nested === null ? [] : [nested]), ...path].join('.');
      const other = paths.get(member);
      if (other !== undefined && other !== name) {
        this.faults.push(`${other} and ${name} are both ${member}; leave out one of the two`);
      }
      paths.set(member, name);
    }
    this.#refuseWithoutId(setters);
    return setters;
  }

  /** How a row names its record and its element. */
  identity(setters: readonly Setter[]): Identity {
    const { elements, match, key = [] } = this.#map ?? {};
    const ids = setters.filter(({ path, nested }) => nested !== null && path.join('.') === 'id');
    return {
      elements: elements ?? null,
      match: match === undefined ? null : this.#heads.indexOf(match.column),
      matchHead: match?.column ?? '',
      key: elements === undefined || ids.length > 0 ? [] : key,
      ids: new Map(ids.map((setter) => [setter.nested ?? '', setter])),
    };
  }

  unusedHeads(): string {
    const unused = this.#heads.filter((head, at) => head !== '' && !this.#used.has(at));
    return unused.map((head) => JSON.stringify(head)).join(', ');
  }

  #byHeads(): readonly Setter[] {
    const setters = this.#heads.flatMap((head, at) => {
      if (head === '') return [];
      this.#refuseRepeated(head);
      return this.#setter(head, { to: head }, null, at) ?? [];
    });
    const { length } = this.#unknownHeads;
    if (length > 0) {
      const named = this.#unknownHeads.slice(0, NAMED_MAX).join(', ');
      const more = length > NAMED_MAX ? ` and ${length - NAMED_MAX} more` : '';
      this.faults.push(
        `${this.#target.name} have no member ${named}${more}; a map says which members the columns are, and cardea import --suggest-map prints one`,
      );
    }
    return setters;
  }

  #byMap(map: CsvMap): readonly Setter[] {
    const { columns, set, match, elements = null, key } = map;
    if (elements !== null && !this.#target.nestedPaths.includes(elements)) {
      const arrays = this.#target.nestedPaths.join(', ');
      this.faults.push(
        `elements: ${this.#target.name} have no array ${JSON.stringify(elements)}${arrays === '' ? '' : `; they have ${arrays}`}`,
      );
      return [];
    }
    if (match !== undefined) this.#match(match);
    const ofColumns = [...columns].flatMap(([head, rules]) => {
      const at = this.#column(head, 'columns');
      if (at === -1) return [];
      return rules.flatMap((rule) => this.#setter(head, rule, elements, at) ?? []);
    });
    const ofSet = [...set].flatMap(([name, value]) => this.#setTo(name, value, elements) ?? []);
    const setters = [...ofColumns, ...ofSet];
    for (const name of key) {
      if (setters.some(({ path }) => path.join('.') === name)) continue;
      this.faults.push(`key: no column is mapped to ${JSON.stringify(name)}`);
    }
    return setters;
  }

  #match({ column, member }: NonNullable<CsvMap['match']>): void {
    this.#column(column, 'match');
    const found = this.#target.member(member);
    if (found === null || found.nested !== null) {
      this.faults.push(`match: ${this.#unknown(member)}`);
    }
  }

  /** The column of a head that a map names; -1 with a fault if it is not there once. */
  #column(head: string, place: string): number {
    const at = this.#heads.indexOf(head);
    if (at === -1) {
      const nearest = this.#sought++ < NAMED_MAX ? nearestName(head, this.#heads) : null;
      const hint =
        nearest === null
          ? `; it has ${this.#heads
              .filter((one) => one !== '')
              .map((one) => JSON.stringify(one))
              .join(', ')}`
          : `; did you mean ${JSON.stringify(nearest)}?`;
      this.faults.push(`${place}: the file has no column ${JSON.stringify(head)}${hint}`);
      return -1;
    }
    this.#refuseRepeated(head);
    this.#used.add(at);
    return at;
  }

  #refuseRepeated(head: string): void {
    if (this.#heads.indexOf(head) === this.#heads.lastIndexOf(head)) return;
    const places = this.#heads.flatMap((one, at) => (one === head ? [at + 1] : []));
    const fault = `the head ${JSON.stringify(head)} stands over columns ${places.join(' and ')}; rename one`;
    if (!this.faults.includes(fault)) this.faults.push(fault);
  }

  #setter(head: string, rule: ColumnRule, elements: string | null, at: number): Setter | null {
    const to = elements === null ? rule.to : `${elements}.${rule.to}`;
    const member = this.#target.member(to);
    this.#used.add(at);
    if (member === null) {
      if (this.#map === null) this.#unknownHeads.push(this.#named(head));
      else this.faults.push(`columns.${head}: ${this.#unknown(to)}`);
      return null;
    }
    const { path, nested } = member;
    return {
      ...{ name: head, path: pathOf(path, nested), nested, column: at },
      cell: (cells) => plainText(cells[at] ?? ''),
      read: rule.type === undefined ? member.reader(rule) : cellReader(rule.type, rule),
      blank: rule.blank ?? 'remove',
    };
  }

  /** A constant, or a text of several columns. */
  #setTo(name: string, value: string | number | boolean, elements: string | null): Setter | null {
    const to = elements === null ? name : `${elements}.${name}`;
    const member = this.#target.member(to);
    if (member === null) {
      this.faults.push(`set: ${this.#unknown(to)}`);
      return null;
    }
    const { path, nested } = member;
    const shared = {
      name,
      path: pathOf(path, nested),
      nested,
      column: null,
      blank: 'remove',
    } as const;
    if (typeof value !== 'string') return { ...shared, cell: () => 'x', read: () => value };
    const parts = value.split(/\{([^{}]*)\}/);
    const columns = parts.map((part, n) => (n % 2 === 1 ? this.#column(part, `set.${name}`) : -1));
    const used = columns.filter((at) => at !== -1);
    return {
      ...shared,
      // Without any value there is nothing to say.
      cell: (cells) =>
        used.length > 0 && used.every((at) => (cells[at] ?? '') === '')
          ? ''
          : parts
              .map((part, n) => (n % 2 === 1 ? plainText(cells[columns[n] ?? -1] ?? '') : part))
              .join('')
              .trim(),
      read: member.reader({}),
    };
  }

  #unknown(name: string): string {
    return `${this.#target.name} have no member ${this.#named(name)}`;
  }

  /** An unknown name, with one that may be meant. */
  #named(name: string): string {
    const nearest = this.#sought++ < NAMED_MAX ? nearestName(name, this.#target.names) : null;
    return `${JSON.stringify(name)}${nearest === null ? '' : ` (${nearest}?)`}`;
  }

  /** Refuses rows whose record, or element, nothing names. */
  #refuseWithoutId(setters: readonly Setter[]): void {
    const { match, elements, key = [] } = this.#map ?? {};
    if (this.faults.length > 0) return;
    const hasId = (array: string | null) =>
      setters.some(({ path, nested }) => nested === array && path.join('.') === 'id');
    if (match === undefined && !hasId(null)) {
      this.faults.push(
        this.#map === null
          ? 'there is no column "id", which names the record of a row; an export has it with --columns id,…, and a map says which column it is'
          : 'no column is mapped to "id", which names the record of a row',
      );
    }
    if (match !== undefined && hasId(null)) {
      this.faults.push('id and match both name the record of a row; leave out one of the two');
    }
    for (const array of this.#target.nestedPaths) {
      if (!setters.some(({ nested }) => nested === array) || hasId(array)) continue;
      if (elements === array && key.length > 0) continue;
      this.faults.push(
        elements === array
          ? `elements of ${array} need an id: map a column to it, or name the members that tell them apart, such as key: [source.name, name]`
          : `members of ${array} need a column "${array}.id", which tells them apart`,
      );
    }
  }
}

/** The path of a member within its record or element. */
function pathOf(path: string, nested: string | null): readonly string[] {
  return (nested === null ? path : path.slice(nested.length + 1)).split('.');
}
