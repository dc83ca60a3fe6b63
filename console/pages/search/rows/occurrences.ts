// Where the words of a query occur in a document. The service searches in more fields than a row
// shows; this lists the texts that have the words.

import type { QueryTerm } from '../../../model/query-terms.ts';
import { isMatch } from './matches.ts';

/** A text of a document that has a word of the query. */
export interface Occurrence {
  /** Without array positions. */
  readonly path: string;
  readonly text: string;
}

/** The first texts, without repetition, in the order of the document. */
export function occurrencesOf(
  document: unknown,
  terms: readonly QueryTerm[],
  limit: number,
): Occurrence[] {
  const found = new Map<string, Occurrence>();
  if (terms.length === 0) return [];
  const visit = (value: unknown, path: string): void => {
    if (found.size >= limit) return;
    if (Array.isArray(value)) {
      for (const item of value) visit(item, path);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        visit(member, path === '' ? name : `${path}.${name}`);
      }
    } else if (typeof value === 'string' && isMatch(value, path, terms)) {
      found.set(`${path} ${value}`, { path, text: value });
    }
  };
  visit(document, '');
  return [...found.values()];
}
