// What is said around the saving of a profile: the changes to confirm, what the service refused,
// and a conflict with a change of somebody else.

import type { ProfileAttribute } from '../../../model/profiles/attributes.ts';
import {
  changesBody,
  type FieldChange,
  type ProfileDraft,
} from '../../../model/profiles/profile-draft.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Button } from '../../../ui/forms/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { FaultNotice } from '../../../ui/notice.tsx';
import { href } from '../../../ui/route.ts';
import { ChangeTable } from './change-table.tsx';
import type { Saving } from './use-saving.ts';

export interface ReviewDialogProps {
  readonly changes: readonly FieldChange[];
  readonly base: ProfileDraft;
  readonly draft: ProfileDraft;
  readonly attributes: readonly ProfileAttribute[];
  /** True while the changes are saved. */
  readonly isBusy: boolean;
  readonly onSave: () => void;
  readonly onClose: () => void;
}

/** Shows what will change, and the request. */
export function ReviewDialog(props: ReviewDialogProps) {
  const { changes, base, draft, attributes, isBusy, onSave, onClose } = props;
  const body = { profile: changesBody(base, draft, attributes) };
  return (
    <Dialog title="Save these changes?" onClose={onClose}>
      <ChangeTable label="Changes" changes={changes} />
      <details>
        <summary class="quiet">Request</summary>
        <pre class="code" data-testid="request">
          {JSON.stringify(body, null, 2)}
        </pre>
      </details>
      <div class="buttons">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <Button class="button button-main" isIdle={isBusy} onClick={onSave}>
          {isBusy ? 'Saving…' : 'Save'}
        </Button>
      </div>
    </Dialog>
  );
}

export interface RefusedNoticeProps {
  readonly saving: Saving;
  readonly labels: readonly ProfileAttribute[];
}

/** Why the last attempt failed. Faults of fields are beside the fields, too. */
export function RefusedNotice({ saving, labels }: RefusedNoticeProps) {
  const { fault, fieldFaults, duplicates } = saving;
  if (fault === null) return null;
  const names = Object.keys(fieldFaults);
  if (names.length === 0 && duplicates.length === 0) return <FaultNotice fault={fault} />;
  const labelOf = (name: string) => labels.find(({ uid }) => uid === name)?.label ?? name;
  return (
    <div class="notice notice-bad" role="alert">
      <Icon name="alert" />
      <div class="notice-body">
        <p class="notice-title">Not saved</p>
        <ul>
          {names.map((name) => (
            <li key={name}>
              {labelOf(name)} {fieldFaults[name]?.join(', ')}
            </li>
          ))}
        </ul>
        {duplicates.length > 0 && (
          <p>
            A profile of this type has the same values:{' '}
            {duplicates.map((id) => (
              <span class="value-item" key={id}>
                <a href={href('profiles', 'of', id)}>open it</a>
              </span>
            ))}
          </p>
        )}
      </div>
    </div>
  );
}

export interface ConflictNoticeProps {
  readonly changes: readonly FieldChange[];
  readonly onReload: () => void;
  readonly onForce: () => void;
}

/** Says which of the changed fields somebody else has changed meanwhile. */
export function ConflictNotice({ changes, onReload, onForce }: ConflictNoticeProps) {
  return (
    <div class="notice notice-bad" role="alert">
      <Icon name="alert" />
      <div class="notice-body">
        <p class="notice-title">This profile was changed by someone else</p>
        <p>Your changes were not saved. You have changed the same fields:</p>
        <ChangeTable
          label="Changes by someone else"
          changes={changes}
          heads={['When you opened it', 'Now']}
        />
        <div class="buttons">
          <button type="button" class="button" onClick={onReload}>
            Reload and discard my changes
          </button>
          <button type="button" class="button button-danger" onClick={onForce}>
            Overwrite with mine
          </button>
        </div>
      </div>
    </div>
  );
}
