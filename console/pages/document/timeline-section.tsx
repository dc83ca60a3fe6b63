// What happened to a person, the latest first: events and account activities in one list, by day.
import { search } from '../../api/search-api.ts';
import { firstText } from '../../model/document-value.ts';
import { documentAddress, searchAddress } from '../../model/reference.ts';
import type { Document } from '../../model/wire.ts';
import { Empty, FaultNotice, Waiting } from '../../ui/notice.tsx';
import { useLoad } from '../../ui/use-load.ts';
import { Status } from '../../ui/values/status.tsx';

export interface TimelineSectionProps {
  /** The queries of the events and of the activities. */
  readonly events: string;
  readonly activities: string;
}

interface Happening {
  readonly index: 'events' | 'accountactivities';
  readonly hit: Document;
}

const SHOWN_MAX = 60;

export function TimelineSection({ events, activities }: TimelineSectionProps) {
  const { value, fault, reload } = useLoad(`${events} ${activities}`, async (signal) => {
    const latest = async (index: Happening['index'], query: string) =>
      (
        await search(
          { indices: [index], query: { query }, sort: ['-created', 'id'], includeNested: false },
          { limit: SHOWN_MAX },
          signal,
        )
      ).hits.map((hit): Happening => ({ index, hit }));
    const lists = await Promise.all([
      latest('events', events),
      latest('accountactivities', activities),
    ]);
    return lists
      .flat()
      .sort((one, other) => (createdOf(one.hit) < createdOf(other.hit) ? 1 : -1))
      .slice(0, SHOWN_MAX);
  });
  if (fault !== null) return <FaultNotice fault={fault} reload={reload} />;
  if (value === undefined) return <Waiting lines={8} />;
  if (value.length === 0)
    return (
      <Empty icon="clock" title="No events">
        <a href={searchAddress('events', '')}>Search all events</a>
      </Empty>
    );
  const days = new Map<string, Happening[]>();
  for (const happening of value) {
    const day = createdOf(happening.hit).slice(0, 10);
    days.set(day, [...(days.get(day) ?? []), happening]);
  }
  return (
    <ol class="timeline-list" aria-label="Timeline">
      {[...days].map(([day, entries]) => (
        <li key={day}>
          <h3>{day}</h3>
          <ol>
            {entries.map(({ index, hit }) => (
              <Entry key={firstText(hit, 'id')} index={index} hit={hit} />
            ))}
          </ol>
        </li>
      ))}
    </ol>
  );
}

function Entry({ index, hit }: Happening) {
  const actor = firstText(hit, 'actor.name', 'requester.name');
  const target = firstText(hit, 'target.name', 'recipient.name', 'sources');
  return (
    <li class="timeline-entry">
      <time dateTime={createdOf(hit)}>{createdOf(hit).slice(11, 16)}</time>
      <span class="timeline-what">
        <a href={documentAddress(index, firstText(hit, 'id'))}>
          {firstText(hit, 'name', 'action', 'id')}
        </a>
        <span class="quiet">{[actor, target].filter((name) => name !== '').join(' → ')}</span>
      </span>
      <Status word={firstText(hit, 'status') || firstText(hit, 'stage')} />
    </li>
  );
}

function createdOf(hit: Document): string {
  return firstText(hit, 'created');
}
