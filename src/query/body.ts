// Reads the members of a request body by JSON type. An absent member and a null one are the same;
// unknown members are ignored. A wrong type makes the body malformed and is reported before any
// error of its content.
import { ServiceError } from '../errors.ts';

/** A JSON value that is neither an array nor an object. */
export type Scalar = string | number | boolean | null;

/** The error for a member that is not what is expected at its JSON path. */
export type MemberFault = (path: string, expected: string) => ServiceError;

/** Longer values are cut to this length in error messages. */
const MAX_SHOWN = 60;

/** The members of one JSON object; `path` is its JSON path, for error messages. */
export class Members {
  readonly path: string;
  protected readonly record: Readonly<Record<string, unknown>>;
  private readonly fault: MemberFault;

  /** @throws ServiceError of `fault`, by default `body_malformed`, if the value is not an object */
  constructor(value: unknown, path: string, fault: MemberFault = wrongType) {
    if (!isObject(value)) throw fault(path, 'an object');
    this.record = value;
    this.path = path;
    this.fault = fault;
  }

  names(): readonly string[] {
    return Object.keys(this.record).filter((name) => this.get(name) !== undefined);
  }

  /** The JSON path of a member. */
  pathOf(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  get(name: string): unknown {
    return Object.hasOwn(this.record, name) ? (this.record[name] ?? undefined) : undefined;
  }

  string(name: string): string | undefined {
    const value = this.get(name);
    if (value === undefined || typeof value === 'string') return value;
    throw this.refusal(name, 'a string');
  }

  boolean(name: string): boolean | undefined {
    const value = this.get(name);
    if (value === undefined || typeof value === 'boolean') return value;
    throw this.refusal(name, 'true or false');
  }

  number(name: string): number | undefined {
    const value = this.get(name);
    if (value === undefined || typeof value === 'number') return value;
    throw this.refusal(name, 'a number');
  }

  members(name: string): Members | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    return new Members(value, this.pathOf(name), this.fault);
  }

  strings(name: string): readonly string[] | undefined {
    return this.array(
      name,
      'an array of strings',
      (item): item is string => typeof item === 'string',
    );
  }

  /** Null elements are kept. */
  scalars(name: string): readonly Scalar[] | undefined {
    return this.array(name, 'an array of strings, numbers, booleans or nulls', isScalar);
  }

  private array<T>(
    name: string,
    expected: string,
    is: (item: unknown) => item is T,
  ): readonly T[] | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    if (!Array.isArray(value) || !value.every(is)) throw this.refusal(name, expected);
    return value;
  }

  private refusal(name: string, expected: string): ServiceError {
    return this.fault(this.pathOf(name), expected);
  }
}

/** The error for well-formed but invalid content; `causes` name the place. */
export function invalid(cause: string): ServiceError {
  return new ServiceError('request_invalid', cause, { causes: [cause] });
}

/** The error for a member of the wrong JSON type. */
export function wrongType(path: string, expected: string): ServiceError {
  const cause = `${path === '' ? 'The body' : path}: expected ${expected}`;
  return new ServiceError('body_malformed', cause, { causes: [cause] });
}

/** One of some words. @throws ServiceError `request_invalid` for another one */
export function oneOf<Word extends string>(
  path: string,
  value: string,
  words: readonly Word[],
): Word {
  const word = words.find((one) => one === value);
  if (word !== undefined) return word;
  const shown = JSON.stringify(value.slice(0, MAX_SHOWN));
  throw invalid(`${path}: ${shown} is none of ${words.join(', ')}`);
}

export function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** True for a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
