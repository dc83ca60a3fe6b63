// The page Status: whether the service is ready, what needs attention, and the figures of the node
// that answers. Figures are for administrators; the service would refuse them to others.
import { useEffect, useState } from 'preact/hooks';
import { nodeStatus, type Readiness, readiness } from '../../api/admin-api.ts';
import type { NodeStatus } from '../../api/node-status.ts';
import { isRestricted, mayUser } from '../../api/rights.ts';
import { session } from '../../api/session.ts';
import '../../style/administration.css';
import { LoadNotice } from '../../ui/notice.tsx';
import { useCell } from '../../ui/use-cell.ts';
import { usePolled } from '../../ui/use-polled.ts';
import { Verdict } from '../../ui/verdict.tsx';
import { type Sample, withSample } from './node-history.ts';
import { NodePanel } from './node-panel.tsx';

const NODE_POLL_MS = 3_000;
const READY_POLL_MS = 10_000;

export function StatusPage() {
  const current = useCell(session);
  const isAdmin = mayUser(current, 'admin');
  return (
    <div class="page">
      <h1>Status</h1>
      <ReadinessPanel />
      {isAdmin ? (
        <Node />
      ) : (
        current !== null &&
        !isRestricted(current) && (
          <p class="quiet">Users with ORG_ADMIN also see the figures of the node here.</p>
        )
      )}
    </div>
  );
}

function ReadinessPanel() {
  const { value, fault, reload } = usePolled(readiness, READY_POLL_MS);
  return (
    <section class="tile" aria-label="Readiness">
      <LoadNotice value={value} fault={fault} reload={reload} lines={1} />
      {value !== undefined && (
        <>
          <Verdict {...verdictOf(value)} />
          {[...value.reasons, ...value.warnings].map((reason) => (
            <p key={reason}>{reason}</p>
          ))}
        </>
      )}
    </section>
  );
}

function verdictOf({ reasons, warnings }: Readiness) {
  if (reasons.length > 0) return { tone: 'bad', text: 'The service is not ready' } as const;
  if (warnings.length === 0) return { tone: 'good', text: 'The service is ready' } as const;
  const count = warnings.length === 1 ? 'one warning' : `${warnings.length} warnings`;
  return { tone: 'warn', text: `The service is ready, with ${count}` } as const;
}

function Node() {
  const { value, fault, reload } = usePolled(nodeStatus, NODE_POLL_MS);
  const [history, setHistory] = useState<readonly Sample[]>([]);
  useEffect(() => {
    if (value !== undefined) setHistory((before) => withSample(before, value, Date.now() / 1_000));
  }, [value]);
  return (
    <>
      <LoadNotice value={value} fault={fault} reload={reload} />
      {value !== undefined && (
        <DamagePanel documents={value.damagedDocuments} more={value.moreDamagedDocuments ?? 0} />
      )}
      {value !== undefined && <NodePanel status={value} history={history} />}
    </>
  );
}

function DamagePanel({
  documents,
  more,
}: {
  documents: NodeStatus['damagedDocuments'];
  more: number;
}) {
  if (documents.length === 0) return null;
  return (
    <section class="tile" aria-label="Damaged documents">
      <h2>Damaged documents</h2>
      <p>They are set aside in the store: import them again, or restore a backup.</p>
      <ul>
        {documents.map(({ index, id }) => (
          <li key={`${index} ${id}`}>
            {index}: {id}
          </li>
        ))}
      </ul>
      {more > 0 && (
        <p>
          And {more} more: <code>cardea doctor --json</code> names all.
        </p>
      )}
    </section>
  );
}
