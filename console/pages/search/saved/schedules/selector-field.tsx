// A field for hours, days or months: a list of values, or a range of the first and the last one
// with a step.
import { useId } from 'preact/hooks';
import type { Selector } from '../../../../api/saved-searches-api.ts';
import { FieldFault } from '../../../../ui/form-field.tsx';
import type { Choice } from './schedule-values.ts';

export interface SelectorFieldProps {
  readonly label: string;
  /** The plural of what a step counts, such as `hours`. */
  readonly unit: string;
  /** null: dates. */
  readonly choices: readonly Choice[] | null;
  readonly selector: Selector;
  /** The forms that are offered. */
  readonly forms?: readonly Selector['type'][];
  readonly fault: string | undefined;
  readonly onSelector: (selector: Selector) => void;
}

const FORMS = ['LIST', 'RANGE'] as const;
const FORM_LABELS = { LIST: 'List', RANGE: 'Range' } as const;

export function SelectorField(props: SelectorFieldProps) {
  const { label, selector, forms = FORMS, fault, onSelector } = props;
  const name = useId();
  return (
    <fieldset class="selector">
      <legend>{label}</legend>
      {forms.length > 1 && (
        <div class="choice selector-forms">
          {forms.map((form) => (
            <label class="choice-option" key={form}>
              <input
                type="radio"
                name={name}
                checked={selector.type === form}
                onChange={() => onSelector(inForm(selector, form, props.choices))}
              />
              <span>{FORM_LABELS[form]}</span>
            </label>
          ))}
        </div>
      )}
      {selector.type === 'RANGE' ? (
        <Range {...props} />
      ) : props.choices === null ? (
        <Dates {...props} />
      ) : (
        <Values {...props} choices={props.choices} />
      )}
      <FieldFault fault={fault} />
    </fieldset>
  );
}

function Values({
  choices,
  selector,
  onSelector,
}: SelectorFieldProps & { choices: readonly Choice[] }) {
  const toggle = (value: string) => {
    const isChosen = selector.values.includes(value);
    const values = choices
      .map((choice) => choice.value)
      .filter((one) => (one === value ? !isChosen : selector.values.includes(one)));
    onSelector({ ...selector, values });
  };
  return (
    <div class="selector-values">
      {choices.map(({ value, label, short }) => (
        <label class="selector-value" key={value} title={label}>
          <input
            type="checkbox"
            aria-label={label}
            checked={selector.values.includes(value)}
            onChange={() => toggle(value)}
          />
          <span aria-hidden="true">{short}</span>
        </label>
      ))}
    </div>
  );
}

function Range({ label, unit, choices, selector, onSelector }: SelectorFieldProps) {
  const [from = '', to = ''] = selector.values;
  return (
    <div class="selector-range">
      <Bound
        name="From"
        label={`${label} from`}
        choices={choices}
        value={from}
        onValue={(value) => onSelector({ ...selector, values: [value, to] })}
      />
      <Bound
        name="To"
        label={`${label} to`}
        choices={choices}
        value={to}
        onValue={(value) => onSelector({ ...selector, values: [from, value] })}
      />
      <label class="selector-bound">
        <span>Every</span>
        <input
          type="number"
          min={1}
          max={400}
          required
          aria-label={`${label} step`}
          value={selector.interval ?? 1}
          onInput={({ currentTarget: { valueAsNumber } }) =>
            onSelector({ ...selector, interval: valueAsNumber === 1 ? null : valueAsNumber })
          }
        />
        <span>{unit}</span>
      </label>
    </div>
  );
}

interface BoundProps {
  readonly name: string;
  readonly label: string;
  readonly choices: readonly Choice[] | null;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

function Bound({ name, label, choices, value, onValue }: BoundProps) {
  return (
    <span class="selector-bound">
      <span aria-hidden="true">{name}</span>
      {choices === null ? (
        <input
          type="date"
          required
          aria-label={label}
          value={value}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      ) : (
        <select
          aria-label={label}
          value={value}
          onChange={({ currentTarget }) => onValue(currentTarget.value)}
        >
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </span>
  );
}

function Dates({ label, selector, onSelector }: SelectorFieldProps) {
  const { values } = selector;
  const change = (next: readonly string[]) => onSelector({ ...selector, values: next });
  return (
    <div class="selector-dates">
      {values.map((value, at) => (
        <span class="selector-date" key={at}>
          <input
            type="date"
            required
            aria-label={`${label} ${at + 1}`}
            value={value}
            onInput={({ currentTarget }) =>
              change(values.map((one, other) => (other === at ? currentTarget.value : one)))
            }
          />
          {values.length > 1 && (
            <button
              type="button"
              class="link-button"
              aria-label={`Remove ${label.toLowerCase()} ${at + 1}`}
              onClick={() => change(values.filter((_, other) => other !== at))}
            >
              Remove
            </button>
          )}
        </span>
      ))}
      <button
        type="button"
        class="link-button"
        onClick={() => change([...values, values.at(-1) ?? ''])}
      >
        Add a date
      </button>
    </div>
  );
}

/** The selector in another form, with the values that it can keep. */
function inForm(
  { values }: Selector,
  type: Selector['type'],
  choices: readonly Choice[] | null,
): Selector {
  const [first = choices?.[0]?.value ?? ''] = values;
  const last = values.at(-1) ?? first;
  if (type === 'LIST') return { type, values: [first], interval: null };
  const end = last === first ? (choices?.at(-1)?.value ?? first) : last;
  return { type, values: [first, end], interval: null };
}
