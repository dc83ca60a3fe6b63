// The schedules of a saved search: when each runs, for whom, and what can be done with it.
import { useState } from 'preact/hooks';
import {
  getSchedule,
  removeSchedule,
  type ScheduledSearch,
  updateSchedule,
} from '../../../../api/saved-searches-api.ts';
import { Confirm } from '../../../../ui/confirm.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { LoadNotice } from '../../../../ui/notice.tsx';
import type { Load } from '../../../../ui/use-load.ts';
import { Status } from '../../../../ui/values/status.tsx';
import { useNames } from './people.ts';
import { scheduleText } from './schedule-text.ts';

export interface ScheduleListProps {
  readonly load: Load<readonly ScheduledSearch[]>;
  /** Runs a change, and loads the schedules again. */
  readonly attempt: (work: () => Promise<void>) => Promise<boolean>;
  /** null: the user may not run searches. */
  readonly onRun: ((scheduled: ScheduledSearch) => void) | null;
  /** Opens the form; null: the user may not change schedules. */
  readonly onEdit: ((scheduled: ScheduledSearch | 'new') => void) | null;
}

export function ScheduleList({ load, attempt, onRun, onEdit }: ScheduleListProps) {
  const { value, fault, reload } = load;
  const [toDelete, setToDelete] = useState<ScheduledSearch | null>(null);
  const turn = ({ id, enabled }: ScheduledSearch) =>
    void attempt(async () => {
      // The whole schedule is sent, which somebody may have changed meanwhile.
      await updateSchedule(id, { ...(await getSchedule(id)), enabled: !enabled });
    });
  return (
    <section class="saved-part" aria-label="Schedules">
      <header>
        <h3>Schedules</h3>
        {onEdit !== null && (
          <button type="button" class="button" onClick={() => onEdit('new')}>
            <Icon name="plus" size={14} /> Add schedule
          </button>
        )}
      </header>
      <LoadNotice value={value} fault={fault} reload={reload} lines={2} />
      {value?.length === 0 && (
        <p class="quiet">
          None. A schedule runs the search at set times and can send its results by e-mail.
        </p>
      )}
      <ul class="schedules">
        {value?.map((scheduled) => (
          <ScheduleItem
            key={scheduled.id}
            scheduled={scheduled}
            onRun={onRun === null ? null : () => onRun(scheduled)}
            onEdit={onEdit === null ? null : () => onEdit(scheduled)}
            onTurn={onEdit === null ? null : () => turn(scheduled)}
            onDelete={onEdit === null ? null : () => setToDelete(scheduled)}
          />
        ))}
      </ul>
      {toDelete !== null && (
        <Confirm
          title="Delete this schedule?"
          sentence={`“${titleOf(toDelete)}” does not run any more. The results of earlier runs stay.`}
          onConfirm={() => void attempt(() => removeSchedule(toDelete.id))}
          onClose={() => setToDelete(null)}
        />
      )}
    </section>
  );
}

interface ScheduleItemProps {
  readonly scheduled: ScheduledSearch;
  /** These are null if the user may not. */
  readonly onRun: (() => void) | null;
  readonly onEdit: (() => void) | null;
  readonly onTurn: (() => void) | null;
  readonly onDelete: (() => void) | null;
}

function ScheduleItem({ scheduled, onRun, onEdit, onTurn, onDelete }: ScheduleItemProps) {
  const { schedule, recipients, enabled, emailEmptyResults } = scheduled;
  const nameOf = useNames(recipients.map(({ id }) => id));
  const to = recipients.map(({ id }) => nameOf(id)).join(', ');
  const title = titleOf(scheduled);
  const text = scheduleText(schedule);
  return (
    <li>
      <p class="schedule-title">
        <strong>{title}</strong>{' '}
        <Status word={enabled ? 'On' : 'Off'} tone={enabled ? 'good' : 'warn'} />
      </p>
      {title !== text && <p>{text}</p>}
      <p class="quiet">
        {to === '' ? 'No recipients' : `To ${to}`}
        {to !== '' && (emailEmptyResults ? ', also without results' : ', only with results')}
      </p>
      <div class="buttons">
        {onRun !== null && (
          <button type="button" class="button" aria-label={`Run ${title} now`} onClick={onRun}>
            <Icon name="play" size={14} /> Run now
          </button>
        )}
        {onEdit !== null && (
          <button type="button" class="button" aria-label={`Edit ${title}`} onClick={onEdit}>
            Edit
          </button>
        )}
        {onTurn !== null && (
          <button
            type="button"
            class="button"
            aria-label={`Turn ${title} ${enabled ? 'off' : 'on'}`}
            onClick={onTurn}
          >
            {enabled ? 'Turn off' : 'Turn on'}
          </button>
        )}
        {onDelete !== null && (
          <button
            type="button"
            class="link-button link-danger"
            aria-label={`Delete ${title}`}
            onClick={onDelete}
          >
            Delete
          </button>
        )}
      </div>
    </li>
  );
}

function titleOf({ name, schedule }: ScheduledSearch): string {
  return name ?? scheduleText(schedule);
}
