// The map of a CSV file, in YAML: which column is which member of a record, and how its cells are
// read. docs/spreadsheets.md describes it.
// Invariant: every part of a map has an effect; an unknown member, or one of the wrong type, is
// refused by name.
import { ServiceError } from '../../../errors.ts';
import { INDEX_NAMES } from '../../../query/mapping/document-types.ts';
import { nearestName } from '../../../query/mapping/nearest-name.ts';
import type { IndexName } from '../../../query/query.ts';
import { type CellFormat, datePattern, VALUE_TYPES, type ValueType } from './cell-value.ts';
import { readSeparator } from './csv-rows.ts';
import { readEncoding } from './csv-text.ts';

/** What a blank cell does: removes the member, keeps the value that it has, or makes it empty. */
export const BLANKS = ['remove', 'keep', 'empty'] as const;

/** How the cells of a column become values of a member. */
export interface ColumnRule extends CellFormat {
  /** The member, as a dotted name; with `elements` relative to the element. */
  readonly to: string;
  /** undefined: by the type of the member. */
  readonly type?: ValueType;
  readonly blank?: (typeof BLANKS)[number];
}

export interface CsvMap {
  /** undefined: named by the import. */
  readonly index?: IndexName;
  readonly separator?: string;
  readonly encoding?: string;
  /** The nested array that rows are elements of; undefined: rows are records. */
  readonly elements?: string;
  /** The column and the member that name the existing record that a row is of. */
  readonly match?: { readonly column: string; readonly member: string };
  /** Members of an element that together tell it from the others of its record. */
  readonly key: readonly string[];
  /** By head; a column may have several rules. */
  readonly columns: ReadonlyMap<string, readonly ColumnRule[]>;
  /** Members with the same value in each row, or a text with `{Head}` for the value of a column. */
  readonly set: ReadonlyMap<string, string | number | boolean>;
}

/** The map of a file whose heads are names of members. */
export const NO_MAP: CsvMap = { key: [], columns: new Map(), set: new Map() };

const MEMBERS = ['index', 'separator', 'encoding', 'elements', 'match', 'key', 'columns', 'set'];
const RULE_MEMBERS = ['to', 'type', 'format', 'decimal', 'true', 'false', 'separator', 'blank'];
/** Faults that a message names. */
const FAULTS_SHOWN = 20;

/**
 * Parses a map.
 * @param text YAML or JSON
 * @throws ServiceError `request_invalid` with a cause for each fault
 */
export async function parseCsvMap(text: string): Promise<CsvMap> {
  return readCsvMap(await parseMapText(text));
}

/** The same of what is parsed already. */
export function readCsvMap(value: unknown): CsvMap {
  const reader = new MapReader();
  const map = reader.map(value);
  if (reader.faults.length > 0) throw invalidMap(reader.faults);
  return map;
}

/**
 * The value of a text of YAML or JSON, which may be no map.
 * @throws ServiceError `request_invalid` if it is neither
 */
export async function parseMapText(text: string): Promise<unknown> {
  const { parseDocument } = await import('./yaml.ts');
  const document = parseDocument(text);
  if (document.errors.length > 0) {
    throw invalidMap(document.errors.map(({ message }) => message.split('\n')[0] ?? message));
  }
  try {
    // Bounds the expansion of aliases.
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw invalidMap([(error as Error).message]);
  }
}

/** The error of a map that does not fit. */
export function invalidMap(faults: readonly string[]): ServiceError {
  const causes = faults.slice(0, FAULTS_SHOWN);
  const more = faults.length - causes.length;
  if (more > 0) causes.push(`and ${more} more`);
  return new ServiceError('request_invalid', 'The map is not valid.', { causes });
}

type Json = Readonly<Record<string, unknown>>;

class MapReader {
  readonly faults: string[] = [];

  map(value: unknown): CsvMap {
    const object = this.#object(value, 'the map', MEMBERS);
    if (object === null) return NO_MAP;
    const { index, separator, encoding, elements, key, columns, set } = object;
    if (columns === undefined && this.faults.length === 0) {
      this.faults.push('columns is missing: an object with a member for each column of the file');
    }
    const match = this.#match(object['match']);
    const map: CsvMap = {
      ...this.#member('index', this.#choice('index', index, INDEX_NAMES)),
      ...this.#member('separator', this.#checked('separator', separator, readSeparator)),
      ...this.#member('encoding', this.#checked('encoding', encoding, readEncoding)),
      ...this.#member('elements', this.#text('elements', elements)),
      ...this.#member('match', match),
      key: key === undefined ? [] : this.#texts('key', key),
      columns: this.#columns(columns),
      set: this.#set(set),
    };
    if (map.elements !== undefined && map.match === undefined && this.faults.length === 0) {
      this.faults.push(
        'elements needs match: the column that names the record, and the member it has, such as match: { Employee: id }',
      );
    }
    if (map.elements === undefined && map.key.length > 0) {
      this.faults.push('key needs elements: it tells the elements of a record apart');
    }
    return map;
  }

  #columns(value: unknown): CsvMap['columns'] {
    const object = value === undefined ? null : this.#object(value, 'columns', null);
    return new Map(
      Object.entries(object ?? {}).map(([head, rules]) => {
        const list = Array.isArray(rules) ? rules : [rules];
        const at = `columns.${head}`;
        return [head, list.flatMap((rule: unknown) => this.#rule(at, rule) ?? [])];
      }),
    );
  }

  /** A rule; null for a column that is left out. */
  #rule(at: string, value: unknown): ColumnRule | null {
    if (value === null) return null;
    if (typeof value === 'string') return { to: value };
    const object = this.#object(value, at, RULE_MEMBERS, 'the name of a member');
    if (object === null) return null;
    const to = this.#text(`${at}.to`, object['to'] ?? null);
    const { type, format, decimal, separator, blank } = object;
    const rule: ColumnRule = {
      to: to ?? '',
      ...this.#member('type', this.#choice(`${at}.type`, type, VALUE_TYPES)),
      ...this.#member('format', this.#text(`${at}.format`, format)),
      ...this.#member('decimal', this.#choice(`${at}.decimal`, decimal, ['.', ','])),
      ...this.#member('separator', this.#text(`${at}.separator`, separator)),
      ...this.#member('blank', this.#choice(`${at}.blank`, blank, BLANKS)),
      ...(object['true'] !== undefined && { true: this.#texts(`${at}.true`, object['true']) }),
      ...(object['false'] !== undefined && { false: this.#texts(`${at}.false`, object['false']) }),
    };
    this.#refuseUseless(at, rule);
    if (rule.format !== undefined) {
      const fault = datePattern(rule.format);
      if (typeof fault === 'string') this.faults.push(`${at}.format: ${fault}`);
    }
    return rule;
  }

  /** Members of a rule that belong to another type. */
  #refuseUseless(at: string, rule: ColumnRule): void {
    const of = { format: 'date', decimal: 'number', true: 'boolean', false: 'boolean' } as const;
    for (const [name, type] of Object.entries(of)) {
      if (rule[name as keyof typeof of] !== undefined && rule.type !== type) {
        this.faults.push(`${at}.${name} needs type: ${type}`);
      }
    }
    if (rule.separator !== undefined && rule.type !== 'list') {
      this.faults.push(`${at}.separator needs type: list`);
    }
  }

  #match(value: unknown): CsvMap['match'] {
    if (value === undefined) return undefined;
    const object = this.#object(value, 'match', null);
    const [entry, ...others] = Object.entries(object ?? {});
    if (entry !== undefined && others.length === 0 && typeof entry[1] === 'string') {
      return { column: entry[0], member: entry[1] };
    }
    this.faults.push('match must have one column and its member, such as { Employee: id }');
    return undefined;
  }

  #set(value: unknown): CsvMap['set'] {
    const object = value === undefined ? null : this.#object(value, 'set', null);
    const entries = Object.entries(object ?? {}).filter(([name, one]) => {
      if (['string', 'number', 'boolean'].includes(typeof one)) return true;
      this.faults.push(`set.${name} must be a text, a number, true or false`);
      return false;
    });
    return new Map(entries as [string, string | number | boolean][]);
  }

  /** @param names null: any */
  #object(value: unknown, at: string, names: readonly string[] | null, or = ''): Json | null {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.faults.push(`${at} must be ${or === '' ? '' : `${or}, or `}an object`);
      return null;
    }
    for (const name of names === null ? [] : Object.keys(value)) {
      if (names?.includes(name) !== false) continue;
      const nearest = nearestName(name, names);
      const hint = nearest === null ? `; it has ${names.join(', ')}` : `; did you mean ${nearest}?`;
      this.faults.push(`${at} has no member ${JSON.stringify(name)}${hint}`);
    }
    return value as Json;
  }

  #text(at: string, value: unknown): string | undefined {
    if (value === undefined || (typeof value === 'string' && value !== '')) return value;
    this.faults.push(`${at} must be a text that is not empty`);
    return undefined;
  }

  /** One text or several; YAML reads some words as numbers or booleans. */
  #texts(at: string, value: unknown): readonly string[] {
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (list.length > 0 && list.every((one) => one !== null && typeof one !== 'object')) {
      return list.map(String);
    }
    this.faults.push(`${at} must be a text or a list of texts`);
    return [];
  }

  #choice<T extends string>(at: string, value: unknown, choices: readonly T[]): T | undefined {
    if (value === undefined) return undefined;
    const choice = choices.find((one) => one === value);
    if (choice === undefined) this.faults.push(`${at} must be one of ${choices.join(' ')}`);
    return choice;
  }

  /** A text that `read` accepts, as it returns it. */
  #checked(at: string, value: unknown, read: (text: string) => string): string | undefined {
    const text = this.#text(at, value);
    if (text === undefined) return undefined;
    try {
      return read(text);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.faults.push(...(error.details.causes ?? [error.message]));
      return undefined;
    }
  }

  #member<K extends string, V>(name: K, value: V | undefined): { [one in K]?: V } {
    return (value === undefined ? {} : { [name]: value }) as { [one in K]?: V };
  }
}
