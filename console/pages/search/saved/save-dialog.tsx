// The dialogs that name a saved search: a new one, and one that is there. What the service refuses
// is shown next to its field.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type ApiFault, asFault } from '../../../api/fault.ts';
import { faultsByField } from '../../../api/field-faults.ts';
import {
  createSavedSearch,
  getSavedSearch,
  type SavedSearch,
  updateSavedSearch,
} from '../../../api/saved-searches-api.ts';
import { kindOf, labelOf } from '../../../model/kinds.ts';
import { printSearch, type SearchState } from '../../../model/search-state.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { FormField } from '../../../ui/form-field.tsx';
import { Button } from '../../../ui/forms/button.tsx';
import { useIsClosed } from '../../../ui/forms/use-is-closed.ts';
import { FaultNotice } from '../../../ui/notice.tsx';
import { replace } from '../../../ui/route.ts';
import { ShareChoice } from '../../../ui/share-choice.tsx';
import { useUnsaved } from '../../../ui/use-unsaved.ts';
import { changedDetails, definitionOf, type SearchDetails } from './definition.ts';
import '../../../style/saved-searches.css';

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
    <DetailsDialog
      title="Save search"
      details={{ name: '', description: null, shared: false }}
      onSubmit={async (details) => {
        const at = location.hash;
        const { id } = await createSavedSearch(definitionOf(state, details, null));
        return () => {
          onChange();
          // The dialog may have been closed, and the search changed meanwhile.
          if (location.hash === at) replace(printSearch({ ...state, saved: id }));
        };
      }}
      onClose={onClose}
    >
      <p class="quiet">
        Saves the query, filters, order and columns of {plural.toLowerCase()}. Administrators see
        it, too.
      </p>
      {state.rows !== null && (
        <p class="notice notice-plain">
          The setting “Rows are: {labelOf(state.rows.path)}” is not saved. To keep it, bookmark the
          address of this page.
        </p>
      )}
    </DetailsDialog>
  );
}

/** Changes the name and the description of a saved search, and shares it. */
export function SearchDetailsDialog({
  saved,
  onChange,
  onClose,
}: {
  saved: SavedSearch;
  onChange: () => void;
  onClose: () => void;
}) {
  return (
    <DetailsDialog
      title="Rename or share search"
      details={saved}
      onSubmit={async (details) => {
        const current = await getSavedSearch(saved.id);
        await updateSavedSearch(saved.id, { ...current, ...changedDetails(saved, details) });
        return onChange;
      }}
      onClose={onClose}
    />
  );
}

interface DetailsDialogProps {
  readonly title: string;
  readonly details: SearchDetails;
  /** Saves the details. @returns what follows once the dialog is closed */
  readonly onSubmit: (details: SearchDetails) => Promise<() => void>;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}

function DetailsDialog({ title, details, onSubmit, onClose, children }: DetailsDialogProps) {
  const [name, setName] = useState(details.name);
  const [description, setDescription] = useState(details.description ?? '');
  const [shared, setShared] = useState(details.shared);
  const [fault, setFault] = useState<ApiFault | null>(null);
  const [isBusy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), []);
  const { byField, rest } = faultsByField(fault, ['name', 'description']);
  const release = useUnsaved(
    name !== details.name ||
      description !== (details.description ?? '') ||
      shared !== details.shared,
  );
  const isClosed = useIsClosed();
  const submit = async () => {
    setBusy(true);
    try {
      const text = description.trim();
      const goOn = await onSubmit({
        ...{ name: name.trim(), shared },
        description: text === '' ? null : text,
      });
      release();
      if (!isClosed.current) onClose();
      goOn();
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
        <ShareChoice
          shared={shared}
          hint="They find what their own rights allow, and cannot change it."
          onChange={setShared}
        />
        {children}
        <div class="buttons">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <Button type="submit" class="button button-main" isIdle={isBusy}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
