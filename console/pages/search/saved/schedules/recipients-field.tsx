// The recipients of a schedule: people, added by a part of their name.
import { useState } from 'preact/hooks';
import { session } from '../../../../api/session.ts';
import { settings } from '../../../../api/settings.ts';
import { FieldFault } from '../../../../ui/form-field.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { useCell } from '../../../../ui/use-cell.ts';
import { DocumentPicker } from '../../../explain/document-picker.tsx';
import { useNames } from './people.ts';

export interface RecipientsFieldProps {
  /** Ids of identities. */
  readonly recipients: readonly string[];
  readonly fault: string | undefined;
  readonly onRecipients: (recipients: readonly string[]) => void;
}

export function RecipientsField({ recipients, fault, onRecipients }: RecipientsFieldProps) {
  const own = useCell(session)?.identityId ?? null;
  const { sendsEmail } = useCell(settings);
  const nameOf = useNames(recipients);
  const [isAdding, setAdding] = useState(false);
  const add = (id: string) => onRecipients([...new Set([...recipients, id])]);
  return (
    <fieldset class="selector">
      <legend>Recipients</legend>
      <p class="quiet form-hint">
        {sendsEmail
          ? 'Each gets an e-mail after a run. Without recipients the results are only kept here.'
          : 'This service sends no e-mail: the results are only kept here. Its operator sets CARDEA_SMTP_URL and CARDEA_SMTP_FROM.'}
      </p>
      <div class="chips">
        {recipients.map((id) => (
          <button
            type="button"
            class="chip"
            key={id}
            title="Remove recipient"
            onClick={() => onRecipients(recipients.filter((one) => one !== id))}
          >
            <span class="unseen">Remove recipient</span> {nameOf(id)}{' '}
            <Icon name="close" size={12} />
          </button>
        ))}
      </div>
      <div class="buttons">
        {own !== null && !recipients.includes(own) && (
          <button type="button" class="button" onClick={() => add(own)}>
            Add me
          </button>
        )}
        <button
          type="button"
          class="button"
          aria-expanded={isAdding}
          onClick={() => setAdding(!isAdding)}
        >
          <Icon name={isAdding ? 'close' : 'plus'} size={14} />{' '}
          {isAdding ? 'Close' : 'Add a recipient'}
        </button>
      </div>
      {isAdding && (
        // biome-ignore lint/a11y/noStaticElementInteractions: Enter in the search sends no form
        <div onKeyDown={(event) => event.key === 'Enter' && keepForm(event)}>
          <DocumentPicker
            index="identities"
            hint="Choose a person to add."
            onPick={({ id }) => {
              add(id);
              setAdding(false);
            }}
          />
        </div>
      )}
      <FieldFault fault={fault} />
    </fieldset>
  );
}

function keepForm(event: KeyboardEvent): void {
  if (event.target instanceof HTMLInputElement) event.preventDefault();
}
