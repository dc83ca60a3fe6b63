// Exports the events of the filters as CSV, with progress and a cancel button.
import { useEffect, useRef, useState } from 'preact/hooks';
import { asFault } from '../api/fault.ts';
import { download } from '../export/download.ts';
import { collectFile } from '../export/export-file.ts';
import { Icon } from '../ui/icon.tsx';
import { AUDIT_SORT, type AuditState, auditBody } from './audit-search.ts';

const COLUMNS = [
  ...['created', 'actor.name', 'attributes.actorId', 'action', 'operation', 'status'],
  ...['target.name', 'attributes.targetId', 'attributes.changed', 'attributes.before'],
  ...['attributes.after', 'attributes.capabilitiesBefore', 'attributes.capabilitiesAfter'],
  ...['attributes.reason', 'attributes.remoteAddress', 'attributes.requestId', 'technicalName'],
  'id',
];

export function AuditExport({ state }: { state: AuditState }) {
  const [done, setDone] = useState<number | null>(null);
  const [outcome, setOutcome] = useState('');
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const start = async () => {
    const controller = new AbortController();
    running.current = controller;
    setOutcome('');
    try {
      const file = await collectFile({
        ...{ body: auditBody(state), sort: AUDIT_SORT, format: 'csv', columns: COLUMNS },
        signal: controller.signal,
        onProgress: setDone,
      });
      download(file.blob, 'audit.csv');
      setOutcome(`${file.count.toLocaleString('en')} events exported`);
    } catch (error) {
      const why = controller.signal.aborted ? 'Export cancelled.' : asFault(error).message;
      setOutcome(`${why} No file was created.`);
    }
    setDone(null);
  };
  return (
    <div class="buttons audit-export">
      <span class="quiet" role="status">
        {done === null ? outcome : `${done.toLocaleString('en')} events read`}
      </span>
      {done === null ? (
        <button type="button" class="button" onClick={() => void start()}>
          <Icon name="download" size={16} /> Export CSV
        </button>
      ) : (
        <button type="button" class="button" onClick={() => running.current?.abort()}>
          Cancel
        </button>
      )}
    </div>
  );
}
