// Imports a file of documents in the format of search results: NDJSON or one array, optionally
// compressed.
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ImportReport, importFile } from '../../api/admin-api.ts';
import { type ApiFault, asFault } from '../../api/fault.ts';
import { Icon } from '../../ui/icon.tsx';
import { FaultNotice } from '../../ui/notice.tsx';
import { stay } from '../../ui/use-route.ts';
import { useUnsaved } from '../../ui/use-unsaved.ts';

interface Sending {
  readonly name: string;
  readonly sent: number;
  readonly size: number;
}

export function ImportPanel() {
  const [sending, setSending] = useState<Sending | null>(null);
  const [report, setReport] = useState<ImportReport | null>(null);
  const [fault, setFault] = useState<ApiFault | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  useUnsaved(sending !== null);
  const start = async (file: File) => {
    const controller = new AbortController();
    running.current = controller;
    setReport(null);
    setFault(null);
    const progress = (sent: number) => setSending({ name: file.name, sent, size: file.size });
    progress(0);
    let isComplete = false;
    try {
      const answer = await importFile(file, progress, controller.signal);
      setReport(answer);
      isComplete = answer.failed === 0;
    } catch (error) {
      setFault(asFault(error));
    }
    // The question whether to leave would hide what failed.
    if (!isComplete && !controller.signal.aborted) stay();
    setSending(null);
  };
  return (
    <section class="tile" aria-label="Import">
      <h2>Import documents</h2>
      <p class="quiet">
        NDJSON or a JSON array of documents as the search returns them, optionally compressed (.gz).
        Importing the same file again changes nothing.
      </p>
      {sending === null ? (
        <label class="button file-button">
          <Icon name="plus" size={16} /> Choose a file
          <input
            type="file"
            class="unseen"
            accept=".ndjson,.jsonl,.json,.gz"
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? [];
              currentTarget.value = '';
              if (file !== undefined) void start(file);
            }}
          />
        </label>
      ) : (
        <>
          <progress max={Math.max(sending.size, 1)} value={sending.sent} aria-label="Import" />
          <p class="quiet" role="status">
            {sending.sent < sending.size
              ? `${sending.name}: ${megabytes(sending.sent)} of ${megabytes(sending.size)} MB uploaded`
              : `${sending.name}: uploaded, indexing the documents`}
          </p>
          <div class="buttons">
            <button type="button" class="button" onClick={() => running.current?.abort()}>
              Cancel
            </button>
          </div>
        </>
      )}
      {fault !== null && <FaultNotice fault={fault} />}
      {report !== null && <Report report={report} />}
    </section>
  );
}

function Report({ report }: { report: ImportReport }) {
  const { created, updated, unchanged, failed } = report;
  if (created + updated + unchanged + failed === 0) {
    return <p role="status">The file contains no documents.</p>;
  }
  return (
    <div role="status" class="import-report">
      <p>
        {created.toLocaleString('en')} created, {updated.toLocaleString('en')} updated,{' '}
        {unchanged.toLocaleString('en')} unchanged, {failed.toLocaleString('en')} failed
      </p>
      {report.faults.length > 0 && (
        <pre class="code">
          {report.faults.map(({ line, reason }) => `Line ${line}: ${reason}`).join('\n')}
        </pre>
      )}
    </div>
  );
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}
