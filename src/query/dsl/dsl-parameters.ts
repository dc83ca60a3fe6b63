// Reads one object of a DSL query. The caller lists the allowed members; any other is rejected with
// name and place. Null and absent are the same; numbers and booleans may be sent as strings, as in
// Elasticsearch.
import type { ServiceError } from '../../errors.ts';
import { invalid, isObject, isScalar, Members } from '../body.ts';

/** Names are cut to this length in error messages. */
const MAX_SHOWN = 60;

/** The parameters of one clause; `path` is a JSON path like `queryDsl.bool.must[1].term`. */
export class Parameters extends Members {
  /**
   * @throws ServiceError `request_invalid` if it is not an object or has a member that is not
   * allowed
   */
  constructor(value: unknown, place: string, allowed: readonly string[]) {
    super(value, place, notAs);
    for (const name of Object.keys(this.record)) {
      if (allowed.includes(name)) continue;
      const expected = allowed.length === 0 ? 'expected none' : `expected ${allowed.join(', ')}`;
      throw invalid(`${place}.${name.slice(0, MAX_SHOWN)}: unknown parameter, ${expected}`);
    }
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  required(name: string): unknown {
    const value = this.get(name);
    if (value === undefined) throw invalid(`${this.path}: needs ${name}`);
    return value;
  }

  /** A string, or the string form of a number or boolean. */
  text(name: string): string | undefined {
    const value = this.get(name);
    return value === undefined ? undefined : textOf(value, this.pathOf(name));
  }

  requiredText(name: string): string {
    this.required(name);
    return this.text(name) ?? '';
  }

  override boolean(name: string): boolean | undefined {
    const value = this.get(name);
    return value === 'true' || value === 'false' ? value === 'true' : super.boolean(name);
  }

  integer(name: string, min: number, max: number): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw invalid(`${this.pathOf(name)}: expected a whole number from ${min} to ${max}`);
  }

  /** A number of 0 or more, by which scores are multiplied. */
  factor(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = /^\d{1,9}(\.\d{1,20})?$/.test(text) ? Number(text) : Number.NaN;
    if (value >= 0) return value;
    throw invalid(`${this.pathOf(name)}: expected a number of 0 or more`);
  }

  /** One of the choices, in upper or lower case. */
  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const text = this.string(name)?.toLowerCase();
    if (text === undefined) return undefined;
    const selected = choices.find((choice) => choice === text);
    if (selected !== undefined) return selected;
    throw invalid(`${this.pathOf(name)}: expected ${choices.join(', ')}`);
  }

  /** Field names: one string or an array of strings. */
  fieldNames(name: string): readonly string[] | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    const list = Array.isArray(value) ? value : [value];
    for (const [at, item] of list.entries()) {
      if (typeof item !== 'string') throw invalid(`${this.pathOf(name)}[${at}]: expected a string`);
    }
    return list;
  }
}

/** The field of a clause and its value. */
export interface FieldClause {
  readonly field: string;
  readonly value: unknown;
  readonly place: string;
  /** The sibling member `boost`, for clauses that have it there. */
  readonly boost: unknown;
}

/**
 * Reads `{ "field": … }`.
 * @param siblings other members that are allowed next to the field
 */
export function fieldClause(
  value: unknown,
  place: string,
  siblings: readonly string[],
): FieldClause {
  const record = objectOf(value, place);
  const names = Object.keys(record).filter((name) => !siblings.includes(name));
  const [field] = names;
  if (field === undefined || names.length > 1) {
    const actual = names.length === 0 ? 'none' : names.slice(0, 3).join(', ').slice(0, MAX_SHOWN);
    throw invalid(`${place}: expected the name of one field, found ${actual}`);
  }
  return {
    field,
    value: record[field],
    place: `${place}.${field.slice(0, MAX_SHOWN)}`,
    boost: record['boost'],
  };
}

/** The string form of a scalar. */
export function textOf(value: unknown, place: string): string {
  if (isScalar(value) && value !== null) return String(value);
  throw invalid(`${place}: expected a string, a number, true or false`);
}

export function objectOf(value: unknown, place: string): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw notAs(place, 'an object');
}

function notAs(place: string, expected: string): ServiceError {
  return invalid(`${place}: expected ${expected}`);
}
