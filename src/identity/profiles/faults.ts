// What callers of profile management are told, in the sentences of its dialect
// (contract/profiles.md section 2).
// Invariant: each value of `errors` is an array.
import { ServiceError } from '../../errors.ts';

/** What is wrong with a record: sentences by the wire name of the member. */
export type FieldErrors = Record<string, unknown[]>;

/** What failed, as the sentence of a validation fault says it. */
export type Verb = 'create' | 'update' | 'delete' | 'run';

/**
 * Nothing has that id or uid.
 * @param title the resource in title case, e.g. `Profile Type`
 */
export function resourceMissing(title: string): ServiceError {
  return new ServiceError('not_found', `The requested ${title} was not found`);
}

/** The member that wraps a body is absent or empty. */
export function parameterMissing(name: string): ServiceError {
  return new ServiceError('request_invalid', `param is missing or the value is empty: ${name}`);
}

/** A parameter, or a member that wraps a body, is not what it must be. */
export function parameterRefused(sentence: string): ServiceError {
  return new ServiceError('request_invalid', sentence);
}

/**
 * A record, or one of several, was refused.
 * @param noun what was written, e.g. `profile type` or `profiles`
 */
export function recordRefused(noun: string, verb: Verb, errors: FieldErrors): ServiceError {
  return new ServiceError('request_invalid', `The ${noun} failed to ${verb}`, { errors });
}

/** Adds a sentence about a member. */
export function addError(errors: FieldErrors, member: string, sentence: string): void {
  const sentences = Object.hasOwn(errors, member) ? errors[member] : undefined;
  setErrors(errors, member, [...(sentences ?? []), sentence]);
}

/**
 * Sets what is wrong with a member, whose name the caller may have chosen: `__proto__` is one like
 * any other.
 */
export function setErrors(errors: FieldErrors, member: string, sentences: unknown[]): void {
  Object.defineProperty(errors, member, {
    ...{ value: sentences, enumerable: true, writable: true, configurable: true },
  });
}

/** Whether nothing is wrong. */
export function isFaultless(errors: FieldErrors): boolean {
  return Object.keys(errors).length === 0;
}
