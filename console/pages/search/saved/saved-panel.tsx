// The list of saved searches at the side of the search page: those of the user, those that others
// share, the scheduled ones, and the recent queries of the tab. Administrators see the others on the
// pages of their owners.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { mayUser } from '../../../api/rights.ts';
import {
  listSavedSearches,
  listSchedules,
  type ScheduledSearch,
} from '../../../api/saved-searches-api.ts';
import { session } from '../../../api/session.ts';
import { visibleTypes } from '../../../api/views/sight.ts';
import { printSearch, type SearchState } from '../../../model/search-state.ts';
import { Icon } from '../../../ui/icon.tsx';
import { FaultNotice, Waiting } from '../../../ui/notice.tsx';
import { useCell } from '../../../ui/use-cell.ts';
import { useLoad } from '../../../ui/use-load.ts';
import { recentQueries } from '../query/recent-queries.ts';
import { useNames } from './schedules/people.ts';
import { SearchList, type SearchListProps, scheduleNote, typesText } from './search-list.tsx';

export interface SavedPanelProps {
  readonly state: SearchState;
  /** Another number loads the lists again. */
  readonly version: number;
  /** Called when a search is opened. */
  readonly onOpen: () => void;
}

/** From this number of searches on, they can be filtered by name. */
const FILTERED_FROM = 8;

export function SavedPanel({ state, version, onOpen }: SavedPanelProps) {
  const user = useCell(session);
  const types: readonly string[] = useCell(visibleTypes) ?? [];
  const maySave = mayUser(user, 'saved-search:manage');
  const maySchedule = mayUser(user, 'scheduled-search:read');
  const { value, fault, reload } = useLoad(`saved searches ${version}`, async (signal) => {
    const [searches, schedules] = await Promise.all([
      listSavedSearches({}, signal),
      maySchedule ? listSchedules({}, signal) : [],
    ]);
    return { searches, schedules };
  });
  const [filter, setFilter] = useState('');
  if (value === undefined)
    return fault === null ? <Waiting /> : <FaultNotice fault={fault} reload={reload} />;
  const words = filter.trim().toLowerCase();
  // A search of types that nothing is visible of would find nothing.
  const visible = value.searches.filter(({ indices }) =>
    indices.some((one) => types.includes(one)),
  );
  const all = visible.sort((a, b) => a.name.localeCompare(b.name));
  const searches = all.filter(({ name }) => name.toLowerCase().includes(words));
  const own = searches.filter(({ owner }) => owner.id === user?.identityId);
  const others = searches.filter(({ owner }) => owner.id !== user?.identityId);
  return (
    <div class="saved-panel">
      {fault !== null && <FaultNotice fault={fault} reload={reload} />}
      {all.length >= FILTERED_FROM && (
        <input
          type="search"
          aria-label="Find a saved search"
          placeholder="Find a saved search"
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
      )}
      <Section title="Mine" count={own.length}>
        {own.length === 0 && (
          <p class="quiet">
            {words !== ''
              ? 'None has this name.'
              : `None yet.${maySave ? ' Search, then use Save above the results.' : ''}`}
          </p>
        )}
        <SearchList
          searches={own}
          current={state.saved}
          onOpen={onOpen}
          noteOf={(search) => `${typesText(search)}${search.shared ? ' · shared' : ''}`}
        />
      </Section>
      <SharedSearches searches={others} current={state.saved} onOpen={onOpen} />
      {maySchedule && (maySave || value.schedules.length > 0) && (
        <Scheduled
          searches={searches}
          schedules={value.schedules}
          current={state.saved}
          onOpen={onOpen}
        />
      )}
      <RecentQueries state={state} onOpen={onOpen} />
    </div>
  );
}

function Section({
  title,
  count,
  children,
}: {
  title: string;
  count: number;
  children: ComponentChildren;
}) {
  return (
    <details class="facet saved-section" open>
      <summary>
        <Icon name="chevron" size={13} />
        <span class="facet-title">{title}</span>
        <span class="quiet">{count}</span>
      </summary>
      {children}
    </details>
  );
}

function SharedSearches(list: SearchListProps) {
  const nameOf = useNames(list.searches.map(({ owner }) => owner.id));
  if (list.searches.length === 0) return null;
  return (
    <Section title="Shared by others" count={list.searches.length}>
      <SearchList
        {...list}
        noteOf={(search) => `${nameOf(search.owner.id)} · ${typesText(search)}`}
      />
    </Section>
  );
}

function Scheduled({
  searches,
  schedules,
  ...list
}: SearchListProps & { schedules: readonly ScheduledSearch[] }) {
  const scheduled = searches.filter(({ id }) => schedules.some((one) => one.savedSearchId === id));
  return (
    <Section title="Scheduled" count={scheduled.length}>
      {scheduled.length === 0 && <p class="quiet">None. Open a saved search and use Schedules.</p>}
      <SearchList {...list} searches={scheduled} noteOf={({ id }) => scheduleNote(schedules, id)} />
    </Section>
  );
}

function RecentQueries({ state, onOpen }: { state: SearchState; onOpen: () => void }) {
  const queries = useCell(recentQueries);
  return (
    <Section title="Recent queries" count={queries.length}>
      {queries.length === 0 && <p class="quiet">None in this tab yet.</p>}
      <ul class="saved-list">
        {queries.map((query) => (
          <li key={query}>
            <a
              href={`#${printSearch({ ...state, query, saved: null })}`}
              title={query}
              onClick={onOpen}
            >
              <code>{query}</code>
            </a>
          </li>
        ))}
      </ul>
    </Section>
  );
}
