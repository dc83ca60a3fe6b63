// The opened saved search above the results: its name, whether the page differs from it, and what
// can be done with it.
import { useState } from 'preact/hooks';
import { mayUser } from '../../../api/rights.ts';
import {
  getSavedSearch,
  removeSavedSearch,
  type SavedSearch,
  updateSavedSearch,
} from '../../../api/saved-searches-api.ts';
import { session } from '../../../api/session.ts';
import { printSearch, readSearch, type SearchState } from '../../../model/search-state.ts';
import { Confirm } from '../../../ui/confirm.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { FaultNotice } from '../../../ui/notice.tsx';
import { go, replace, routeOf } from '../../../ui/route.ts';
import { useAttempt } from '../../../ui/use-attempt.ts';
import { useCell } from '../../../ui/use-cell.ts';
import { useLoad } from '../../../ui/use-load.ts';
import { definitionOf, isChanged, stateOf } from './definition.ts';
import { SearchDetailsDialog } from './save-dialog.tsx';
import { useNames } from './schedules/people.ts';
import { SchedulesDrawer } from './schedules/schedules-drawer.tsx';
import '../../../style/saved-searches.css';

export interface SavedBarProps {
  readonly id: string;
  readonly state: SearchState;
  /** Another number loads the search again. */
  readonly version: number;
  readonly onChange: () => void;
}

export function SavedBar(props: SavedBarProps) {
  const { id, state, version } = props;
  const { value, fault, reload } = useLoad(`${id} ${version}`, (signal) =>
    getSavedSearch(id, signal),
  );
  if (fault !== null) {
    if (fault.kind !== 'missing') return <FaultNotice fault={fault} reload={reload} />;
    return (
      <div class="notice notice-plain">
        <Icon name="alert" size={16} />
        <p>
          The saved search of this link was deleted, or it belongs to somebody else. The search
          itself is shown.{' '}
          <button
            type="button"
            class="link-button"
            onClick={() => replace(printSearch({ ...state, saved: null }))}
          >
            Continue without it
          </button>
        </p>
      </div>
    );
  }
  return value === undefined ? null : <Opened {...props} saved={value} />;
}

function Opened({ state, saved, onChange }: SavedBarProps & { saved: SavedSearch }) {
  const user = useCell(session);
  const [shown, setShown] = useState<'details' | 'delete' | 'schedules' | null>(null);
  const { refusal, attempt } = useAttempt(onChange);
  const isOwn = saved.owner.id === user?.identityId;
  const nameOf = useNames(isOwn ? [] : [saved.owner.id]);
  // Others open a shared search, and neither change nor schedule it.
  const hasRights = isOwn || mayUser(user, 'saved-search:all');
  const mayChange = hasRights && mayUser(user, 'saved-search:manage');
  const close = () => setShown(null);
  const remove = async () => {
    const isRemoved = await attempt(() => removeSavedSearch(saved.id));
    if (isRemoved) closeDeleted(saved.id);
  };
  return (
    <>
      <section class="saved-bar" aria-label="Saved search">
        <div class="saved-title">
          <Icon name="bookmark" size={16} />
          <h2>{saved.name}</h2>
          {!isOwn && <span class="quiet">by {nameOf(saved.owner.id)}</span>}
          {saved.shared && <span class="chip">Shared</span>}
          {saved.description !== null && <span class="quiet">{saved.description}</span>}
        </div>
        <div class="buttons">
          {isChanged(state, saved) && (
            <Changes state={state} saved={saved} mayChange={mayChange} attempt={attempt} />
          )}
          {hasRights && mayUser(user, 'saved-search:results') && (
            <button type="button" class="button" onClick={() => setShown('schedules')}>
              <Icon name="clock" size={16} />{' '}
              {mayUser(user, 'scheduled-search:read') ? 'Schedules and runs' : 'Runs'}
            </button>
          )}
          {mayChange && (
            <>
              <button type="button" class="button" onClick={() => setShown('details')}>
                Rename or share
              </button>
              <button type="button" class="button link-danger" onClick={() => setShown('delete')}>
                <Icon name="trash" size={16} /> Delete
              </button>
            </>
          )}
        </div>
      </section>
      {refusal !== null && <FaultNotice fault={refusal} />}
      {shown === 'details' && (
        <SearchDetailsDialog saved={saved} onChange={onChange} onClose={close} />
      )}
      {shown === 'schedules' && (
        <SchedulesDrawer saved={saved} onChange={onChange} onClose={close} />
      )}
      {shown === 'delete' && (
        <Confirm
          title={`Delete saved search “${saved.name}”?`}
          sentence="Its schedules and the results of its runs are deleted, too. This cannot be undone."
          onConfirm={() => void remove()}
          onClose={close}
        />
      )}
    </>
  );
}

/** Shows the search alone, unless the user has left the deleted saved search since. */
function closeDeleted(id: string): void {
  const {
    path: [page, index = ''],
    parameters,
  } = routeOf(location.hash);
  if (page !== 'search' || parameters.get('saved') !== id) return;
  replace(printSearch({ ...readSearch(index, parameters), saved: null }));
}

interface ChangesProps {
  readonly state: SearchState;
  readonly saved: SavedSearch;
  readonly mayChange: boolean;
  readonly attempt: (work: () => Promise<void>) => Promise<boolean>;
}

/** What to do with changes of the opened search. */
function Changes({ state, saved, mayChange, attempt }: ChangesProps) {
  const update = () =>
    attempt(async () => {
      // The page does not show all of it, which somebody else may have changed meanwhile.
      const current = await getSavedSearch(saved.id);
      await updateSavedSearch(saved.id, definitionOf(state, current, current));
    });
  return (
    <>
      <span class="chip chip-warn">Changed</span>
      {mayChange && (
        <button type="button" class="button button-main" onClick={() => void update()}>
          Save changes
        </button>
      )}
      <button type="button" class="button" onClick={() => go(printSearch(stateOf(saved)))}>
        Discard changes
      </button>
    </>
  );
}
