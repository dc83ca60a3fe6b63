// Exports all hits of a search as a file, with progress and a cancel button: documents page by page,
// elements as the service streams their rows. The file is downloaded only when it is complete.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiFault, asFault } from '../api/fault.ts';
import { requestRows } from '../api/search-api.ts';
import { elementRowsBody, rowsBody, searchBody, sortKeysOf } from '../search/search-body.ts';
import { columnsOf, type SearchState } from '../search/search-state.ts';
import { Menu } from '../ui/menu.tsx';
import { BYTE_ORDER_MARK } from './csv.ts';
import { download } from './download.ts';
import { type ExportFormat, FILE_TYPES } from './export.ts';
import { type CollectedFile, collectFile } from './export-file.ts';
import { RowCounter } from './row-counter.ts';

type Progress =
  | { readonly state: 'idle' }
  | { readonly state: 'running'; readonly done: number }
  | { readonly state: 'done'; readonly done: number }
  | { readonly state: 'failed'; readonly message: string };

export function ExportMenu({ state, total }: { state: SearchState; total: number }) {
  const [progress, setProgress] = useState<Progress>({ state: 'idle' });
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const start = async (format: ExportFormat) => {
    const controller = new AbortController();
    running.current = controller;
    try {
      const collect = state.rows === null ? collectDocuments : collectRows;
      const file = await collect(state, format, controller.signal, (done) =>
        setProgress({ state: 'running', done }),
      );
      const name = state.rows === null ? state.index : `${state.index}-${state.rows.path}`;
      download(file.blob, `${name}.${format}`);
      setProgress({ state: 'done', done: file.count });
    } catch (error) {
      const message = controller.signal.aborted
        ? 'Export cancelled. No file was created.'
        : `${asFault(error).message} No file was created.`;
      setProgress({ state: 'failed', message });
    }
  };
  return (
    <Menu icon="download" label="Export">
      {() => (
        <div class="export">
          <p>
            {state.rows === null
              ? `All ${total.toLocaleString('en')} matching documents`
              : `All ${total.toLocaleString('en')} rows, with the columns shown`}
          </p>
          <div class="buttons">
            <button
              type="button"
              class="button"
              disabled={progress.state === 'running'}
              onClick={() => start('csv')}
            >
              {state.rows === null ? 'CSV (shown columns)' : 'CSV'}
            </button>
            <button
              type="button"
              class="button"
              disabled={progress.state === 'running'}
              onClick={() => start('ndjson')}
            >
              {state.rows === null ? 'NDJSON (full documents)' : 'NDJSON'}
            </button>
          </div>
          <ProgressView
            noun={state.rows === null ? 'documents' : 'rows'}
            progress={progress}
            total={total}
            onCancel={() => running.current?.abort()}
          />
        </div>
      )}
    </Menu>
  );
}

function ProgressView({
  noun,
  progress,
  total,
  onCancel,
}: {
  noun: string;
  progress: Progress;
  total: number;
  onCancel: () => void;
}) {
  switch (progress.state) {
    case 'idle':
      return null;
    case 'running':
      return (
        <>
          <progress max={Math.max(total, 1)} value={progress.done} aria-label="Export" />
          <p class="quiet">
            {progress.done.toLocaleString('en')} of {total.toLocaleString('en')}
          </p>
          <button type="button" class="button" onClick={onCancel}>
            Cancel
          </button>
        </>
      );
    case 'done':
      return (
        <p role="status">
          {progress.done.toLocaleString('en')} {noun} exported
        </p>
      );
    case 'failed':
      return (
        <p class="field-fault" role="alert">
          {progress.message}
        </p>
      );
  }
}

async function collectDocuments(
  state: SearchState,
  format: ExportFormat,
  signal: AbortSignal,
  onProgress: (done: number) => void,
): Promise<CollectedFile> {
  const keys = sortKeysOf(state);
  return collectFile({
    body: format === 'csv' ? rowsBody(state) : searchBody(state),
    sort: keys.length === 0 ? ['id'] : keys,
    columns: columnsOf(state),
    format,
    signal,
    onProgress,
  });
}

async function collectRows(
  state: SearchState,
  format: ExportFormat,
  signal: AbortSignal,
  onProgress: (done: number) => void,
): Promise<CollectedFile> {
  onProgress(0);
  const request = { format, limit: null, count: false };
  const answer = await requestRows(elementRowsBody(state), request, signal);
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
