// The dialogs that name a saved search: a new one, and one that is there. What the service refuses
// is shown next to its field.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiFault, asFault } from '../../api/fault.ts';
import { faultsByField } from '../../api/field-faults.ts';
import {
  createSavedSearch,
  type SavedSearch,
  type SavedSearchDefinition,
  updateSavedSearch,
} from '../../api/saved-searches-api.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { FormField } from '../../ui/form-field.tsx';
import { FaultNotice } from '../../ui/notice.tsx';
import { replace } from '../../ui/route.ts';
import { kindOf, labelOf } from '../kinds.ts';
import { printSearch, type SearchState } from '../search-state.ts';
import { definitionOf } from './definition.ts';

type Texts = Pick<SavedSearchDefinition, 'name' | 'description'>;

/** Saves the search of the page as a new one, and opens it. */
export function NewSearch({
  state,
  onChange,
  onClose,
}: {
  state: SearchState;
  onChange: () => void;
  onClose: () => void;
}) {
  const { plural } = kindOf(state.index);
  return (
    <TextsDialog
      title="Save search"
      action="Save"
      texts={{ name: '', description: null }}
      onSubmit={async (texts) => {
        const { id } = await createSavedSearch(definitionOf(state, texts, null));
        onChange();
        replace(printSearch({ ...state, saved: id }));
      }}
      onClose={onClose}
    >
      <p class="quiet">
        Saves the query, filters, order and columns of {plural.toLowerCase()}. Only you and
        administrators see it.
      </p>
      {state.rows !== null && (
        <p class="notice notice-plain">
          The setting “Rows are: {labelOf(state.rows.path)}” is not saved. To keep it, bookmark the
          address of this page.
        </p>
      )}
    </TextsDialog>
  );
}

/** Changes the name and the description of a saved search. */
export function RenameSearch({
  saved,
  onChange,
  onClose,
}: {
  saved: SavedSearch;
  onChange: () => void;
  onClose: () => void;
}) {
  return (
    <TextsDialog
      title="Rename search"
      action="Save"
      texts={saved}
      onSubmit={async (texts) => {
        await updateSavedSearch(saved.id, { ...saved, ...texts });
        onChange();
      }}
      onClose={onClose}
    />
  );
}

interface TextsDialogProps {
  readonly title: string;
  readonly action: string;
  readonly texts: Texts;
  readonly onSubmit: (texts: Texts) => Promise<void>;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}

function TextsDialog({ title, action, texts, onSubmit, onClose, children }: TextsDialogProps) {
  const [name, setName] = useState(texts.name);
  const [description, setDescription] = useState(texts.description ?? '');
  const [fault, setFault] = useState<ApiFault | null>(null);
  const [isBusy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const { byField, rest } = faultsByField(fault, ['name', 'description']);
  const submit = async () => {
    setBusy(true);
    try {
      const text = description.trim();
      await onSubmit({ name: name.trim(), description: text === '' ? null : text });
      onClose();
    } catch (error) {
      setFault(asFault(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {rest !== null && <FaultNotice fault={rest} />}
        <FormField label="Name" fault={byField['name']}>
          {(control) => (
            <input
              {...control}
              ref={input}
              required
              autoComplete="off"
              value={name}
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          )}
        </FormField>
        <FormField label="Description (optional)" fault={byField['description']}>
          {(control) => (
            <textarea
              {...control}
              class="prose"
              rows={3}
              value={description}
              onInput={({ currentTarget }) => setDescription(currentTarget.value)}
            />
          )}
        </FormField>
        {children}
        <div class="buttons">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button button-main" disabled={isBusy}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
