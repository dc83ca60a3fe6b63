// Links that open saved searches, each with a note.
import type { SavedSearch, ScheduledSearch } from '../../../api/saved-searches-api.ts';
import { kindNamed } from '../../../model/kinds.ts';
import { printSearch } from '../../../model/search-state.ts';
import { stateOf } from './definition.ts';
import '../../../style/saved-searches.css';
import { scheduleText } from './schedules/schedule-text.ts';

export interface SearchListProps {
  readonly searches: readonly SavedSearch[];
  /** The id of the opened one. */
  readonly current: string | null;
  readonly onOpen?: () => void;
}

export function SearchList({
  searches,
  current,
  onOpen,
  noteOf,
}: SearchListProps & { noteOf: (search: SavedSearch) => string }) {
  return (
    <ul class="saved-list">
      {searches.map((search) => (
        <li key={search.id}>
          <a
            href={`#${printSearch(stateOf(search))}`}
            title={search.description ?? search.query}
            aria-current={search.id === current ? 'true' : undefined}
            onClick={onOpen}
          >
            <span class="saved-name">{search.name}</span>
            <span class="quiet">{noteOf(search)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The types that a search finds. */
export function typesText({ indices }: SavedSearch): string {
  return indices.map((index) => kindNamed(index)?.plural ?? index).join(', ');
}

/** When a search runs; empty without a schedule. */
export function scheduleNote(schedules: readonly ScheduledSearch[], id: string): string {
  return schedules
    .filter((one) => one.savedSearchId === id)
    .map((one) => `${one.enabled ? '' : 'Off: '}${scheduleText(one.schedule)}`)
    .join('; ');
}
