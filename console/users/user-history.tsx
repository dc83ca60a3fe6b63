// The changes of an auth user, from its events, each with what it added and removed. After a change
// the list is loaded again until its event is searchable.
import { useEffect } from 'preact/hooks';
import { search } from '../api/search-api.ts';
import type { Document } from '../api/wire.ts';
import { documentAddress, searchAddress } from '../document/reference.ts';
import { firstText, instantText, textOf, valuesAt } from '../search/document-value.ts';
import { printValue } from '../search/query/completion.ts';
import { Empty, FaultNotice, Waiting } from '../ui/notice.tsx';
import { Status } from '../ui/status.tsx';
import { TableFrame } from '../ui/table-frame.tsx';
import { useLoad } from '../ui/use-load.ts';
import { capabilityDifference, titleOf } from './capability-change.ts';

export interface UserHistoryProps {
  readonly id: string;
  /** The number of changes that this page sent. */
  readonly changes: number;
}

const SHOWN_MAX = 15;
/** Waits before the list is loaded again, until an event of a change is searchable. */
const WAITS_MS = [150, 400, 1_000, 2_500, 5_000];

export function UserHistory({ id, changes }: UserHistoryProps) {
  const query = `attributes.targetId:${printValue(id)}`;
  const { value, fault, reload } = useLoad(id, (signal) =>
    search(
      { indices: ['events'], query: { query }, sort: ['-created', 'id'] },
      { limit: SHOWN_MAX, count: 'exact' },
      signal,
    ),
  );
  useEffect(() => {
    if (changes === 0) return;
    const timers = WAITS_MS.map((waitMs) => setTimeout(reload, waitMs));
    return () => timers.forEach(clearTimeout);
  }, [changes, reload]);
  return (
    <section class="related" aria-label="History">
      <h2>
        History{' '}
        {value !== undefined && <span class="quiet">{value.total.toLocaleString('en')}</span>}
      </h2>
      {fault !== null && <FaultNotice fault={fault} reload={reload} />}
      {value === undefined && fault === null && <Waiting />}
      {value?.total === 0 && (
        <Empty icon="clock" title="No changes yet">
          Changes of capabilities appear here, with who made them.
        </Empty>
      )}
      {value !== undefined && value.total > 0 && <Events events={value.hits} />}
      {value !== undefined && value.total > SHOWN_MAX && (
        <p>
          <a href={searchAddress('events', query)}>
            See all {value.total.toLocaleString('en')} events
          </a>
        </p>
      )}
    </section>
  );
}

function Events({ events }: { events: readonly Document[] }) {
  return (
    <TableFrame label="History">
      <thead>
        <tr>
          {['When', 'Who', 'What', 'Change', 'Status'].map((label) => (
            <th scope="col" key={label}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {events.map((event) => (
          <tr key={firstText(event, 'id')}>
            <td class="moment">
              <a href={documentAddress('events', firstText(event, 'id'))}>
                {instantText(firstText(event, 'created'))}
              </a>
            </td>
            <td>{firstText(event, 'actor.name') || '–'}</td>
            <td>{firstText(event, 'name')}</td>
            <td>
              <Difference event={event} />
            </td>
            <td>
              <Status word={firstText(event, 'status')} />
            </td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}

function Difference({ event }: { event: Document }) {
  const list = (name: string) => valuesAt(event, `attributes.${name}`).map(textOf);
  const { added, removed } = capabilityDifference(
    list('capabilitiesBefore'),
    list('capabilitiesAfter'),
  );
  if (added.length + removed.length === 0) return <span class="quiet">–</span>;
  return <DifferenceChips added={added} removed={removed} />;
}

/** Capabilities that were added and removed; signs and words say which. */
export function DifferenceChips({
  added,
  removed,
}: {
  added: readonly string[];
  removed: readonly string[];
}) {
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
