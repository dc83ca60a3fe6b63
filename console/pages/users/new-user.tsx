// The page that creates an auth user. Its page, which is shown next, has the capabilities.
import { useState } from 'preact/hooks';
import { createAuthUser, type NewAuthUser } from '../../api/auth-users-api.ts';
import { type ApiFault, asFault } from '../../api/fault.ts';
import { faultsByField } from '../../api/field-faults.ts';
import { FormField } from '../../ui/form-field.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { useSingleCall } from '../../ui/forms/use-single-call.ts';
import { FaultNotice } from '../../ui/notice.tsx';
import { go, href, whileHere } from '../../ui/route.ts';
import { useUnsaved } from '../../ui/use-unsaved.ts';
import { ViewField, viewIn } from '../views/view-field.tsx';

const FIELDS: readonly {
  readonly name: 'uid' | 'displayName' | 'email' | 'id';
  readonly label: string;
  readonly hint?: string;
  readonly max: number;
}[] = [
  { name: 'uid', label: 'Login (UID)', hint: 'Unique in the tenant', max: 256 },
  { name: 'displayName', label: 'Name', hint: 'The login if it is empty', max: 1024 },
  { name: 'email', label: 'Email', max: 1024 },
  {
    ...{ name: 'id', label: 'ID', max: 256 },
    hint: 'That of the identity, if there is one, so that both are the same person. Otherwise a new one',
  },
];

export function NewUser() {
  const [fault, setFault] = useState<ApiFault | null>(null);
  const [isDirty, setDirty] = useState(false);
  const release = useUnsaved(isDirty);
  const create = useSingleCall(async (form: HTMLFormElement) => {
    const goOn = whileHere(go);
    setFault(null);
    try {
      const { id } = await createAuthUser(userOf(new FormData(form)));
      release();
      goOn(href('users', id));
    } catch (error) {
      setFault(asFault(error));
    }
  });
  const names = FIELDS.map(({ name }) => name);
  const { byField, rest } = faultsByField(fault, names);
  return (
    <div class="page">
      <h1>New auth user</h1>
      <form
        class="new-user"
        onInput={() => setDirty(true)}
        onSubmit={(event) => {
          event.preventDefault();
          create(event.currentTarget);
        }}
      >
        {FIELDS.map(({ name, label, hint, max }) => (
          <FormField
            key={name}
            label={label}
            fault={byField[name]}
            {...(hint !== undefined && { hint })}
          >
            {(control) => (
              <input
                {...control}
                name={name}
                required={name === 'uid'}
                maxLength={max}
                autoComplete="off"
                spellcheck={false}
                dir="auto"
              />
            )}
          </FormField>
        ))}
        <ViewField />
        {rest !== null && <FaultNotice fault={rest} />}
        <div class="buttons">
          <Button type="submit" class="button button-main" isIdle={false}>
            Create auth user
          </Button>
          <a class="button" href="#/users">
            Cancel
          </a>
        </div>
        <p class="quiet">The page of the user has the capabilities, which you grant next.</p>
      </form>
    </div>
  );
}

/** The members of the fields that are not empty. */
function userOf(fields: FormData): NewAuthUser {
  const text = (name: string) => String(fields.get(name) ?? '').trim();
  const others = FIELDS.filter(({ name }) => name !== 'uid' && text(name) !== '');
  return {
    uid: text('uid'),
    ...Object.fromEntries(others.map(({ name }) => [name, text(name)])),
    ...viewIn(fields),
  };
}
