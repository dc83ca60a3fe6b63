// Reads the members of a request body by JSON type. An absent member and a null one are the same;
// unknown members are ignored. A wrong type makes the body malformed and is reported before any
// error of its content.
import { ServiceError } from '../errors.ts';

/** A JSON value that is neither an array nor an object. */
export type Scalar = string | number | boolean | null;

/** What is expected at a JSON path, in the words of an error: may add an example. */
export type Expectation = (path: string, expected: string) => string;

/** The members of one JSON object; `path` is its JSON path, for error messages. */
export class Members {
  private readonly record: Readonly<Record<string, unknown>>;
  private readonly path: string;
  private readonly expectation: Expectation;

  /** @throws ServiceError `body_malformed` if the value is not an object */
  constructor(
    value: unknown,
    path: string,
    expectation: Expectation = (_path, expected) => expected,
  ) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw wrongType(path === '' ? 'The body' : path, expectation(path, 'an object'));
    }
    this.record = value as Record<string, unknown>;
    this.path = path;
    this.expectation = expectation;
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
    return new Members(value, this.pathOf(name), this.expectation);
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
    const path = this.pathOf(name);
    return wrongType(path, this.expectation(path, expected));
  }
}

/** The error for well-formed but invalid content; `causes` name the place. */
export function invalid(cause: string): ServiceError {
  return new ServiceError('request_invalid', cause, { causes: [cause] });
}

/** The error for a member of the wrong JSON type. */
export function wrongType(path: string, expected: string): ServiceError {
  const cause = `${path}: expected ${expected}`;
  return new ServiceError('body_malformed', cause, { causes: [cause] });
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
