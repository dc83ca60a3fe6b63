// The tokens of a filter (collection-filter.ts). What no token begins with, such as `4bd6` or a text in
// typographic quotes, is a token of its own, so that the parser can say what belongs there.
import { ServiceError } from '../../errors.ts';

export interface FilterToken {
  readonly kind: 'word' | 'string' | 'number' | 'date' | '(' | ')' | ',' | 'other' | 'end';
  /** Of a string: its value. */
  readonly text: string;
  readonly offset: number;
}

const TOKEN =
  /\s*(?:([A-Za-z_][\w.]*)|(\d{4}-\d\d(?:-[\w.:+-]*)?)(?![\w.])|(-?\d+(?:\.\d+)?(?![\w.]))|"((?:[^"\\]|\\.)*)"|([(),]))/sy;
/** Single and typographic quotes, and accents that people type for them. */
const ODD_QUOTES = "'`\u00b4\u2018-\u201f\u2039\u203a\u00ab\u00bb\u2032\u2033\uff02\uff07";
const ODDLY_QUOTED = new RegExp(`^[(\\[]*[${ODD_QUOTES}]`);
const TYPOGRAPHIC = new RegExp(`[${ODD_QUOTES.slice(1)}]`);
/** A text from one such quote to the next, or what is up to a blank. */
const OTHER = new RegExp(
  `^(?:[(\\[]*[${ODD_QUOTES}][^${ODD_QUOTES}"]*[${ODD_QUOTES}\\])]*|[^\\s(),"]+)`,
);

/**
 * The token at or after a place, and where it ends.
 * @throws ServiceError `request_invalid` for a quote that is not closed
 */
export function readFilterToken(
  filter: string,
  at: number,
): { readonly token: FilterToken; readonly end: number } {
  TOKEN.lastIndex = at;
  const match = TOKEN.exec(filter);
  if (match === null) return otherToken(filter, at);
  const [whole, word, date, number, string, mark] = match;
  const offset = at + whole.length - whole.trimStart().length;
  const token = (kind: FilterToken['kind'], text: string) => ({
    token: { kind, text, offset },
    end: at + whole.length,
  });
  if (word !== undefined) return token('word', word);
  if (date !== undefined) return token('date', date);
  if (number !== undefined) return token('number', number);
  if (mark !== undefined) return token(mark as '(' | ')' | ',', mark);
  return token('string', (string ?? '').replace(/\\(.)/gs, '$1'));
}

function otherToken(filter: string, at: number): { token: FilterToken; end: number } {
  const offset = at + (/^\s*/.exec(filter.slice(at))?.[0].length ?? 0);
  if (offset === filter.length) return { token: { kind: 'end', text: '', offset }, end: offset };
  const text = OTHER.exec(filter.slice(offset))?.[0];
  if (text !== undefined) {
    return { token: { kind: 'other', text, offset }, end: offset + text.length };
  }
  const rest = filter.slice(offset, offset + 20);
  throw filterFault(offset, `this quote is not closed by a plain double quote: ${rest}`);
}

/** Whether a text begins with a quote that is no plain double one. */
export function isOddlyQuoted(text: string): boolean {
  return ODDLY_QUOTED.test(text);
}

/** Whether a text has a quote that people type for a plain one by accident. */
export function hasTypographicQuote(text: string): boolean {
  return TYPOGRAPHIC.test(text);
}

/** @param offset where in the filter the problem is */
export function filterFault(offset: number, problem: string): ServiceError {
  const sentence = `filters, offset ${offset}: ${problem}`;
  return new ServiceError('request_invalid', sentence, { offset, causes: [sentence] });
}
