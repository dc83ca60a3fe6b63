// The filters of the page Audit. A text takes effect on Enter or when it loses the focus.
import { useId } from 'preact/hooks';
import { QUICK_RANGES, quickRangeOf, spanLabel } from '../../model/quick-ranges.ts';
import { useTypedDay } from '../../ui/typing/use-typed-day.ts';
import { useTypedText } from '../../ui/typing/use-typed-text.ts';
import { type AuditState, KINDS, offeredActions } from './audit-search.ts';
import { actionText } from './event-changes.ts';

export interface AuditFiltersProps {
  readonly state: AuditState;
  /** Frequent names of actors. */
  readonly actors: readonly string[];
  readonly actions: readonly string[];
  readonly onChange: (members: Partial<AuditState>) => void;
}

const LABELS = { changes: 'Changes', 'sign-ins': 'Sign-ins', all: 'All' } as const;
const DAY_MS = 86_400_000;

export function AuditFilters({ state, actors, actions, onChange }: AuditFiltersProps) {
  return (
    <section class="audit-filters" aria-label="Filters">
      <div class="audit-kinds">
        <fieldset class="choice">
          <legend class="unseen">Events</legend>
          {KINDS.map((kind) => (
            <label class="choice-option" key={kind}>
              <input
                type="radio"
                name="kind"
                checked={state.kind === kind}
                onChange={() => onChange({ kind, action: '' })}
              />
              <span>{LABELS[kind]}</span>
            </label>
          ))}
        </fieldset>
        <label class="audit-check">
          <input
            type="checkbox"
            checked={state.failed}
            onChange={({ currentTarget }) => onChange({ failed: currentTarget.checked })}
          />{' '}
          Failed only
        </label>
      </div>
      <TextFilter
        label="Actor"
        value={state.actor}
        suggestions={actors}
        onChange={(actor) => onChange({ actor })}
      />
      <label class="field">
        <span>Action</span>
        <select
          value={state.action}
          onChange={({ currentTarget }) =>
            onChange({
              action: currentTarget.value,
              ...(state.kind === 'all' ? {} : { kind: 'all' }),
            })
          }
        >
          <option value="">Any</option>
          {[...new Set([...offeredActions(actions), state.action])]
            .filter(Boolean)
            .map((action) => (
              <option value={action} key={action}>
                {actionText(action)}
              </option>
            ))}
        </select>
      </label>
      <TextFilter
        label="Target or ID"
        value={state.target}
        suggestions={[]}
        onChange={(target) => onChange({ target })}
      />
      <Times span={state.span} onChange={(span) => onChange({ span })} />
    </section>
  );
}

function TextFilter({
  label,
  value,
  suggestions,
  onChange,
}: {
  label: string;
  value: string;
  suggestions: readonly string[];
  onChange: (value: string) => void;
}) {
  const list = useId();
  const [typed, setTyped] = useTypedText(value);
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="search"
        value={typed}
        list={list}
        autoComplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
      />
      <datalist id={list}>
        {suggestions.map((suggestion) => (
          <option value={suggestion} key={suggestion} />
        ))}
      </datalist>
    </label>
  );
}

function Times({
  span,
  onChange,
}: {
  span: AuditState['span'];
  onChange: (span: AuditState['span']) => void;
}) {
  const quick = span === null ? undefined : quickRangeOf(span);
  const day = (moment: string | undefined) =>
    moment === undefined || moment.startsWith('now') ? '' : moment.slice(0, 10);
  // The last day is included: its end is the start of the next one.
  const last = span === null || day(span.to) === '' ? '' : shifted(day(span.to), -1);
  const choose = (from: string, to: string) => {
    if (from === '' && to === '') onChange(null);
    else onChange({ from: from || '1970-01-01', to: to === '' ? 'now' : shifted(to, 1) });
  };
  const first = quick === undefined ? day(span?.from) : '';
  const fromField = useTypedDay(first, (from) => choose(from, last));
  const toField = useTypedDay(last, (to) => choose(first, to));
  return (
    <>
      <label class="field">
        <span>Time</span>
        <select
          value={quick?.label ?? (span === null ? '' : 'dates')}
          onChange={({ currentTarget }) => {
            const range = QUICK_RANGES.find(({ label }) => label === currentTarget.value);
            onChange(range?.span ?? null);
          }}
        >
          <option value="">Any</option>
          {QUICK_RANGES.map(({ label }) => (
            <option value={label} key={label}>
              {label}
            </option>
          ))}
          {span !== null && quick === undefined && <option value="dates">{spanLabel(span)}</option>}
        </select>
      </label>
      <label class="field">
        <span>From</span>
        <input type="date" {...fromField} />
      </label>
      <label class="field">
        <span>To</span>
        <input type="date" {...toField} />
      </label>
    </>
  );
}

/** A date some days later. */
function shifted(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}
