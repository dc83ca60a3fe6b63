// All documents a search finds, page after page behind a sort that ends with the id, so that none is missed or comes
// twice. The file grows as Blobs, which the browser keeps outside of the page's memory.
// Invariant: a walk that breaks off throws; half a file is never offered.
import type { Document, SearchBody } from '../api/wire.ts';
import { cursorOf } from '../search/paging.ts';
import { BYTE_ORDER_MARK, csvHead, csvLine } from './csv.ts';

export type ExportFormat = 'csv' | 'ndjson';

/** Asks for a page of a search. */
export type PageSource = (body: SearchBody, limit: number) => Promise<readonly Document[]>;

export const EXPORT_PAGE = 1_000;

/** Every document that a search finds, by pages. @param sort ends with a field that tells all documents apart */
export async function* walk(
  body: SearchBody,
  sort: readonly string[],
  source: PageSource,
): AsyncGenerator<readonly Document[]> {
  let after: unknown[] | null = null;
  for (;;) {
    const page = await source(
      { ...body, sort, ...(after === null ? {} : { searchAfter: after }) },
      EXPORT_PAGE,
    );
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < EXPORT_PAGE) return;
    after = cursorOf(last, sort);
  }
}

/** The text of a page in a format. */
export function written(
  page: readonly Document[],
  format: ExportFormat,
  columns: readonly string[],
): string {
  return format === 'csv'
    ? page.map((document) => csvLine(document, columns)).join('')
    : page.map((document) => `${JSON.stringify(document)}\n`).join('');
}

/** What stands before the first document. */
export function beginning(format: ExportFormat, columns: readonly string[]): string {
  return format === 'csv' ? BYTE_ORDER_MARK + csvHead(columns) : '';
}
