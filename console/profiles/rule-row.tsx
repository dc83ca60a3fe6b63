// The form fields of one rule: subject, operator and value, with the choices that fit.
import {
  attributeOptions,
  type Choice,
  type ProfileType,
  riskLevels,
} from '../api/profiles-api.ts';
import { Icon } from '../ui/icon.tsx';
import { useLoad } from '../ui/use-load.ts';
import {
  type Operator,
  operatorsFor,
  type ProfileAttribute,
  type Rule,
  STATUSES,
  valueKindOf,
} from './rules.ts';

export interface RuleRowProps {
  readonly at: number;
  readonly rule: Rule;
  readonly types: readonly ProfileType[];
  readonly attributes: readonly ProfileAttribute[];
  readonly onChange: (rule: Rule) => void;
  readonly onRemove: () => void;
}

export function RuleRow({ at, rule, types, attributes, onChange, onRemove }: RuleRowProps) {
  const attribute = attributes.find(
    ({ id, uid }) => id === rule.attribute || uid === rule.attribute,
  );
  const operators = operatorsFor(rule.subject, attribute?.type ?? '');
  const operator = operators.find(({ code }) => code === rule.operator) ?? operators[0];
  const setSubject = (chosen: string) => onChange(defaultRule(chosen, attributes));
  return (
    <fieldset class="rule">
      <legend class="unseen">Rule {at + 1}</legend>
      <select
        aria-label="Field"
        value={rule.subject === 'attribute' ? (attribute?.id ?? '') : rule.subject}
        onChange={({ currentTarget }) => setSubject(currentTarget.value)}
      >
        <option value="status">Status</option>
        <option value="type">Type</option>
        <option value="risk">Overall risk</option>
        {rule.subject === 'attribute' && attribute === undefined && (
          <option value="">(deleted attribute)</option>
        )}
        <optgroup label="Attributes">
          {attributes
            .filter(({ type }) => valueKindOf(type) !== 'none')
            .map(({ id, label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
        </optgroup>
      </select>
      <select
        aria-label="Operator"
        value={operator?.code}
        onChange={({ currentTarget }) =>
          onChange(withOperator(rule, operators, currentTarget.value))
        }
      >
        {operators.map(({ code, label }) => (
          <option key={code} value={code}>
            {label}
          </option>
        ))}
      </select>
      <RuleValue
        rule={rule}
        operator={operator}
        attribute={attribute}
        types={types}
        onValue={(value) => onChange({ ...rule, value })}
      />
      <button
        type="button"
        class="button-icon"
        aria-label={`Remove rule ${at + 1}`}
        onClick={onRemove}
      >
        <Icon name="close" size={16} />
      </button>
    </fieldset>
  );
}

interface RuleValueProps {
  readonly rule: Rule;
  readonly operator: Operator | undefined;
  readonly attribute: ProfileAttribute | undefined;
  readonly types: readonly ProfileType[];
  readonly onValue: (value: string) => void;
}

function RuleValue({ rule, operator, attribute, types, onValue }: RuleValueProps) {
  const isOption = attribute !== undefined && valueKindOf(attribute.type) === 'option';
  const options = useLoad(isOption ? attribute.id : null, (signal) =>
    attributeOptions(attribute?.id ?? '', signal),
  );
  const levels = useLoad(rule.subject === 'risk' ? 'levels' : null, riskLevels);
  if (operator?.takes === 'days') return <DaysValue value={rule.value} onValue={onValue} />;
  switch (rule.subject) {
    case 'status':
      return (
        <Choices
          value={rule.value}
          choices={STATUSES.map((one) => ({ value: one, label: one }))}
          onValue={onValue}
        />
      );
    case 'type': {
      const selected = types.find(({ id, uid }) => id === rule.value || uid === rule.value);
      const choices = types.map(({ id, name }) => ({ value: id, label: name }));
      return <Choices value={selected?.id ?? rule.value} choices={choices} onValue={onValue} />;
    }
    case 'risk':
      return <Choices value={rule.value} choices={levels.value ?? []} onValue={onValue} />;
    case 'attribute':
      if (isOption)
        return <OptionValue value={rule.value} options={options.value ?? []} onValue={onValue} />;
      return (
        <input
          aria-label="Value"
          value={rule.value}
          placeholder={placeholderOf(attribute?.type ?? '', rule.operator)}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      );
  }
}

/** A saved rule may have the label of an option instead of its id. */
function OptionValue({
  value,
  options,
  onValue,
}: {
  value: string;
  options: readonly Choice[];
  onValue: (value: string) => void;
}) {
  const option = options.find(({ label }) => label.toLowerCase() === value.toLowerCase());
  return <Choices value={option?.value ?? value} choices={options} onValue={onValue} />;
}

function Choices({
  value,
  choices,
  onValue,
}: {
  value: string;
  choices: readonly Choice[];
  onValue: (value: string) => void;
}) {
  const isListed = choices.some((choice) => choice.value === value);
  return (
    <select
      aria-label="Value"
      value={value}
      onChange={({ currentTarget }) => onValue(currentTarget.value)}
    >
      {!isListed && <option value={value}>{value === '' ? '(no value)' : value}</option>}
      {isListed && value !== '' && !choices.some((choice) => choice.value === '') && (
        <option value="">(no value)</option>
      )}
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>
  );
}

/** `30 after`: 30 days from today; `30 before`: 30 days before today. */
function DaysValue({ value, onValue }: { value: string; onValue: (value: string) => void }) {
  const [, days = '30', side = 'after'] = /^(\d+) (before|after)$/.exec(value) ?? [];
  return (
    <span class="days">
      <input
        type="number"
        min={0}
        aria-label="Days"
        value={days}
        onInput={({ currentTarget }) => onValue(`${currentTarget.value} ${side}`)}
      />
      <select
        aria-label="Direction"
        value={side}
        onChange={({ currentTarget }) => onValue(`${days} ${currentTarget.value}`)}
      >
        <option value="after">days from today</option>
        <option value="before">days before today</option>
      </select>
    </span>
  );
}

function defaultRule(chosen: string, attributes: readonly ProfileAttribute[]): Rule {
  switch (chosen) {
    case 'status':
      return { subject: 'status', attribute: '', operator: '==', value: 'Active' };
    case 'type':
    case 'risk':
      return { subject: chosen, attribute: '', operator: '==', value: '' };
    default: {
      const type = attributes.find(({ id }) => id === chosen)?.type ?? '';
      const [operator] = operatorsFor('attribute', type);
      const rule: Rule = {
        subject: 'attribute',
        attribute: chosen,
        operator: operator?.code ?? '==',
        value: '',
      };
      return operator?.takes === 'day' ? { ...rule, value: 'Today' } : rule;
    }
  }
}

/** Changes the operator of a rule; resets a value of a kind that the new one does not take. */
function withOperator(rule: Rule, operators: readonly Operator[], code: string): Rule {
  const takes = (name: string) => operators.find((operator) => operator.code === name)?.takes;
  if (takes(code) === takes(rule.operator)) return { ...rule, operator: code };
  const value = takes(code) === 'days' ? '30 after' : takes(code) === 'day' ? 'Today' : '';
  return { ...rule, operator: code, value };
}

/** An empty value is a condition, too: of having none, or one. */
function placeholderOf(type: string, operator: string): string {
  switch (valueKindOf(type)) {
    case 'date':
      return 'Today or yyyy-mm-dd';
    case 'record':
      return 'ID or UID';
    case 'text':
    case 'option':
    case 'none':
      if (operator === '==') return 'Value, or empty for none';
      return operator === '!=' ? 'Value, or empty for any' : 'Value';
  }
}
