// The schedules of a saved search and its runs, in a drawer, and the form of a schedule in its place.
import { useState } from 'preact/hooks';
import { mayUser } from '../../../../api/rights.ts';
import {
  createSchedule,
  listSchedules,
  runSavedSearch,
  type SavedSearch,
  type ScheduledSearch,
  updateSchedule,
} from '../../../../api/saved-searches-api.ts';
import { session } from '../../../../api/session.ts';
import { Dialog } from '../../../../ui/dialog.tsx';
import { DOUBLE_CLICK_MS, useSingleCall } from '../../../../ui/forms/use-single-call.ts';
import { FaultNotice } from '../../../../ui/notice.tsx';
import { useAttempt } from '../../../../ui/use-attempt.ts';
import { useCell } from '../../../../ui/use-cell.ts';
import { useLoad } from '../../../../ui/use-load.ts';
import { RunList } from './run-list.tsx';
import { draftOf, newDraft } from './schedule-draft.ts';
import { ScheduleForm } from './schedule-form.tsx';
import { ScheduleList } from './schedule-list.tsx';

export interface SchedulesDrawerProps {
  readonly saved: SavedSearch;
  /** Called when a schedule has changed. */
  readonly onChange: () => void;
  readonly onClose: () => void;
}

export function SchedulesDrawer({ saved, onChange, onClose }: SchedulesDrawerProps) {
  const user = useCell(session);
  const own = user?.identityId ?? null;
  const maySee = mayUser(user, 'scheduled-search:read');
  const mayRun = mayUser(user, 'saved-search:manage');
  const [edited, setEdited] = useState<ScheduledSearch | 'new' | null>(null);
  const [requests, setRequests] = useState(0);
  const load = useLoad(maySee ? saved.id : null, (signal) =>
    listSchedules({ savedSearchId: saved.id }, signal),
  );
  const reload = () => {
    load.reload();
    onChange();
  };
  const { refusal, attempt } = useAttempt(reload);
  const run = useSingleCall(async (what: Parameters<typeof runSavedSearch>[1]) => {
    if (await attempt(() => runSavedSearch(saved.id, what))) setRequests((count) => count + 1);
  }, DOUBLE_CLICK_MS);
  if (edited !== null) {
    return (
      <Dialog
        title={edited === 'new' ? 'New schedule' : 'Edit schedule'}
        shape="drawer"
        onClose={onClose}
      >
        <ScheduleForm
          initial={edited === 'new' ? firstDraft(own) : draftOf(edited)}
          savedSearchId={saved.id}
          onSubmit={async (definition) => {
            if (edited === 'new') await createSchedule(definition);
            else await updateSchedule(edited.id, definition);
            reload();
          }}
          onClose={() => setEdited(null)}
        />
      </Dialog>
    );
  }
  return (
    <Dialog
      title={`${maySee ? 'Schedules and runs' : 'Runs'}: ${saved.name}`}
      shape="drawer"
      onClose={onClose}
    >
      {refusal !== null && <FaultNotice fault={refusal} />}
      {maySee && (
        <ScheduleList
          load={load}
          attempt={attempt}
          onRun={mayRun ? ({ id }) => run({ scheduleId: id }) : null}
          onEdit={mayUser(user, 'scheduled-search:manage') ? setEdited : null}
        />
      )}
      <RunList
        key={requests}
        saved={saved}
        schedules={load.value ?? []}
        onRun={mayRun && own !== null ? () => void run({ ownerId: own }) : null}
      />
    </Dialog>
  );
}

function firstDraft(recipient: string | null) {
  return newDraft(Intl.DateTimeFormat().resolvedOptions().timeZone, recipient);
}
