// Explains why a document is missing from the results: the user picks it, and each condition of the
// search shows whether it matches, the actual values, and searches that would find it.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { count, explain, readDocument } from '../../api/search-api.ts';
import { countedText } from '../../model/amount.ts';
import { firstText, valuesAt } from '../../model/document-value.ts';
import { kindOf } from '../../model/kinds.ts';
import { searchBody } from '../../model/search-body.ts';
import type { SearchState } from '../../model/search-state.ts';
import type { Document } from '../../model/wire.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { LoadNotice } from '../../ui/notice.tsx';
import { useLoad } from '../../ui/use-load.ts';
import { Avatar } from '../../ui/values/avatar.tsx';
import { Value } from '../../ui/values/value.tsx';
import { DocumentPicker, type Picked } from './document-picker.tsx';
import type { Explanation } from './explanation.ts';
import { type Condition, conditionsOf, fieldsIn, filteredFields, matchingOnly } from './miss.ts';

export interface MissDrawerProps {
  readonly state: SearchState;
  readonly onClose: () => void;
  /** Runs another search. */
  readonly onState: (state: SearchState) => void;
}

export function MissDrawer({ state, onClose, onState }: MissDrawerProps) {
  const [picked, setPicked] = useState<Picked | null>(null);
  const { singular } = kindOf(state.index);
  const what = state.index === 'identities' ? 'someone' : singular.toLowerCase();
  return (
    <Dialog
      shape="drawer"
      title={
        state.index === 'identities' ? 'Why is someone missing?' : `Why is this ${what} missing?`
      }
      onClose={onClose}
    >
      {picked === null ? (
        <DocumentPicker
          index={state.index}
          hint="Each condition of your search is then compared with the actual values."
          onPick={setPicked}
        />
      ) : (
        <Verdict
          key={picked.id}
          state={state}
          picked={picked}
          onState={onState}
          onOther={() => setPicked(null)}
        />
      )}
    </Dialog>
  );
}

interface Checked {
  readonly condition: Condition;
  readonly matched: boolean;
  readonly fields: readonly string[];
}

async function check(state: SearchState, id: string, signal: AbortSignal) {
  const { mode, conditions } = conditionsOf(state);
  const of = { index: state.index, id };
  const explainFor = (searched: SearchState) =>
    explain<Explanation>({ ...searchBody(searched) }, of, signal);
  const [whole, document, ...answers] = await Promise.all([
    explainFor(state),
    readDocument(state.index, id, signal),
    ...conditions.map(({ alone }) => explainFor(alone)),
  ]);
  const checked = conditions.map((condition, at): Checked => {
    const explained = answers[at]?.document;
    return {
      condition,
      matched: explained?.matched ?? false,
      fields:
        condition.kind === 'filter'
          ? filteredFields(condition.alone)
          : fieldsIn(explained?.clauses ?? { clause: '', text: '' }),
    };
  });
  return { mode, matched: whole.document?.matched ?? false, document, checked };
}

interface VerdictProps {
  readonly state: SearchState;
  readonly picked: Picked;
  readonly onState: (state: SearchState) => void;
  readonly onOther: () => void;
}

function Verdict({ state, picked, onState, onOther }: VerdictProps) {
  const { value, fault, reload } = useLoad(JSON.stringify([state, picked.id]), (signal) =>
    check(state, picked.id, signal),
  );
  const other = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => other.current?.focus(), []);
  const failed = value?.checked.filter(({ matched }) => !matched) ?? [];
  return (
    <div class="explain">
      <div class="picked">
        <Avatar name={picked.title} />
        <strong>{picked.title}</strong>
        <button type="button" class="button" ref={other} onClick={onOther}>
          Choose another
        </button>
      </div>
      <LoadNotice value={value} fault={fault} reload={reload} label="Checking each condition" />
      {value !== undefined && (
        <>
          <p class={value.matched ? 'verdict verdict-good' : 'verdict verdict-bad'} role="status">
            <Icon name={value.matched ? 'done' : 'failed'} size={16} />
            {verdictText(value.matched, value.mode, failed.length, value.checked.length)}
          </p>
          {failed.length > 1 && (
            <MatchingOnly state={state} checked={value.checked} onState={onState} />
          )}
          <ol class="conditions" aria-label="Conditions">
            {value.checked.map((checked) => (
              <ConditionItem
                key={`${checked.condition.kind} ${checked.condition.text}`}
                checked={checked}
                document={value.document}
                onState={onState}
              />
            ))}
          </ol>
        </>
      )}
    </div>
  );
}

/** The one change that finds the document when several conditions fail. */
function MatchingOnly({
  state,
  checked,
  onState,
}: {
  state: SearchState;
  checked: readonly Checked[];
  onState: (state: SearchState) => void;
}) {
  const kept = matchingOnly(
    state,
    checked.map(({ matched }) => matched),
  );
  if (kept === null) return null;
  return (
    <div class="buttons">
      <Remedy state={kept} label="Keep only the conditions that match" onState={onState} />
    </div>
  );
}

function verdictText(matched: boolean, mode: 'all' | 'any', failed: number, all: number): string {
  if (matched) return 'This search finds it.';
  if (mode === 'any') return 'None of the alternatives match.';
  if (failed === 0) return 'Each condition matches alone, but not all of them together.';
  return `${failed} of ${all} ${all === 1 ? 'condition' : 'conditions'} ${
    failed === 1 ? 'does' : 'do'
  } not match.`;
}

interface ConditionItemProps {
  readonly checked: Checked;
  readonly document: Document;
  readonly onState: (state: SearchState) => void;
}

function ConditionItem({ checked, document, onState }: ConditionItemProps) {
  const { condition, matched, fields } = checked;
  const name = matched ? 'matches' : 'does not match';
  return (
    <li class="condition" data-matched={matched}>
      <p class="clause">
        <span class={matched ? 'match match-good' : 'match match-bad'} role="img" aria-label={name}>
          <Icon name={matched ? 'check' : 'close'} size={15} />
        </span>
        <code>{condition.text}</code>
        {condition.kind === 'filter' && <span class="chip">filter</span>}
      </p>
      <Actual document={document} fields={fields} matched={matched} />
      {!matched && <Remedies checked={checked} document={document} onState={onState} />}
    </li>
  );
}

const VALUES_MAX = 8;

/** What the document has in the fields of a condition. */
function Actual({
  document,
  fields,
  matched,
}: {
  document: Document;
  fields: readonly string[];
  matched: boolean;
}) {
  if (fields.length === 0) {
    return matched ? null : <p class="quiet">No searched field has these words.</p>;
  }
  return (
    <dl class="actual">
      {fields.map((field) => {
        const values = [...new Set(valuesAt(document, field))];
        return (
          <div key={field}>
            <dt>{field}</dt>
            <dd>
              {values.length === 0 ? (
                <em>no value</em>
              ) : (
                <Value value={values.slice(0, VALUES_MAX)} />
              )}
              {values.length > VALUES_MAX && (
                <span class="quiet"> and {values.length - VALUES_MAX} more</span>
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** Searches that the condition does not keep from finding the document. */
function Remedies({ checked, document, onState }: ConditionItemProps) {
  const { condition, fields } = checked;
  const [field] = fields;
  const value = field === undefined ? '' : firstText(document, field);
  const replaced = value === '' ? null : (condition.withValue?.(value) ?? null);
  return (
    <div class="buttons">
      {replaced !== null && (
        <Remedy state={replaced} label={`Search for ${value}`} onState={onState} />
      )}
      {condition.without !== null && (
        <Remedy
          state={condition.without}
          label={condition.kind === 'filter' ? 'Remove filter' : 'Remove condition'}
          onState={onState}
        />
      )}
    </div>
  );
}

function Remedy({
  state,
  label,
  onState,
}: {
  state: SearchState;
  label: string;
  onState: (state: SearchState) => void;
}) {
  const body = searchBody(state);
  const { value } = useLoad(JSON.stringify(body), (signal) => count(body, signal));
  if (value === 0) return null;
  return (
    <button type="button" class="button" onClick={() => onState(state)}>
      {label}
      {value !== undefined && <span class="quiet">{countedText(value, 'result')}</span>}
    </button>
  );
}
