// Paging of search results. With a sort, the next page uses the values of the last row as
// searchAfter, without limit; by relevance, it uses an offset, which the service limits.

import { valuesAt } from './document-value.ts';
import type { Document } from './wire.ts';

/** The maximum offset plus limit: the default of the service's setting `max-window`. */
export const WINDOW = 10_000;
const FIRST_PAGE = 100;
const LARGEST_PAGE = 2_000;

/** The searchAfter values of a row for a sort. */
export function cursorOf(row: Document, sort: readonly string[]): unknown[] {
  return sort.map((key) => {
    const descending = key.startsWith('-');
    const values = valuesAt(row, key.replace(/^-/, '').replace(/\.exact$/, ''));
    if (values.length < 2) return values[0] ?? null;
    // Several values sort by the smallest when ascending, by the greatest when descending.
    return values.reduce((best, value) => (before(value, best) !== descending ? value : best));
  });
}

/** The size of the next page, which grows with the number of loaded rows. */
export function pageSize(loaded: number): number {
  return Math.max(FIRST_PAGE, Math.min(LARGEST_PAGE, Math.floor(loaded / 2)));
}

function before(one: unknown, other: unknown): boolean {
  return (one as string | number) < (other as string | number);
}
