// Where the next page begins. Behind a sort, the values of the last row are sent as searchAfter, which has no end;
// the best matches first can be paged by number only, as far as the service lets it.
import type { Document } from '../api/wire.ts';
import { valuesAt } from './document-value.ts';

/** How far pages by number reach (setting `max-window` of the service, as it comes). */
export const WINDOW = 10_000;
const FIRST_PAGE = 100;
const LARGEST_PAGE = 2_000;

/** The values of a row that a search in this order goes on behind. */
export function cursorOf(row: Document, sort: readonly string[]): unknown[] {
  return sort.map((key) => {
    const descending = key.startsWith('-');
    const values = valuesAt(row, key.replace(/^-/, '').replace(/\.exact$/, ''));
    if (values.length < 2) return values[0] ?? null;
    // Of several values the least counts when ascending, the greatest when descending.
    return values.reduce((best, value) => (before(value, best) !== descending ? value : best));
  });
}

/** How many rows to ask for when so many are there: who goes far is given more at a time. */
export function pageSize(loaded: number): number {
  return Math.max(FIRST_PAGE, Math.min(LARGEST_PAGE, Math.floor(loaded / 2)));
}

function before(one: unknown, other: unknown): boolean {
  return (one as string | number) < (other as string | number);
}
