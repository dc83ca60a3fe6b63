// Reads all hits of a search, page by page, and formats them. The sort ends with the id, so that no
// document is missed or repeated.
// Invariant: a failed page throws, so an incomplete file is never downloaded.

import { BYTE_ORDER_MARK, csvHead, csvLine } from '../model/csv.ts';
import { cursorOf } from '../model/paging.ts';
import type { Document, SearchBody } from '../model/wire.ts';

export type ExportFormat = 'csv' | 'ndjson';

/** Media types of the files. */
export const FILE_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv;charset=utf-8',
  ndjson: 'application/x-ndjson',
};

/** Requests a page of a search. */
export type PageSource = (body: SearchBody, limit: number) => Promise<readonly Document[]>;

export const EXPORT_PAGE = 1_000;

/** All hits of a search, page by page. @param sort ends with a field that is unique by document */
export async function* allPages(
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

/** Formats a page of documents. */
export function formatPage(
  page: readonly Document[],
  format: ExportFormat,
  columns: readonly string[],
): string {
  return format === 'csv'
    ? page.map((document) => csvLine(document, columns)).join('')
    : page.map((document) => `${JSON.stringify(document)}\n`).join('');
}

/** The text before the first document. */
export function fileHead(format: ExportFormat, heads: readonly string[]): string {
  return format === 'csv' ? BYTE_ORDER_MARK + csvHead(heads) : '';
}
