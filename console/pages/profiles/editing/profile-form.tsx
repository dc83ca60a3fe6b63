// The form of a profile: its fields by meaning, checked before they are sent. Only changed fields
// are sent, after a table of the changes was confirmed.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Profile } from '../../../api/profiles-api.ts';
import { countedText } from '../../../model/amount.ts';
import {
  type AttributeGroup,
  isValidated,
  type ProfileAttribute,
  type ProfileType,
  STATUSES,
  valueKindOf,
} from '../../../model/profiles/attributes.ts';
import {
  draftFaults,
  draftOf,
  type FieldChange,
  type FieldFaults,
  fieldChanges,
  type ProfileDraft,
  valueText,
} from '../../../model/profiles/profile-draft.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { useUnsaved } from '../../../ui/use-unsaved.ts';
import { AttributeField, FieldFrame, validity } from './attribute-field.tsx';
import { ConflictNotice, RefusedNotice, ReviewDialog } from './saving-notices.tsx';
import { useSaving } from './use-saving.ts';

export interface ProfileFormProps {
  /** null: a new one. */
  readonly profile: Profile | null;
  readonly type: ProfileType | undefined;
  readonly groups: readonly AttributeGroup[];
  /** All attributes of the tenant, of which others may be added. */
  readonly attributes: readonly ProfileAttribute[];
  /** Called before the profile is shown. */
  readonly onSaved: (changes: readonly FieldChange[]) => void;
  readonly onCancel: () => void;
  /** Reads the profile again, which discards the changes. */
  readonly onReload: () => void;
}

export function ProfileForm(props: ProfileFormProps) {
  const { profile, type, groups, attributes: all, onSaved, onCancel, onReload } = props;
  const listed = groups.flatMap(({ attributes }) => attributes);
  const others = all.filter(({ id }) => !listed.some((attribute) => attribute.id === id));
  const attributes = [...listed, ...others];
  const base = useMemo(() => draftOf(profile, all), [profile, all]);
  const [draft, setDraft] = useState(base);
  const [faults, setFaults] = useState<FieldFaults>({});
  const [isReviewing, setReviewing] = useState(false);
  const typeId = type?.id ?? profile?.profile_type_id ?? '';
  const form = useRef<HTMLFormElement>(null);
  /** The control that had the focus when the form was submitted. */
  const submitter = useRef<HTMLElement | null>(null);
  const [failures, setFailures] = useState(0);
  // The service requires no others of a new profile: a profile select names the type to select from.
  const isRequired = (attribute: ProfileAttribute) =>
    isValidated(attribute, 'required') &&
    attribute.archived !== true &&
    !['profile', 'none'].includes(valueKindOf(attribute.type)) &&
    (profile === null
      ? attribute.profile_type_id === typeId
      : valueText(base.values[attribute.uid]) !== '');
  const changes = fieldChanges(base, draft, attributes);
  const release = useUnsaved(changes.length > 0);
  const saving = useSaving({
    ...{ profile, typeId, attributes, base },
    onSaved(saved) {
      release();
      onSaved(saved);
    },
  });
  useLayoutEffect(() => {
    // The fields are inert meanwhile, and lose the focus.
    if (saving.isBusy && !isReviewing) submitButton(form.current)?.focus();
  }, [saving.isBusy, isReviewing]);
  useEffect(() => {
    const faulty = form.current?.querySelector<HTMLElement>(FAULTY_CONTROL) ?? null;
    const isWaiting = document.activeElement === submitButton(form.current);
    (faulty ?? (isWaiting ? submitter.current : null))?.focus();
  }, [failures, faults]);
  const cancel = () => {
    release();
    onCancel();
  };
  const isComplete = () => {
    const found = {
      ...draftFaults(draft, attributes, isRequired),
      ...unfinishedInputs(form.current),
    };
    setFaults(found);
    return Object.keys(found).length === 0;
  };
  const save = async (accepted: readonly FieldChange[]) => {
    const isSaved = await saving.save(draft, accepted);
    setReviewing(false);
    if (!isSaved) setFailures((count) => count + 1);
  };
  const review = () => {
    if (!isComplete()) return;
    const focused = document.activeElement;
    submitter.current = focused instanceof HTMLElement ? focused : null;
    if (profile === null) void save([]);
    else setReviewing(true);
  };
  const shownFaults = { ...saving.fieldFaults, ...faults };
  return (
    <form
      ref={form}
      class="profile-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        review();
      }}
    >
      {profile !== null && <h1>Edit {profile.name || profile.uid}</h1>}
      <RefusedNotice saving={saving} labels={attributes} />
      {saving.conflict.length > 0 && (
        <ConflictNotice
          changes={saving.conflict}
          onReload={onReload}
          onForce={() => isComplete() && void save(saving.conflict)}
        />
      )}
      {/* What is typed while it is saved would be lost. */}
      <div class="form-parts" inert={saving.isBusy}>
        <Fields
          profile={profile}
          {...{ type, groups, others, draft, changes, isRequired }}
          faults={shownFaults}
          onDraft={setDraft}
        />
      </div>
      <footer class="form-bar">
        <span class="quiet" role="status">
          {stateText(changes.length, Object.keys(faults).length)}
        </span>
        <button type="button" class="button" onClick={cancel}>
          Cancel
        </button>
        <Button
          type="submit"
          class="button button-main"
          isIdle={saving.isBusy || changes.length === 0}
        >
          {saving.isBusy ? 'Saving…' : profile === null ? 'Create profile' : 'Review changes'}
        </Button>
      </footer>
      {isReviewing && (
        <ReviewDialog
          changes={changes}
          base={base}
          draft={draft}
          attributes={attributes}
          isBusy={saving.isBusy}
          onClose={() => setReviewing(false)}
          onSave={() => void save([])}
        />
      )}
    </form>
  );
}

/** A field may have several controls, and its first one takes the focus. */
const FAULTY_CONTROL = '[data-faulty="true"] :is(input, select, textarea)';

function submitButton(form: HTMLFormElement | null): HTMLElement | null {
  return form?.querySelector<HTMLElement>('[type="submit"]') ?? null;
}

/** Inputs whose text is no value yet, such as half a date, which browsers report as empty. */
function unfinishedInputs(form: HTMLFormElement | null): FieldFaults {
  const inputs = [...(form?.querySelectorAll('input') ?? [])];
  const unfinished = inputs.filter(({ validity }) => validity.badInput);
  return Object.fromEntries(unfinished.map(({ name }) => [name, ['Enter a date']]));
}

interface FieldsProps {
  readonly profile: Profile | null;
  readonly type: ProfileType | undefined;
  readonly groups: readonly AttributeGroup[];
  readonly others: readonly ProfileAttribute[];
  readonly draft: ProfileDraft;
  readonly changes: readonly FieldChange[];
  readonly faults: FieldFaults;
  readonly isRequired: (attribute: ProfileAttribute) => boolean;
  readonly onDraft: (draft: ProfileDraft) => void;
}

function Fields(props: FieldsProps) {
  const { profile, type, groups, others, draft, changes, faults, isRequired, onDraft } = props;
  const [added, setAdded] = useState<readonly ProfileAttribute[]>([]);
  const addable = others.filter(
    (attribute) =>
      !added.includes(attribute) &&
      attribute.archived !== true &&
      valueKindOf(attribute.type) !== 'none',
  );
  const shown = added.length === 0 ? groups : [...groups, { title: 'Added', attributes: added }];
  const isChanged = (key: string) => changes.some((change) => change.key === key);
  return (
    <>
      <div class="form-fields">
        <NameField
          {...{ draft, type, groups, faults, onDraft }}
          isNew={profile === null}
          isChanged={isChanged('name')}
        />
        <StatusField {...{ draft, faults, onDraft }} isChanged={isChanged('status')} />
      </div>
      {shown.map(({ title, attributes }) => (
        <section key={title} class="related" aria-label={title}>
          <h2>{title}</h2>
          <div class="form-fields">
            {attributes.map((attribute) => (
              <AttributeField
                key={attribute.id}
                attribute={attribute}
                value={draft.values[attribute.uid] ?? ''}
                isRequired={isRequired(attribute)}
                isChanged={isChanged(`attributes.${attribute.uid}`)}
                faults={faults[attribute.uid] ?? []}
                onValue={(value) =>
                  onDraft({ ...draft, values: { ...draft.values, [attribute.uid]: value } })
                }
              />
            ))}
          </div>
        </section>
      ))}
      {addable.length > 0 && (
        <label class="field add-attribute">
          <span>Add another attribute</span>
          <select
            value=""
            onChange={({ currentTarget }) => {
              const attribute = addable.find(({ id }) => id === currentTarget.value);
              currentTarget.value = '';
              if (attribute !== undefined) setAdded([...added, attribute]);
            }}
          >
            <option value="">Select an attribute</option>
            {addable.map(({ id, label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
    </>
  );
}

interface NameFieldProps {
  readonly draft: ProfileDraft;
  readonly type: ProfileType | undefined;
  readonly groups: readonly AttributeGroup[];
  readonly isNew: boolean;
  readonly isChanged: boolean;
  readonly faults: FieldFaults;
  readonly onDraft: (draft: ProfileDraft) => void;
}

/** The service composes the name of a new profile, but does not change it with its attributes. */
function NameField({ draft, type, groups, isNew, isChanged, faults, onDraft }: NameFieldProps) {
  const naming = groups.find(({ title }) => title === 'Name')?.attributes ?? [];
  const composed = naming
    .map(({ uid }) => valueText(draft.values[uid]).trim())
    .filter((part) => part !== '')
    .join(' ');
  const hasNaming = type !== undefined && naming.length > 0;
  return (
    <FieldFrame
      id="profile-name"
      label="Profile name"
      isRequired={false}
      isChanged={isChanged}
      faults={faults['name'] ?? []}
      hint={
        isNew && hasNaming ? `Without one: ${naming.map(({ label }) => label).join(' and ')}` : null
      }
    >
      <input
        id="profile-name"
        {...validity('profile-name', faults['name'] ?? [])}
        autoComplete="off"
        placeholder={isNew ? composed : ''}
        value={draft.name}
        onInput={({ currentTarget }) => onDraft({ ...draft, name: currentTarget.value })}
      />
      {!isNew && hasNaming && composed !== '' && composed !== draft.name && (
        <button
          type="button"
          class="link-button"
          onClick={() => onDraft({ ...draft, name: composed })}
        >
          Use “{composed}”
        </button>
      )}
    </FieldFrame>
  );
}

interface StatusFieldProps {
  readonly draft: ProfileDraft;
  readonly isChanged: boolean;
  readonly faults: FieldFaults;
  readonly onDraft: (draft: ProfileDraft) => void;
}

function StatusField({ draft, isChanged, faults, onDraft }: StatusFieldProps) {
  return (
    <FieldFrame
      id="profile-status"
      label="Status"
      isRequired={false}
      isChanged={isChanged}
      faults={faults['status'] ?? []}
      hint={null}
    >
      <select
        id="profile-status"
        {...validity('profile-status', faults['status'] ?? [])}
        value={draft.status}
        onChange={({ currentTarget }) => onDraft({ ...draft, status: currentTarget.value })}
      >
        {STATUSES.map((status) => (
          <option key={status} value={status}>
            {status}
          </option>
        ))}
      </select>
    </FieldFrame>
  );
}

/** @param faulty the number of fields that the form found faults in */
function stateText(changed: number, faulty: number): string {
  const changes = changed === 0 ? 'No changes' : countedText(changed, 'changed field');
  return faulty === 0 ? changes : `${changes}, ${countedText(faulty, 'field')} to correct`;
}
