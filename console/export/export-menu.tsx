// Takes all that a search finds out as a file. It goes page by page, says how far it is, can be given up, and offers
// the file only when it is whole.
import { useEffect, useRef, useState } from 'preact/hooks';
import { asFault } from '../api/fault.ts';
import { search } from '../api/search-api.ts';
import { rowsBody, searchBody, sortOf } from '../search/search-body.ts';
import { columnsOf, type SearchState } from '../search/search-state.ts';
import { Menu } from '../ui/menu.tsx';
import { beginning, type ExportFormat, walk, written } from './export.ts';

type Progress =
  | { readonly at: 'rest' }
  | { readonly at: 'work'; readonly done: number }
  | { readonly at: 'end'; readonly done: number }
  | { readonly at: 'fault'; readonly sentence: string };

export function ExportMenu({ state, total }: { state: SearchState; total: number }) {
  const [progress, setProgress] = useState<Progress>({ at: 'rest' });
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const start = async (format: ExportFormat) => {
    const controller = new AbortController();
    running.current = controller;
    try {
      const file = await collect(state, format, controller.signal, (done) =>
        setProgress({ at: 'work', done }),
      );
      offer(file.blob, `${state.index}.${format}`);
      setProgress({ at: 'end', done: file.count });
    } catch (error) {
      const sentence = controller.signal.aborted
        ? 'Given up. There is no file.'
        : `${asFault(error).message} There is no file.`;
      setProgress({ at: 'fault', sentence });
    }
  };
  return (
    <Menu icon="download" label="Export">
      {() => (
        <div class="export">
          <p>All {total.toLocaleString('en')} documents that are found</p>
          <div class="buttons">
            <button
              type="button"
              class="button"
              disabled={progress.at === 'work'}
              onClick={() => start('csv')}
            >
              CSV, these columns
            </button>
            <button
              type="button"
              class="button"
              disabled={progress.at === 'work'}
              onClick={() => start('ndjson')}
            >
              NDJSON, whole
            </button>
          </div>
          <Told progress={progress} total={total} giveUp={() => running.current?.abort()} />
        </div>
      )}
    </Menu>
  );
}

function Told({
  progress,
  total,
  giveUp,
}: {
  progress: Progress;
  total: number;
  giveUp: () => void;
}) {
  switch (progress.at) {
    case 'rest':
      return null;
    case 'work':
      return (
        <>
          <progress max={Math.max(total, 1)} value={progress.done} aria-label="Export" />
          <p class="quiet">
            {progress.done.toLocaleString('en')} of {total.toLocaleString('en')}
          </p>
          <button type="button" class="button" onClick={giveUp}>
            Give up
          </button>
        </>
      );
    case 'end':
      return <p role="status">{progress.done.toLocaleString('en')} documents written</p>;
    case 'fault':
      return (
        <p class="field-fault" role="alert">
          {progress.sentence}
        </p>
      );
  }
}

async function collect(
  state: SearchState,
  format: ExportFormat,
  signal: AbortSignal,
  onProgress: (done: number) => void,
): Promise<{ blob: Blob; count: number }> {
  const columns = columnsOf(state);
  const body = format === 'csv' ? rowsBody(state) : searchBody(state);
  const sort = state.sort === '' ? ['id'] : sortOf(state);
  const parts: Blob[] = [new Blob([beginning(format, columns)])];
  let count = 0;
  onProgress(0);
  const source = async (asked: typeof body, limit: number) =>
    (await search(asked, { limit }, signal)).hits;
  for await (const page of walk(body, sort, source)) {
    parts.push(new Blob([written(page, format, columns)]));
    count += page.length;
    onProgress(count);
  }
  const type = format === 'csv' ? 'text/csv;charset=utf-8' : 'application/x-ndjson';
  return { blob: new Blob(parts, { type }), count };
}

function offer(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
