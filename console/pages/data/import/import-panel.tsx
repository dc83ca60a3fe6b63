// Imports a file: CSV, whose columns are mapped to members, or documents and auth users as the service
// returns them. The service suggests the map and checks the first lines before anything is stored.
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiFault, asFault } from '../../../api/fault.ts';
import {
  type ImportForm,
  type ImportReport,
  type ImportTarget,
  importFile,
  isCsv,
} from './imports-api.ts';
import '../../../style/import.css';
import '../../../style/table.css';
import { Icon } from '../../../ui/icon.tsx';
import { FaultNotice } from '../../../ui/notice.tsx';
import { stay } from '../../../ui/use-route.ts';
import { useUnsaved } from '../../../ui/use-unsaved.ts';
import { ChosenFile } from './chosen-file.tsx';
import { ImportResult } from './import-result.tsx';

interface Sending {
  readonly name: string;
  readonly sent: number;
  readonly size: number;
}

/** @param target what a file has at first */
export function ImportPanel({ target }: { target: ImportTarget }) {
  const [file, setFile] = useState<File | null>(null);
  const [sending, setSending] = useState<Sending | null>(null);
  const [result, setResult] = useState<{ report: ImportReport; target: ImportTarget } | null>(null);
  const [fault, setFault] = useState<ApiFault | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  useUnsaved(sending !== null);
  const choose = (chosen: File | null) => {
    setResult(null);
    setFault(null);
    setFile(chosen);
  };
  const start = async (chosen: File, form: ImportForm) => {
    const controller = new AbortController();
    running.current = controller;
    setFault(null);
    const progress = (sent: number) => setSending({ name: chosen.name, sent, size: chosen.size });
    progress(0);
    let isComplete = false;
    try {
      const report = await importFile(chosen, form, progress, controller.signal);
      setResult({ report, target: form.target });
      setFile(null);
      isComplete = report.failed === 0;
    } catch (error) {
      setFault(asFault(error));
    }
    // The question whether to leave would hide what failed.
    if (!isComplete && !controller.signal.aborted) stay();
    setSending(null);
  };
  return (
    <section class="tile" aria-label="Import">
      <h2>Import</h2>
      {file === null && (
        <>
          <p class="quiet">
            CSV with a line of heads, or JSON as the service returns it, optionally compressed
            (.gz). You see what becomes of the first rows before anything is stored. Importing the
            same file again changes nothing.
          </p>
          <label class="button file-button">
            <Icon name="upload" size={16} />{' '}
            {result === null ? 'Choose a file' : 'Choose another file'}
            <input
              type="file"
              class="unseen"
              accept=".csv,.tsv,.txt,.ndjson,.jsonl,.json,.gz"
              onChange={({ currentTarget }) => {
                const [chosen = null] = currentTarget.files ?? [];
                currentTarget.value = '';
                if (chosen !== null) choose(chosen);
              }}
            />
          </label>
        </>
      )}
      {file !== null && (
        // The form stays while it is sent, so that nothing is lost if that fails.
        <div hidden={sending !== null} class="import-form">
          <ChosenFile
            key={`${file.name} ${file.size} ${file.lastModified}`}
            file={file}
            first={isCsv(file) ? csvTarget(target) : jsonTarget(target)}
            onImport={(form) => void start(file, form)}
            onCancel={() => choose(null)}
          />
        </div>
      )}
      {sending !== null && <Progress {...sending} onCancel={() => running.current?.abort()} />}
      {fault !== null && <FaultNotice fault={fault} />}
      {result !== null && <ImportResult {...result} />}
    </section>
  );
}

function csvTarget(target: ImportTarget): ImportTarget {
  return target === 'documents' ? 'identities' : target;
}

function jsonTarget(target: ImportTarget): ImportTarget {
  return target === 'auth-users' ? target : 'documents';
}

function Progress({ name, sent, size, onCancel }: Sending & { readonly onCancel: () => void }) {
  return (
    <>
      <progress max={Math.max(size, 1)} value={sent} aria-label="Import" />
      <p class="quiet" role="status">
        {sent < size
          ? `${name}: ${megabytes(sent)} of ${megabytes(size)} MB uploaded`
          : `${name}: uploaded, storing the rest`}
      </p>
      <div class="buttons">
        <button type="button" class="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </>
  );
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}
