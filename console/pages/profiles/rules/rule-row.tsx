// The form fields of one rule: subject, operator and value, with the choices that fit.

import {
  type ProfileAttribute,
  type ProfileType,
  valueKindOf,
} from '../../../model/profiles/attributes.ts';
import { type Operator, operatorsFor, type Rule } from '../../../model/profiles/rules.ts';
import { Icon } from '../../../ui/icon.tsx';
import { RuleValue } from './rule-value.tsx';

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
