// The fields of a form for a new token that choose its scopes: single ones, each with what it allows,
// or everything, with a warning.
import { useState } from 'preact/hooks';
import { ALL_SCOPES } from '../../../src/auth/access.ts';
import { scopeRows } from '../../api/scope-choice.ts';
import { session } from '../../api/session.ts';
import { FieldFault } from '../../ui/form-field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useOneStop } from '../../ui/keyboard/one-stop.ts';
import { useCell } from '../../ui/use-cell.ts';

const NAME = 'scope';
/** What most programs need. */
const USUAL = 'sp:search:read';

export function ScopeField({ fault }: { fault: string | undefined }) {
  const rows = scopeRows(useCell(session));
  const [isEverything, setEverything] = useState(false);
  const stop = useOneStop<HTMLUListElement>('input');
  return (
    <fieldset class="scopes">
      <legend>Scopes</legend>
      <label class="check">
        <input
          type="checkbox"
          name={NAME}
          value={ALL_SCOPES}
          checked={isEverything}
          onChange={({ currentTarget }) => setEverything(currentTarget.checked)}
        />
        Everything that you may do <code>{ALL_SCOPES}</code>
      </label>
      {isEverything && (
        <p class="notice notice-plain" role="status">
          <Icon name="alert" size={16} /> Whoever has this token may do everything that you may do,
          now and later. Choose single scopes if a program needs less.
        </p>
      )}
      <ul class="scope-list" aria-label="Single scopes" hidden={isEverything} {...stop}>
        {rows.map(({ name, grants }) => (
          <li key={name}>
            <label>
              <input
                type="checkbox"
                name={NAME}
                value={name}
                defaultChecked={name === USUAL}
                disabled={isEverything}
              />
              <span>
                {grants.join(' · ')} <code>{name}</code>
              </span>
            </label>
          </li>
        ))}
      </ul>
      <FieldFault fault={fault} />
    </fieldset>
  );
}

/** The chosen scopes. */
export function scopesIn(fields: FormData): readonly string[] {
  return fields.getAll(NAME).map(String);
}
