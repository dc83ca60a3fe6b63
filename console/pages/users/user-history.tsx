// The changes of an auth user, from the audit trail: when, who, and each value before and after.
// The trail is read from the store, so a change is shown as soon as it is saved.
import { useState } from 'preact/hooks';
import { authUserHistory } from '../../api/auth-users-api.ts';
import { session } from '../../api/session.ts';
import { titleOf } from '../../model/capability-change.ts';
import { changeLines, operationText, type UserChange } from '../../model/change-lines.ts';
import { printValue } from '../../model/completion.ts';
import { instantText } from '../../model/document-value.ts';
import { documentAddress, searchAddress } from '../../model/reference.ts';
import { Empty, FaultNotice, Waiting } from '../../ui/notice.tsx';
import { href } from '../../ui/route.ts';
import { TableFrame, TableHead } from '../../ui/table-frame.tsx';
import { useCell } from '../../ui/use-cell.ts';
import { useLoad } from '../../ui/use-load.ts';

export interface UserHistoryProps {
  readonly id: string;
  /** The number of changes that this page sent; the list is loaded again after each. */
  readonly changes: number;
}

const PAGE = 15;
/** Most entries of one request. */
const SHOWN_MAX = 250;

export function UserHistory({ id, changes }: UserHistoryProps) {
  const isAdmin = useCell(session)?.levels.includes('ORG_ADMIN') ?? false;
  const [size, setSize] = useState(PAGE);
  const { value, fault, reload } = useLoad(isAdmin ? `${id} ${changes} ${size}` : null, (signal) =>
    authUserHistory(id, { limit: size, offset: 0 }, signal),
  );
  const events = searchAddress('events', `attributes.targetId:${printValue(id)}`);
  return (
    <section class="related" aria-label="History">
      <h2>
        History{' '}
        {value !== undefined && <span class="quiet">{value.total.toLocaleString('en')}</span>}
      </h2>
      {!isAdmin && (
        <p class="quiet">
          Administrators see here who changed the capabilities. <a href={events}>Search events</a>
        </p>
      )}
      {fault !== null && <FaultNotice fault={fault} reload={reload} />}
      {isAdmin && value === undefined && fault === null && <Waiting />}
      {value?.total === 0 && (
        <Empty icon="clock" title="No changes yet">
          Changes of capabilities appear here, with who made them.
        </Empty>
      )}
      {value !== undefined && value.total > 0 && <Changes changes={value.changes} />}
      {value !== undefined && value.total > value.changes.length && (
        <p class="buttons">
          {size < SHOWN_MAX ? (
            <button type="button" class="button" onClick={() => setSize(SHOWN_MAX)}>
              Show more changes
            </button>
          ) : (
            <a href={events}>Search all {value.total.toLocaleString('en')} events</a>
          )}
        </p>
      )}
    </section>
  );
}

function Changes({ changes }: { changes: readonly UserChange[] }) {
  return (
    <TableFrame label="Changes">
      <TableHead labels={['When', 'Who', 'What', 'Change', 'Before → after']} />
      <tbody>
        {changes.map((change) => (
          <tr key={change.id}>
            <td class="moment">
              <a href={documentAddress('events', change.id)}>{instantText(change.created)}</a>
            </td>
            <td>
              <Actor actor={change.actor} />
            </td>
            <td>{operationText(change)}</td>
            <td>
              <DifferenceChips
                added={change.capabilities?.granted ?? []}
                removed={change.capabilities?.revoked ?? []}
              />
            </td>
            <td>
              <Lines change={change} />
            </td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}

/** The ids of users are those of their pages; the command line and API clients have no page. */
function Actor({ actor: { name, id } }: { actor: UserChange['actor'] }) {
  if (id === null || !/^[0-9a-f]{32}$/.test(id)) return <>{name}</>;
  return <a href={href('users', id)}>{name}</a>;
}

function Lines({ change }: { change: UserChange }) {
  const lines = changeLines(change);
  if (lines.length === 0) return <span class="quiet">–</span>;
  return (
    <ul class="change-lines">
      {lines.map(({ label, before, after }) => (
        <li key={label}>
          <span class="quiet">{label}: </span>
          {before} <span aria-hidden="true">→</span>
          <span class="unseen"> then </span> {after}
        </li>
      ))}
    </ul>
  );
}

/** Capabilities that were added and removed; signs and words say which. */
export function DifferenceChips({
  added,
  removed,
}: {
  added: readonly string[];
  removed: readonly string[];
}) {
  if (added.length + removed.length === 0) return <span class="quiet">–</span>;
  return (
    <span class="chips">
      {added.map((name) => (
        <span class="pill pill-good" key={name} title={titleOf(name)}>
          <span aria-hidden="true">+</span>
          <span class="unseen">added </span>
          {name}
        </span>
      ))}
      {removed.map((name) => (
        <span class="pill pill-bad" key={name} title={titleOf(name)}>
          <span aria-hidden="true">−</span>
          <span class="unseen">removed </span>
          {name}
        </span>
      ))}
    </span>
  );
}
