// Exports the events of the filters as CSV, with progress and a cancel button.
import { collectFile } from '../../export/export-file.ts';
import { type ExportChoice, type Progress, useExport } from '../../export/use-export.ts';
import { Icon } from '../../ui/icon.tsx';
import { AUDIT_SORT, type AuditState, auditBody, printAudit } from './audit-search.ts';

const COLUMNS = [
  ...['created', 'actor.name', 'attributes.actorId', 'action', 'operation', 'status'],
  ...['target.name', 'attributes.targetId', 'attributes.changed', 'attributes.before'],
  ...['attributes.after', 'attributes.capabilitiesBefore', 'attributes.capabilitiesAfter'],
  ...['attributes.reason', 'attributes.remoteAddress', 'attributes.requestId', 'technicalName'],
  'id',
];

export function AuditExport({ state }: { state: AuditState }) {
  const { progress, start, cancel } = useExport(printAudit(state));
  const collect: ExportChoice['collect'] = (signal, onProgress) =>
    collectFile({
      ...{ body: auditBody(state), sort: AUDIT_SORT, format: 'csv', columns: COLUMNS },
      ...{ signal, onProgress },
    });
  return (
    <div class="buttons audit-export">
      <span class="quiet" role="status">
        {progressText(progress)}
      </span>
      {progress.state === 'running' ? (
        <button type="button" class="button" onClick={cancel}>
          Cancel
        </button>
      ) : (
        <button
          type="button"
          class="button"
          onClick={() => void start({ fileName: 'audit.csv', collect })}
        >
          <Icon name="download" size={16} /> Export CSV
        </button>
      )}
    </div>
  );
}

function progressText(progress: Progress): string {
  switch (progress.state) {
    case 'idle':
      return '';
    case 'running':
      return `${progress.done.toLocaleString('en')} events read`;
    case 'done':
      return `${progress.done.toLocaleString('en')} events exported`;
    case 'failed':
      return progress.message;
  }
}
