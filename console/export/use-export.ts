// Exports a file with its progress. A file is downloaded only when it is complete.
import { useEffect, useRef, useState } from 'preact/hooks';
import { asFault } from '../api/fault.ts';
import { download } from './download.ts';
import type { CollectedFile } from './export-file.ts';

/** A file that can be exported. */
export interface ExportChoice {
  readonly label: string;
  readonly fileName: string;
  /** @param onProgress called with the number of rows so far */
  collect(signal: AbortSignal, onProgress: (done: number) => void): Promise<CollectedFile>;
}

/** The state of an export. */
export type Progress =
  | { readonly state: 'idle' }
  | { readonly state: 'running'; readonly done: number }
  | { readonly state: 'done'; readonly done: number }
  | { readonly state: 'failed'; readonly message: string };

export interface Export {
  readonly progress: Progress;
  start(choice: Pick<ExportChoice, 'fileName' | 'collect'>): Promise<void>;
  cancel(): void;
}

const IDLE: Progress = { state: 'idle' };

/**
 * One export at a time; it is cancelled with its component.
 * @param subject identifies what is exported; when it changes, the outcome of the last export is
 *   forgotten
 */
export function useExport(subject: string): Export {
  const [progress, setProgress] = useState<Progress>(IDLE);
  const running = useRef<AbortController | null>(null);
  const cancel = () => running.current?.abort();
  useEffect(() => cancel, []);
  useEffect(() => {
    setProgress((before) => (before.state === 'running' ? before : IDLE));
  }, [subject]);
  const start: Export['start'] = async ({ fileName, collect }) => {
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
      const why = controller.signal.aborted ? 'Export cancelled.' : asFault(error).message;
      setProgress({ state: 'failed', message: `${why} No file was created.` });
    }
  };
  return { progress, start, cancel };
}
