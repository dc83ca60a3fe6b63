// Decides whether OpenSearch finds in a JSON value what the engine indexes of it.
// Invariant: when in doubt, it does not.
import { dateReading } from '../../../engine/fields/leaf-values.ts';
import type { Field } from '../../../query/mapping/mapping.ts';

/**
 * Characters that Java and JavaScript lower-case alike in all their versions: of blocks that have no
 * room for new letters with two cases. Left out are Georgian, Cherokee, Coptic, the later extensions
 * of Latin and Cyrillic, and beyond 16 bits all but emoji and ideographs.
 */
const FOLDED_ALIKE =
  /^[\0-\u109f\u1100-\u139f\u1400-\u1c7f\u1cc0-\u2bff\u2d30-\ua63f\uac00-\ud7ff\ud83c-\ud83e\ud840-\ud8bf\udc00-\udfff\uf900-\ufaff\ufb50-\uffef]*$/;

/** Whether OpenSearch lower-cases a text as `fold` does. */
export function isFoldedAlike(text: string): boolean {
  return FOLDED_ALIKE.test(text);
}

/** Texts that are a number for both. */
const INTEGER = /^-?\d{1,15}$/;
const DECIMAL = /^-?\d{1,15}(?:\.\d{1,15})?$/;
/** Java's offsets end at 18 hours. */
const DATE = /^[^T]{10}(?:T[\d:.,]+(?:Z|[+-](?:0\d|1[0-7]):?\d*)?)?$/;

/** Whether OpenSearch reads a value of a field of numbers as the engine does. */
export function isPlainNumber({ type }: Field, value: unknown): boolean {
  switch (type) {
    case 'long':
      return isPlain(value, INTEGER, Number.isSafeInteger);
    case 'double':
      return isPlain(value, DECIMAL, Number.isFinite);
    case 'date':
      return typeof value === 'string' && dateReading(value) !== undefined && DATE.test(value);
    case 'boolean':
      return typeof value === 'boolean' || value === 'true' || value === 'false';
    default:
      return false;
  }
}

/**
 * The engine has no -0, and truncates the fractions of integers, which may be doubles here.
 * @param text the texts that are a number for both
 * @param isExact whether a number is one that both store alike
 */
function isPlain(value: unknown, text: RegExp, isExact: (number: unknown) => boolean): boolean {
  const number = typeof value === 'string' && text.test(value) ? Number(value) : value;
  return !Object.is(number, -0) && isExact(number);
}
