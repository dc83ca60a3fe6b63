// Collects all hits of a search into a file, in Blobs, which browsers keep outside of the page's
// memory.
// Invariant: only a complete file is returned.
import { search } from '../api/search-api.ts';
import type { SearchBody } from '../model/wire.ts';
import { allPages, type ExportFormat, FILE_TYPES, fileHead, formatPage } from './export.ts';

/** What to export, and how. */
export interface ExportRequest {
  /** Without a sort. */
  readonly body: SearchBody;
  /** Ends with a field that is unique by document. */
  readonly sort: readonly string[];
  readonly format: ExportFormat;
  /** Of a CSV file. */
  readonly columns: readonly string[];
  /** Of these columns; their names when omitted. */
  readonly heads?: readonly string[];
  readonly signal: AbortSignal;
  /** Called with the number of documents so far. */
  readonly onProgress: (done: number) => void;
}

/** A complete file. */
export interface CollectedFile {
  readonly blob: Blob;
  /** Rows, without the head. */
  readonly count: number;
}

/** Reads all hits. @throws ApiFault of the page that failed */
export async function collectFile({
  body,
  sort,
  format,
  columns,
  heads = columns,
  signal,
  onProgress,
}: ExportRequest): Promise<CollectedFile> {
  const blobs: Blob[] = [new Blob([fileHead(format, heads)])];
  let count = 0;
  onProgress(0);
  const source = async (pageBody: SearchBody, limit: number) =>
    (await search(pageBody, { limit }, signal)).hits;
  for await (const page of allPages(body, sort, source)) {
    blobs.push(new Blob([formatPage(page, format, columns)]));
    count += page.length;
    onProgress(count);
  }
  return { blob: new Blob(blobs, { type: FILE_TYPES[format] }), count };
}
