// Reads `query.fields`: the fields that a clause without a field searches. Accepts an array, one
// string, or a string in brackets, each with commas, and an optional weight after `^` in each name.

import { invalid } from '../body.ts';
import { limitFault, type QueryLimits } from '../limits.ts';
import type { DefaultField } from './assembly.ts';

/** A single plain name, the usual case. */
const PLAIN_NAME = /^[\w.]+$/;

/**
 * Returns the default fields; empty for none or all fields.
 * @param place JSON path of the fields
 * @throws ServiceError `request_invalid` for a weight that is not a number, `limit_exceeded`
 */
export function defaultFieldsOf(
  fields: readonly string[],
  limits: QueryLimits,
  place = 'query.fields',
): readonly DefaultField[] {
  const names = fields.flatMap((text) => (PLAIN_NAME.test(text) ? text : namesIn(text)));
  if (names.length > limits.maxClauses) {
    throw limitFault('maxClauses', limits.maxClauses, 'default fields');
  }
  const parsed = names.map((name) => withWeight(name, place));
  return parsed.some(({ name }) => name === '*') ? [] : parsed;
}

function namesIn(text: string): string[] {
  return text
    .trim()
    .replace(/^\[(.*)\]$/s, '$1')
    .split(',')
    .map((name) => name.trim().replace(/^(["'])(.*)\1$/, '$2'))
    .filter((name) => name !== '');
}

function withWeight(text: string, place: string): DefaultField {
  const at = text.indexOf('^');
  const weighted = at === -1 ? text : text.slice(0, at);
  const name = weighted.startsWith('@') ? weighted.slice(1) : weighted;
  if (at === -1) return { name, boost: 1 };
  const weight = text.slice(at + 1);
  const boost = /^\d{1,9}(\.\d{1,9})?$/.test(weight) ? Number(weight) : Number.NaN;
  if (Number.isNaN(boost)) throw invalid(`${place}: expected a number after ^ in ${text}`);
  return { name, boost };
}
