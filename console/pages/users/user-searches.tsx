// The saved searches of an auth user and when they run, for administrators: other lists have only
// those that their owners share. Also those of a user who is gone.
import { listSavedSearches, listSchedules } from '../../api/saved-searches-api.ts';
import { FaultNotice, Waiting } from '../../ui/notice.tsx';
import { useLoad } from '../../ui/use-load.ts';
import { SearchList, scheduleNote, typesText } from '../search/saved/search-list.tsx';

export function UserSearches({ id }: { id: string }) {
  const { value, fault, reload } = useLoad(`searches of ${id}`, async (signal) => {
    const owner = { ownerId: id };
    const [searches, schedules] = await Promise.all([
      listSavedSearches(owner, signal),
      listSchedules(owner, signal),
    ]);
    return { searches, schedules };
  });
  return (
    <section class="related" aria-label="Saved searches">
      <h2>
        Saved searches {value !== undefined && <span class="quiet">{value.searches.length}</span>}
      </h2>
      {fault !== null && <FaultNotice fault={fault} reload={reload} />}
      {value === undefined && fault === null && <Waiting />}
      {value?.searches.length === 0 && <p class="quiet">None.</p>}
      {value !== undefined && (
        <SearchList
          searches={value.searches}
          current={null}
          noteOf={(search) =>
            [
              typesText(search),
              search.shared ? 'shared' : '',
              scheduleNote(value.schedules, search.id),
            ]
              .filter((part) => part !== '')
              .join(' · ')
          }
        />
      )}
    </section>
  );
}
