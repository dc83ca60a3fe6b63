// What an import did, by line where it did not.

import { Icon } from '../../../ui/icon.tsx';
import type { ImportReport, ImportTarget } from './imports-api.ts';
import { LineNotes } from './line-notes.tsx';

export function ImportResult({ report, target }: { report: ImportReport; target: ImportTarget }) {
  const { created, updated, unchanged, failed, faults, warned, warnings } = report;
  if (created + updated + unchanged + failed === 0) {
    return <p role="status">The file contains no rows.</p>;
  }
  return (
    <div class="import-report">
      <p class={failed === 0 ? 'verdict verdict-good' : 'verdict verdict-warn'} role="status">
        <Icon name={failed === 0 ? 'done' : 'alert'} size={16} />
        {created.toLocaleString('en')} created, {updated.toLocaleString('en')} updated,{' '}
        {unchanged.toLocaleString('en')} unchanged, {failed.toLocaleString('en')} failed
      </p>
      <LineNotes label="Not imported" notes={faults} more={failed - faults.length} />
      <LineNotes label="Warnings" notes={warnings} more={warned - warnings.length} />
      <p>
        {target === 'auth-users' ? (
          <a href="#/users">Auth users</a>
        ) : (
          <a href={target === 'documents' ? '#/search' : `#/search/${target}`}>
            Search the documents
          </a>
        )}
      </p>
    </div>
  );
}
