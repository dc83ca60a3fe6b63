// The page Mirror: how old the copy of a remote tenant is, the last runs, what each part holds, and
// what the copy cannot tell.
import { mirrorStatus } from '../../api/admin-api.ts';
import type { MirrorPart, MirrorRun, MirrorStatus } from '../../api/mirror-status.ts';
import { instantText } from '../../model/document-value.ts';
import '../../style/administration.css';
import { countText } from '../../model/amount.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Empty, LoadNotice } from '../../ui/notice.tsx';
import { TableFrame, TableHead } from '../../ui/table-frame.tsx';
import { usePolled } from '../../ui/use-polled.ts';
import { Status } from '../../ui/values/status.tsx';
import { Verdict } from '../../ui/verdict.tsx';
import { mirrorVerdict } from './mirror-verdict.ts';

const POLL_MS = 5_000;
const RUNS = 10;
/** Copies a tenant, and then keeps the copy current. */
const COMMAND = 'cardea mirror --from https://acme.api.identitynow.com --watch 5m';

export function MirrorPage() {
  const { value, fault, reload } = usePolled(mirrorStatus, POLL_MS);
  return (
    <div class="page">
      <h1>Mirror</h1>
      <LoadNotice value={value} fault={fault} reload={reload} />
      {value === null && (
        <Empty icon="mirror" title="This tenant is no mirror">
          A mirror is a copy of a remote tenant that is kept current. On the machine of the service:
          <code>{COMMAND}</code>
          <CopyButton text={COMMAND} />
        </Empty>
      )}
      {value !== undefined && value !== null && <Mirror status={value} />}
    </div>
  );
}

function Mirror({ status }: { status: MirrorStatus }) {
  const { source, running, error, lagSeconds, runs, parts, limits } = status;
  const verdict = mirrorVerdict(status);
  return (
    <>
      <section class="tile" aria-label="State of the mirror">
        <Verdict {...verdict} />
        <p class="quiet">A copy of {source}; times are in UTC</p>
        {error !== null && lagSeconds === null && <p>The first copy is not complete.</p>}
        {running !== null && (
          <p>A run began at {instantText(running)}, and is under way or died.</p>
        )}
        {running === null && verdict.tone !== 'good' && (
          <p>
            The next run continues where the last one ended: run <code>cardea mirror</code> again.
          </p>
        )}
      </section>
      <section class="related" aria-label="Last runs">
        <h2>Last runs</h2>
        {runs.length === 0 ? (
          <p class="quiet">No run has ended yet.</p>
        ) : (
          <Runs runs={runs.slice(0, RUNS)} error={error} />
        )}
      </section>
      <section class="related" aria-label="Parts">
        <h2>Parts</h2>
        <Parts parts={parts} />
      </section>
      {limits.length > 0 && (
        <section class="related" aria-label="Limits">
          <h2>What the copy cannot tell</h2>
          <ul class="quiet">
            {limits.map((limit) => (
              <li key={limit}>{limit}</li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Parts({ parts }: { parts: readonly MirrorPart[] }) {
  return (
    <TableFrame label="Parts of the mirror" size="short">
      <TableHead
        labels={['Part', 'Here', 'There', 'Copied', 'Swept for deletions', 'Refused']}
        numbers={['Here', 'There', 'Refused']}
      />
      <tbody>
        {parts.map((part) => (
          <tr key={part.name}>
            <td>{part.name}</td>
            <td class="cell-number">{countText(part.here)}</td>
            <td class="cell-number">{part.there === null ? '–' : countText(part.there)}</td>
            <td>{walkText(part) ?? momentText(part.copiedAt)}</td>
            <td>{momentText(part.sweptAt)}</td>
            <td class="cell-number">{countText(part.refused)}</td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}

function walkText({ walk }: MirrorPart): string | null {
  if (walk === null || walk.kind === 'sweep') return null;
  const total = walk.total === null ? '' : ` of ${countText(walk.total)}`;
  return `Under way: ${countText(walk.done)}${total}`;
}

function momentText(instant: string | null): string {
  return instant === null ? '–' : instantText(instant);
}

/** @param error that is shown above; a run shows its own if the one above has another */
function Runs({ runs, error: shown }: { runs: readonly MirrorRun[]; error: string | null }) {
  return (
    <TableFrame label="Last runs of the mirror" size="short">
      <TableHead
        labels={['Run', 'Outcome', 'Created', 'Updated', 'Deleted']}
        numbers={['Created', 'Updated', 'Deleted']}
      />
      <tbody>
        {runs.map(({ began, outcome, error, counts }, at) => (
          <tr key={began}>
            <td class="moment">{instantText(began)}</td>
            <td class="cell-name">
              <Status word={outcome} /> {error === (runs[at - 1]?.error ?? shown) ? null : error}
            </td>
            <td class="cell-number">{countText(counts.created)}</td>
            <td class="cell-number">{countText(counts.updated)}</td>
            <td class="cell-number">{countText(counts.deleted)}</td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}
