// The form of a view: for each type of documents none, all or those that match a query, and the
// fields to hide, beside a sample of what it shows. The service checks it when it is saved.
import { useEffect, useState } from 'preact/hooks';
import { type ApiFault, asFault } from '../../api/fault.ts';
import { faultsByField } from '../../api/field-faults.ts';
import { aggregate } from '../../api/search-api.ts';
import type { View, ViewDefinition } from '../../api/views/view.ts';
import { KINDS } from '../../model/kinds.ts';
import { tabsBody } from '../../model/search-body.ts';
import { FieldFault, FormField } from '../../ui/form-field.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { useSingleCall } from '../../ui/forms/use-single-call.ts';
import { FaultNotice } from '../../ui/notice.tsx';
import { useLoad } from '../../ui/use-load.ts';
import { useUnsaved } from '../../ui/use-unsaved.ts';
import { definitionOf, draftOf, isChanged, type ViewDraft } from './draft.ts';
import { HiddenChoice } from './hidden-choice.tsx';
import { TypeField } from './type-field.tsx';
import { ViewSample } from './view-sample.tsx';

export interface ViewFormProps {
  /** null: a new one. */
  readonly view: View | null;
  /** @returns what is done once the form has no changes any more */
  readonly onSave: (definition: ViewDefinition) => Promise<() => void>;
  /** Called when the form begins or ceases to have changes. */
  readonly onDirty?: (isDirty: boolean) => void;
}

const FIELDS = [
  ...['name', 'description', 'hide', 'indices'],
  ...KINDS.map(({ index }) => `indices.${index}`),
];

export function ViewForm({ view, onSave, onDirty }: ViewFormProps) {
  const [draft, setDraft] = useState(() => draftOf(view));
  const [fault, setFault] = useState<ApiFault | null>(null);
  const [isSaved, setSaved] = useState(false);
  const isDirty = isChanged(draft, view);
  const release = useUnsaved(isDirty);
  useEffect(() => onDirty?.(isDirty), [isDirty]);
  const totals = useLoad('documents by type', (signal) => aggregate(tabsBody(''), signal));
  const totalOf = (type: string) =>
    totals.value?.['types']?.buckets?.find(({ key }) => key === type)?.doc_count ??
    (totals.value === undefined ? null : 0);
  const edit = (change: Partial<ViewDraft>) => {
    setDraft((before) => ({ ...before, ...change }));
    setFault(null);
    setSaved(false);
  };
  const save = useSingleCall(async () => {
    setFault(null);
    setSaved(false);
    try {
      const finish = await onSave(definitionOf(draft));
      release();
      setSaved(true);
      finish();
    } catch (error) {
      setFault(asFault(error));
    }
  });
  const { byField, rest } = faultsByField(fault, FIELDS);
  return (
    <div class="view-columns">
      <form
        class="view-form"
        aria-label="View"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        {view === null && (
          <FormField
            label="Name"
            hint="Letters, digits, dots, hyphens and underscores"
            fault={byField['name']}
          >
            {(control) => (
              <input
                {...control}
                required
                maxLength={64}
                autoComplete="off"
                spellcheck={false}
                value={draft.name}
                onInput={({ currentTarget }) => edit({ name: currentTarget.value })}
              />
            )}
          </FormField>
        )}
        <FormField label="Description" fault={byField['description']}>
          {(control) => (
            <input
              {...control}
              autoComplete="off"
              value={draft.description}
              onInput={({ currentTarget }) => edit({ description: currentTarget.value })}
            />
          )}
        </FormField>
        <section class="view-types" aria-label="Documents">
          <h2>Documents</h2>
          <FieldFault fault={byField['indices']} />
          {KINDS.map((kind) => (
            <TypeField
              key={kind.index}
              kind={kind}
              choice={draft.types[kind.index]}
              total={totalOf(kind.type)}
              fault={byField[`indices.${kind.index}`]}
              onChoice={(choice) => edit({ types: { ...draft.types, [kind.index]: choice } })}
            />
          ))}
        </section>
        <HiddenChoice
          types={draft.types}
          hide={draft.hide}
          fault={byField['hide']}
          onHide={(hide) => edit({ hide })}
        />
        {rest !== null && <FaultNotice fault={rest} />}
        <div class="buttons view-save">
          <Button type="submit" class="button button-main" isIdle={!isDirty && view !== null}>
            {view === null ? 'Create view' : 'Save view'}
          </Button>
          {view !== null && (
            <Button class="button" isIdle={!isDirty} onClick={() => edit(draftOf(view))}>
              Discard changes
            </Button>
          )}
          <p role="status" class="quiet">
            {isSaved && !isDirty && 'Saved. It takes effect within a second.'}
          </p>
        </div>
      </form>
      <ViewSample types={draft.types} hide={draft.hide} />
    </div>
  );
}
