// Converts JSON values to column values by field type; undefined if a value cannot be converted and
// is not indexed. All backends index by these functions, so that they return the same results.
import { fold } from '../../query/analysis/fold.ts';
import { decimalNumber, strictIsoDate } from '../../query/analysis/values.ts';
import type { Scalar } from './document-fields.ts';

export function numberOf(value: Scalar): number | undefined {
  const number = typeof value === 'string' ? decimalNumber(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Truncates fractions, as Elasticsearch's `coerce` does. */
export function longOf(value: Scalar): number | undefined {
  const number = numberOf(value);
  return number === undefined ? undefined : Math.trunc(number);
}

/** Converts to epoch milliseconds. */
export function dateOf(value: Scalar): number | undefined {
  return typeof value === 'string' ? strictIsoDate(value) : longOf(value);
}

/** Converts to 1 and 0. */
export function booleanOf(value: Scalar): number | undefined {
  if (value === true || value === 'true') return 1;
  return value === false || value === 'false' ? 0 : undefined;
}

/** The value in the `value` column of a dynamic field: that of numbers, and 1 and 0 for booleans. */
export function dynamicNumber(value: Scalar): number | undefined {
  return typeof value === 'string' ? undefined : Number(value);
}

/** The value in the `date` column of a dynamic field. */
export function dateReading(text: string): number | undefined {
  return strictIsoDate(text);
}

/** The value in the `number` column of a dynamic field. */
export function numberReading(text: string): number | undefined {
  return numberOf(text);
}

/** Returns the folded form of a whole value. */
export function foldedValue(text: string): string {
  return fold(text);
}
