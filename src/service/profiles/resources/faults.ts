// Errors of profile management, in the sentences of the public service (contract/profiles.md
// section 2).
// Invariant: each value of `errors` is an array.
import { ServiceError } from '../../../errors.ts';

/** Validation errors of a record: sentences by the wire name of the member. */
export type FieldErrors = Record<string, unknown[]>;

/** The verb in the sentence of a validation error. */
export type Verb = 'create' | 'update' | 'delete' | 'run';

/**
 * The error for an unknown id or uid.
 * @param title the resource in title case, e.g. `Profile Type`
 */
export function resourceMissing(title: string): ServiceError {
  return new ServiceError('not_found', `The requested ${title} was not found`);
}

/**
 * The error for a body whose wrapping member is absent or empty.
 * @param hints what may be wrong; the sentence itself is that of the public service
 */
export function parameterMissing(name: string, hints: readonly string[] = []): ServiceError {
  const details = hints.length === 0 ? {} : { errors: { [name]: hints } };
  const sentence = `param is missing or the value is empty: ${name}`;
  return new ServiceError('request_invalid', sentence, details);
}

/** The error for an invalid parameter or an invalid wrapping member. */
export function parameterRefused(sentence: string): ServiceError {
  return new ServiceError('request_invalid', sentence);
}

/**
 * The error for a rejected record, or several.
 * @param noun the kind of record, e.g. `profile type` or `profiles`
 */
export function recordRefused(noun: string, verb: Verb, errors: FieldErrors): ServiceError {
  return new ServiceError('request_invalid', `The ${noun} failed to ${verb}`, { errors });
}

/** Adds a sentence about a member. */
export function addError(errors: FieldErrors, member: string, sentence: string): void {
  const sentences = Object.hasOwn(errors, member) ? errors[member] : undefined;
  setErrors(errors, member, [...(sentences ?? []), sentence]);
}

/** Sets the errors of a member; safe for names chosen by the caller, such as `__proto__`. */
export function setErrors(errors: FieldErrors, member: string, sentences: unknown[]): void {
  Object.defineProperty(errors, member, {
    value: sentences,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}

/** All errors in one sentence, for reports: `status can't be blank; uid has already been taken`. */
export function sentenceOf(errors: Readonly<Record<string, unknown>>): string {
  return Object.entries(errors)
    .map(([member, sentences]) => `${member} ${[sentences].flat().join(', ')}`)
    .join('; ');
}

/** Whether there are no errors. */
export function isFaultless(errors: FieldErrors): boolean {
  return Object.keys(errors).length === 0;
}
