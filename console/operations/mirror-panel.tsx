// The mirror of a remote tenant: its age, what each part holds, and the last runs. Shown only for a
// tenant that is a mirror.
import { mirrorStatus } from '../api/admin-api.ts';
import type { MirrorPart, MirrorRun, MirrorStatus } from '../api/mirror-status.ts';
import { instantText } from '../search/document-value.ts';
import { countText, spanText } from '../ui/amount.ts';
import { Icon } from '../ui/icon.tsx';
import { FaultNotice } from '../ui/notice.tsx';
import { TableFrame } from '../ui/table-frame.tsx';
import { usePolled } from '../ui/use-polled.ts';

const POLL_MS = 5_000;
const RUNS = 5;

export function MirrorPanel() {
  const { value, fault, reload } = usePolled(mirrorStatus, POLL_MS);
  if (value === undefined)
    return fault === null ? null : <FaultNotice fault={fault} reload={reload} />;
  if (value === null) return null;
  return (
    <section class="related" aria-label="Mirror">
      <h2>
        Mirror <span class="quiet">of {value.source}; times are in UTC</span>
      </h2>
      <Age status={value} />
      <Parts parts={value.parts} />
      <Runs runs={value.runs.slice(0, RUNS)} />
      <ul class="quiet">
        {value.limits.map((limit) => (
          <li key={limit}>{limit}</li>
        ))}
      </ul>
    </section>
  );
}

function Age({ status: { lagSeconds, running, error } }: { status: MirrorStatus }) {
  const age =
    lagSeconds === null ? 'The first copy is not complete' : `${spanText(lagSeconds)} old`;
  return (
    <div class="tile">
      <p class={error === null ? 'verdict verdict-good' : 'verdict verdict-bad'}>
        <Icon name={error === null ? 'check' : 'alert'} size={16} />
        {error === null ? age : `The last run failed: ${error}`}
      </p>
      {error !== null && <p>{age}</p>}
      {running !== null && <p>A run has been under way since {instantText(running)}, or it died</p>}
    </div>
  );
}

function Parts({ parts }: { parts: readonly MirrorPart[] }) {
  return (
    <TableFrame label="Parts of the mirror" size="short">
      <thead>
        <tr>
          <th scope="col">Part</th>
          <th scope="col">Here</th>
          <th scope="col">There</th>
          <th scope="col">Copied</th>
          <th scope="col">Swept for deletions</th>
          <th scope="col">Refused</th>
        </tr>
      </thead>
      <tbody>
        {parts.map((part) => (
          <tr key={part.name}>
            <td>{part.name}</td>
            <td>{countText(part.here)}</td>
            <td>{part.there === null ? '–' : countText(part.there)}</td>
            <td>{walkText(part) ?? momentText(part.copiedAt)}</td>
            <td>{momentText(part.sweptAt)}</td>
            <td>{countText(part.refused)}</td>
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

function Runs({ runs }: { runs: readonly MirrorRun[] }) {
  return (
    <TableFrame label="Last runs of the mirror" size="short">
      <thead>
        <tr>
          <th scope="col">Run</th>
          <th scope="col">Outcome</th>
          <th scope="col">Created</th>
          <th scope="col">Updated</th>
          <th scope="col">Deleted</th>
        </tr>
      </thead>
      <tbody>
        {runs.map(({ began, outcome, error, counts }) => (
          <tr key={began}>
            <td>{instantText(began)}</td>
            <td>{error === null ? outcome : `${outcome}: ${error}`}</td>
            <td>{countText(counts.created)}</td>
            <td>{countText(counts.updated)}</td>
            <td>{countText(counts.deleted)}</td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}
