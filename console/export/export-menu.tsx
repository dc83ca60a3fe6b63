// Exports all hits of a search as a file: documents page by page, elements as the service streams
// their rows.
import { headsOf } from '../../src/query/rows/column-label.ts';
import { ApiFault } from '../api/fault.ts';
import { requestRows } from '../api/search-api.ts';
import { BYTE_ORDER_MARK } from '../model/csv.ts';
import { elementRowsBody, rowsBody, searchBody, sortKeysOf } from '../model/search-body.ts';
import { columnLabel, columnsOf, printSearch, type SearchState } from '../model/search-state.ts';
import { type ExportFormat, FILE_TYPES } from './export.ts';
import { type CollectedFile, collectFile } from './export-file.ts';
import { FileExport } from './file-export.tsx';
import { RowCounter } from './row-counter.ts';

export function ExportMenu({ state, total }: { state: SearchState; total: number }) {
  const { index, rows } = state;
  const collect = rows === null ? collectDocuments : collectRows;
  const name = rows === null ? index : `${index}-${rows.path}`;
  const subject = printSearch(state);
  const columns = columnsOf(state);
  const heads = headsOf(columns, (column) => columnLabel(state, column));
  const choice = (label: string, format: ExportFormat, names = heads) => ({
    ...{ label, fileName: `${name}.${format}` },
    collect: (signal: AbortSignal, onProgress: (done: number) => void) =>
      collect(state, format, names, signal, onProgress),
  });
  return rows === null ? (
    <FileExport
      noun="documents"
      {...{ total, subject }}
      choices={[
        choice('CSV (shown columns)', 'csv'),
        choice('CSV (field names as heads)', 'csv', columns),
        choice('NDJSON (full documents)', 'ndjson'),
      ]}
    />
  ) : (
    <FileExport
      noun="rows"
      hint="with the columns shown"
      {...{ total, subject }}
      choices={[
        choice('CSV', 'csv'),
        choice('CSV (field names as heads)', 'csv', columns),
        choice('NDJSON', 'ndjson', columns),
      ]}
    />
  );
}

async function collectDocuments(
  state: SearchState,
  format: ExportFormat,
  heads: readonly string[],
  signal: AbortSignal,
  onProgress: (done: number) => void,
): Promise<CollectedFile> {
  const keys = sortKeysOf(state);
  return collectFile({
    body: format === 'csv' ? rowsBody(state) : searchBody(state),
    sort: keys.length === 0 ? ['id'] : keys,
    columns: columnsOf(state),
    heads,
    format,
    signal,
    onProgress,
  });
}

async function collectRows(
  state: SearchState,
  format: ExportFormat,
  heads: readonly string[],
  signal: AbortSignal,
  onProgress: (done: number) => void,
): Promise<CollectedFile> {
  onProgress(0);
  const request = { format, limit: null, count: false };
  const columns = columnsOf(state).map((field, at) => ({ field, header: heads[at] ?? field }));
  const answer = await requestRows(elementRowsBody(state, columns), request, signal);
  const counter = new RowCounter(format);
  const blobs: Blob[] = format === 'csv' ? [new Blob([BYTE_ORDER_MARK])] : [];
  const reader = answer.body?.getReader();
  for (;;) {
    const piece = await reader?.read().catch((error: unknown) => {
      if (signal.aborted) throw error;
      throw new ApiFault('unavailable', 'The connection ended before the last row.');
    });
    if (piece === undefined || piece.done) break;
    counter.add(piece.value);
    blobs.push(new Blob([piece.value]));
    onProgress(counter.rows);
  }
  return { blob: new Blob(blobs, { type: FILE_TYPES[format] }), count: counter.rows };
}
