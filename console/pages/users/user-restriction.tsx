// The view that all tokens of an auth user are restricted to, shown and changed by administrators.
// Users cannot restrict themselves, since they could not undo it.
import { useState } from 'preact/hooks';
import { readListedUser, restrictAuthUser } from '../../api/auth-users-api.ts';
import { session } from '../../api/session.ts';
import { listViews } from '../../api/views/views-api.ts';
import { Button } from '../../ui/forms/button.tsx';
import { useSingleCall } from '../../ui/forms/use-single-call.ts';
import { FaultNotice, LoadNotice } from '../../ui/notice.tsx';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useCell } from '../../ui/use-cell.ts';
import { useLoad } from '../../ui/use-load.ts';
import { ViewName } from '../views/view-name.tsx';

export interface UserRestrictionProps {
  readonly id: string;
  /** Called after each change. */
  readonly onChanged: () => void;
}

export function UserRestriction({ id, onChanged }: UserRestrictionProps) {
  const { value, fault, reload } = useLoad(`view of ${id}`, async (signal) => {
    const [{ view }, views] = await Promise.all([readListedUser(id, signal), listViews(signal)]);
    return { view, names: views.map(({ name }) => name) };
  });
  const isOneself = useCell(session)?.identityId === id;
  return (
    <section class="related" aria-label="View">
      <h2>View</h2>
      <LoadNotice value={value} fault={fault} reload={reload} lines={1} />
      {value !== undefined && <Restriction view={value.view} />}
      {value !== undefined && isOneself && (
        <p class="quiet">Another administrator must restrict you: you could not undo it.</p>
      )}
      {value !== undefined && !isOneself && (
        <RestrictionForm
          id={id}
          {...value}
          onChanged={() => {
            reload();
            onChanged();
          }}
        />
      )}
    </section>
  );
}

function Restriction({ view }: { view: string | null }) {
  if (view === null) return <p>No view restricts this user.</p>;
  return (
    <p>
      All tokens of this user see only what the view <ViewName view={view} /> shows.
    </p>
  );
}

interface RestrictionFormProps extends UserRestrictionProps {
  readonly view: string | null;
  /** Of the views of the tenant. */
  readonly names: readonly string[];
}

function RestrictionForm({ id, view, names, onChanged }: RestrictionFormProps) {
  const [chosen, setChosen] = useState(view ?? '');
  const { refusal, attempt } = useAttempt(onChanged);
  const send = useSingleCall(() =>
    attempt(async () => {
      await restrictAuthUser(id, chosen === '' ? null : chosen);
    }),
  );
  if (names.length === 0 && view === null) {
    return (
      <p class="quiet">
        The tenant has no views yet. <a href="#/views?new">Create one</a>
      </p>
    );
  }
  return (
    <>
      {refusal !== null && <FaultNotice fault={refusal} />}
      <form
        class="view-choice"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <label class="field">
          <span>Restrict to</span>
          <select value={chosen} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
            <option value="">No view: everything</option>
            {view !== null && !names.includes(view) && (
              <option value={view}>{view} (deleted: shows nothing)</option>
            )}
            {names.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <Button type="submit" class="button" isIdle={chosen === (view ?? '')}>
          Apply view
        </Button>
      </form>
    </>
  );
}
