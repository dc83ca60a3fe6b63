// Exports all hits of a search as a file, page by page, with progress and a cancel button. The file
// is downloaded only when it is complete.
import { useEffect, useRef, useState } from 'preact/hooks';
import { asFault } from '../api/fault.ts';
import { rowsBody, searchBody, sortKeysOf } from '../search/search-body.ts';
import { columnsOf, type SearchState } from '../search/search-state.ts';
import { Menu } from '../ui/menu.tsx';
import { download } from './download.ts';
import type { ExportFormat } from './export.ts';
import { collectFile } from './export-file.ts';

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
      const file = await collect(state, format, controller.signal, (done) =>
        setProgress({ state: 'running', done }),
      );
      download(file.blob, `${state.index}.${format}`);
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
          <p>All {total.toLocaleString('en')} matching documents</p>
          <div class="buttons">
            <button
              type="button"
              class="button"
              disabled={progress.state === 'running'}
              onClick={() => start('csv')}
            >
              CSV (shown columns)
            </button>
            <button
              type="button"
              class="button"
              disabled={progress.state === 'running'}
              onClick={() => start('ndjson')}
            >
              NDJSON (full documents)
            </button>
          </div>
          <ProgressView
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
  progress,
  total,
  onCancel,
}: {
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
      return <p role="status">{progress.done.toLocaleString('en')} documents exported</p>;
    case 'failed':
      return (
        <p class="field-fault" role="alert">
          {progress.message}
        </p>
      );
  }
}

function collect(
  state: SearchState,
  format: ExportFormat,
  signal: AbortSignal,
  onProgress: (done: number) => void,
): Promise<{ blob: Blob; count: number }> {
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
