// `query.fields`: where a clause without a field looks. It comes as an array, as one string, as a string in
// brackets, each with commas in it, and each name with a weight behind `^` if it likes.

import { invalid } from '../body.ts';
import { limitFault, type QueryLimits } from '../limits.ts';
import type { DefaultField } from './assembly.ts';

/** A string that is one name and nothing else, as nearly all are. */
const PLAIN_NAME = /^[\w.]+$/;

/**
 * The default fields; empty when none are given or when all are.
 * @param place where they stand in the body
 * @throws ServiceError `request_invalid` for a weight that is no number, `limit_exceeded`
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
  const weighed = at === -1 ? text : text.slice(0, at);
  const name = weighed.startsWith('@') ? weighed.slice(1) : weighed;
  if (at === -1) return { name, boost: 1 };
  const weight = text.slice(at + 1);
  const boost = /^\d{1,9}(\.\d{1,9})?$/.test(weight) ? Number(weight) : Number.NaN;
  if (Number.isNaN(boost)) throw invalid(`${place}: expected a number after ^ in ${text}`);
  return { name, boost };
}
