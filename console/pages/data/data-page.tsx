// The page Data: the documents by type, imports, the index that searches read, and what the
// retention has deleted. All but the first is for administrators.
import { nodeStatus } from '../../api/admin-api.ts';
import type { NodeStatus } from '../../api/node-status.ts';
import { isRestricted, mayUser } from '../../api/rights.ts';
import { session } from '../../api/session.ts';
import { instantText } from '../../model/document-value.ts';
import type { ImportTarget } from './import/imports-api.ts';
import '../../style/administration.css';
import { countText, spanText } from '../../model/amount.ts';
import { FaultNotice } from '../../ui/notice.tsx';
import type { PageProps } from '../../ui/page-props.ts';
import { useCell } from '../../ui/use-cell.ts';
import { usePolled } from '../../ui/use-polled.ts';
import { DocumentTable } from './document-table.tsx';
import { FieldsPanel } from './fields-panel.tsx';
import { ImportPanel } from './import/import-panel.tsx';

const POLL_MS = 3_000;

export function DataPage({ route }: PageProps) {
  const current = useCell(session);
  const isAdmin = mayUser(current, 'admin');
  return (
    <div class="page">
      <h1>Data</h1>
      {isAdmin ? (
        <AdministratorParts target={route.parameters.has('users') ? 'auth-users' : 'documents'} />
      ) : (
        <>
          <DocumentTable indexes={null} />
          {current !== null && !isRestricted(current) && (
            <p class="quiet">Users with ORG_ADMIN also import documents here.</p>
          )}
        </>
      )}
    </div>
  );
}

/** @param target what the file of an import has at first */
function AdministratorParts({ target }: { target: ImportTarget }) {
  const { value, fault, reload } = usePolled(nodeStatus, POLL_MS);
  return (
    <>
      {fault !== null && <FaultNotice fault={fault} reload={reload} />}
      <DocumentTable indexes={value?.indexes ?? null} />
      <ImportPanel target={target} />
      <FieldsPanel />
      {value !== undefined && <IndexPanel status={value} />}
      {value !== undefined && <RetentionPanel retention={value.retention} />}
    </>
  );
}

function IndexPanel({ status: { lag, merges, indexes } }: { status: NodeStatus }) {
  const refused = indexes.reduce((sum, index) => sum + (index.refused ?? 0), 0);
  const facts: readonly (readonly [name: string, value: string | null])[] = [
    ['Behind the store', lag.seconds === 0 ? 'Not at all' : spanText(lag.seconds)],
    ['Changes not yet searchable', lag.changes === null ? null : countText(lag.changes)],
    ['Merges', merges === null ? null : mergesText(merges)],
    ['Refused documents', refused === 0 ? null : refusedText(refused)],
  ];
  return (
    <section class="tile" aria-label="Index">
      <h2>Index</h2>
      <p class="quiet">
        Derived from the store, and fed again from it if it is lost or damaged. It belongs to the
        node that answers.
      </p>
      <dl class="facts node-facts">
        {facts.map(([name, value]) =>
          value === null ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </section>
  );
}

function mergesText({ done, underWay }: NonNullable<NodeStatus['merges']>): string {
  return `${countText(done)} done, ${underWay ? 'one running' : 'none running'}`;
}

function refusedText(refused: number): string {
  return `${countText(refused)}; searches find them as they were before, or not at all. The server log names them.`;
}

function RetentionPanel({ retention: { eventsPurgedBefore } }: Pick<NodeStatus, 'retention'>) {
  return (
    <section class="tile" aria-label="Retention">
      <h2>Retention</h2>
      <p>
        {eventsPurgedBefore === null
          ? 'No event or account activity has been deleted because of its age.'
          : `Events and account activities from before ${instantText(eventsPurgedBefore)} UTC have been deleted.`}
      </p>
      <p class="quiet">
        The setting <code>CARDEA_EVENT_RETENTION</code> is the age at which they are deleted. The
        recorded audit trail and its export keep all events.
      </p>
    </section>
  );
}
