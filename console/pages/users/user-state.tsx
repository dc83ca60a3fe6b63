// Whether an auth user may sign in, with what administrators do about it: disable, enable, sign out,
// delete. Each is confirmed with the name of the user and what it does.
import { useState } from 'preact/hooks';
import {
  type AuthUser,
  deleteAuthUser,
  readListedUser,
  setEnabled,
  signOutUser,
} from '../../api/auth-users-api.ts';
import { session } from '../../api/session.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { useOneStop } from '../../ui/keyboard/one-stop.ts';
import { FaultNotice, LoadNotice } from '../../ui/notice.tsx';
import { go, whileHere } from '../../ui/route.ts';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useCell } from '../../ui/use-cell.ts';
import { useLoad } from '../../ui/use-load.ts';
import { Status } from '../../ui/values/status.tsx';

export interface UserStateProps {
  readonly user: Pick<AuthUser, 'id' | 'uid' | 'displayName'>;
  /** Called after each change. */
  readonly onChanged: () => void;
}

/** A step that is confirmed. */
interface Step {
  readonly action: 'Disable' | 'Enable' | 'Sign out' | 'Delete';
  readonly sentence: string;
  readonly run: (id: string) => Promise<unknown>;
}

const DISABLE: Step = {
  action: 'Disable',
  sentence:
    'All tokens are refused within a second, and no new ones are issued until the user is enabled. Nothing is deleted.',
  run: (id) => setEnabled(id, false),
};
const ENABLE: Step = {
  action: 'Enable',
  sentence: 'The user, and programs with their tokens and keys, can sign in again.',
  run: (id) => setEnabled(id, true),
};
const SIGN_OUT: Step = {
  action: 'Sign out',
  sentence:
    'All sessions and access tokens end within a second. Programs with a personal access token or an API client of the user can sign in again.',
  run: signOutUser,
};
const DELETE: Step = {
  action: 'Delete',
  sentence:
    'The personal access tokens and API keys of the user are deleted, too. The history stays. This cannot be undone.',
  run: deleteAuthUser,
};

export function UserState({ user, onChanged }: UserStateProps) {
  const { id } = user;
  const { value, fault, reload } = useLoad(`state of ${id}`, (signal) =>
    readListedUser(id, signal),
  );
  const { refusal, attempt } = useAttempt(reload);
  const [step, setStep] = useState<Step | null>(null);
  const isOneself = useCell(session)?.identityId === id;
  const stop = useOneStop<HTMLDivElement>('button');
  const perform = async ({ action, run }: Step) => {
    const goOn = whileHere(go);
    let isDone = false;
    await attempt(async () => {
      await run(id);
      isDone = true;
    });
    if (!isDone) return;
    if (action === 'Delete') goOn('#/users');
    else onChanged();
  };
  const name = nameOf(user);
  return (
    <section class="related" aria-label="Access">
      <h2>Access</h2>
      <LoadNotice value={value} fault={fault} reload={reload} lines={1} />
      {refusal !== null && <FaultNotice fault={refusal} />}
      {value !== undefined && (
        <div class="user-state">
          <Status word={value.enabled ? 'Enabled' : 'Disabled'} />
          <div class="buttons" {...stop}>
            {[value.enabled ? DISABLE : ENABLE, SIGN_OUT, DELETE].map((one) => (
              <button
                type="button"
                key={one.action}
                class={one === DELETE ? 'button button-danger' : 'button'}
                onClick={() => setStep(one)}
              >
                {one.action}
              </button>
            ))}
          </div>
        </div>
      )}
      {step !== null && (
        <Confirm
          title={`${step.action} ${name}?`}
          sentence={isOneself ? `This is your own account. ${step.sentence}` : step.sentence}
          action={step.action}
          onConfirm={() => void perform(step)}
          onClose={() => setStep(null)}
        />
      )}
    </section>
  );
}

/** The name of a user, with the login if that is another one. */
export function nameOf({ displayName, uid }: UserStateProps['user']): string {
  return displayName === '' || displayName === uid ? uid : `${displayName} (${uid})`;
}
