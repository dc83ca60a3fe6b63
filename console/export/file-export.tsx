// The menu that exports all matches of a table as a file, with progress and a cancel button. A file
// is downloaded only when it is complete.
import { useEffect, useRef, useState } from 'preact/hooks';
import { asFault } from '../api/fault.ts';
import { download } from './download.ts';
import { type Progress, ProgressView } from './export-menu.tsx';
import { Menu } from '../ui/menu.tsx';

/** A file that can be exported. */
export interface ExportChoice {
  readonly label: string;
  readonly fileName: string;
  /** @param onProgress called with the number of rows so far */
  collect(
    signal: AbortSignal,
    onProgress: (done: number) => void,
  ): Promise<{ readonly blob: Blob; readonly count: number }>;
}

export interface FileExportProps {
  /** What is counted, such as `profiles`. */
  readonly noun: string;
  readonly total: number;
  readonly choices: readonly ExportChoice[];
}

export function FileExport({ noun, total, choices }: FileExportProps) {
  const [progress, setProgress] = useState<Progress>({ state: 'idle' });
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const start = async ({ fileName, collect }: ExportChoice) => {
    const controller = new AbortController();
    running.current = controller;
    setProgress({ state: 'running', done: 0 });
    try {
      const { blob, count } = await collect(controller.signal, (done) =>
        setProgress({ state: 'running', done }),
      );
      download(blob, fileName);
      setProgress({ state: 'done', done: count });
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
            All {total.toLocaleString('en')} matching {noun}
          </p>
          <div class="buttons">
            {choices.map((choice) => (
              <button
                key={choice.fileName}
                type="button"
                class="button"
                disabled={progress.state === 'running'}
                onClick={() => void start(choice)}
              >
                {choice.label}
              </button>
            ))}
          </div>
          <ProgressView
            progress={progress}
            total={total}
            noun={noun}
            onCancel={() => running.current?.abort()}
          />
        </div>
      )}
    </Menu>
  );
}
