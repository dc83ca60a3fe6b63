// Marks the words of a query in a text. Words are compared as the service compares them: whole, in
// any case, without accents; a pattern matches from the start of a word. It shows where a row may
// match; "Explain" shows what did.
import type { QueryTerm } from '../../../model/query-terms.ts';

/** A part of a text; `isMatch`: a word of the query. */
export interface Part {
  readonly text: string;
  readonly isMatch: boolean;
}

const LETTER = '[\\p{L}\\p{N}]';

/** Splits the text of a field into parts. */
export function partsOf(text: string, field: string, terms: readonly QueryTerm[]): Part[] {
  const concerning = terms.filter((term) => concerns(term, field));
  const sources = concerning.map(patternOf).filter((source) => source !== '');
  if (sources.length === 0 || text === '') return [{ text, isMatch: false }];
  const { folded, starts } = fold(text);
  const pattern = new RegExp(`(?<!${LETTER})(?:${sources.join('|')})(?!${LETTER})`, 'gu');
  const parts: Part[] = [];
  let end = 0;
  for (const match of folded.matchAll(pattern)) {
    const from = starts[match.index] ?? 0;
    const to = starts[match.index + match[0].length] ?? text.length;
    if (from > end) parts.push({ text: text.slice(end, from), isMatch: false });
    if (to > from) parts.push({ text: text.slice(from, to), isMatch: true });
    end = to;
  }
  if (end < text.length) parts.push({ text: text.slice(end), isMatch: false });
  return parts;
}

/** True if a text has a word of the query. */
export function isMatch(text: string, field: string, terms: readonly QueryTerm[]): boolean {
  return partsOf(text, field, terms).some((part) => part.isMatch);
}

function concerns({ field, nested }: QueryTerm, path: string): boolean {
  if (field !== null) return field === path;
  return nested === null || path.startsWith(`${nested}.`);
}

function patternOf({ kind, text }: QueryTerm): string {
  const words = fold(text).folded.match(
    kind === 'pattern' ? /[\p{L}\p{N}*?]+/gu : /[\p{L}\p{N}]+/gu,
  );
  return (words ?? [])
    .map((word) => word.replaceAll('*', `${LETTER}*`).replaceAll('?', LETTER))
    .join('[^\\p{L}\\p{N}]+');
}

/** A text in lower case without accents, and the offset of each of its characters in the text. */
function fold(text: string): { readonly folded: string; readonly starts: readonly number[] } {
  let folded = '';
  const starts: number[] = [];
  let offset = 0;
  for (const character of text) {
    const plain = character.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
    for (let unit = 0; unit < plain.length; unit++) starts.push(offset);
    folded += plain;
    offset += character.length;
  }
  return { folded, starts: [...starts, offset] };
}
