// The menu that exports all matches as a file, with progress and a cancel button.
import { useState } from 'preact/hooks';
import { Button } from '../ui/forms/button.tsx';
import { Menu } from '../ui/menu.tsx';
import { type ExportChoice, type Progress, useExport } from './use-export.ts';

export interface FileExportProps {
  /** What is counted, such as `profiles`. */
  readonly noun: string;
  /** What the file has of them. */
  readonly hint?: string;
  readonly total: number;
  /** Identifies the search; when it changes, the outcome of the last export is forgotten. */
  readonly subject: string;
  readonly choices: readonly ExportChoice[];
}

export function FileExport({ noun, hint, total, subject, choices }: FileExportProps) {
  const { progress, start, cancel } = useExport(subject);
  // The search may change while a file is collected, which stays that of the search it began with.
  const [begun, setBegun] = useState({ total, noun });
  return (
    <Menu icon="download" label="Export">
      {() => (
        <div class="export">
          <p>
            All {total.toLocaleString('en')} matching {noun}
            {hint !== undefined && `, ${hint}`}
          </p>
          <div class="buttons">
            {choices.map((choice) => (
              <Button
                key={choice.label}
                class="button"
                isIdle={progress.state === 'running'}
                onClick={() => {
                  setBegun({ total, noun });
                  void start(choice);
                }}
              >
                {choice.label}
              </Button>
            ))}
          </div>
          <ProgressView progress={progress} {...begun} onCancel={cancel} />
        </div>
      )}
    </Menu>
  );
}

/** Progress and outcome of an export. */
function ProgressView({
  progress,
  total,
  noun,
  onCancel,
}: {
  progress: Progress;
  total: number;
  /** What is counted. */
  noun: string;
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
