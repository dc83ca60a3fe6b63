// What a JSON value becomes in a column of its field's type; undefined where it does not convert and is left out.
// Every backend indexes by these, so that they find the same.
import { fold } from '../../analysis/fold.ts';
import { decimalNumber, strictIsoDate } from '../../analysis/values.ts';
import type { Scalar } from './document-fields.ts';

export function numberOf(value: Scalar): number | undefined {
  const number = typeof value === 'string' ? decimalNumber(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** A fraction loses its decimals, as Elasticsearch's `coerce` does. */
export function longOf(value: Scalar): number | undefined {
  const number = numberOf(value);
  return number === undefined ? undefined : Math.trunc(number);
}

/** Epoch milliseconds. */
export function dateOf(value: Scalar): number | undefined {
  return typeof value === 'string' ? strictIsoDate(value) : longOf(value);
}

/** 1 and 0. */
export function booleanOf(value: Scalar): number | undefined {
  if (value === true || value === 'true') return 1;
  return value === false || value === 'false' ? 0 : undefined;
}

/** The `date` column of a dynamic text field. */
export function dateReading(text: string): number | undefined {
  return strictIsoDate(text);
}

/** The `number` column of a dynamic text field. */
export function numberReading(text: string): number | undefined {
  return numberOf(text);
}

/** A whole value in its folded form. */
export function foldedValue(text: string): string {
  return fold(text);
}
