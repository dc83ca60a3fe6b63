// The form field of the value of a rule, with the choices that fit: options, types, levels, a date,
// a number of days, a user or a profile.
import { useState } from 'preact/hooks';
import { attributeOptions, readChoice, riskLevels } from '../../../api/profiles-api.ts';
import {
  type Choice,
  type ProfileAttribute,
  type ProfileType,
  STATUSES,
  valueKindOf,
} from '../../../model/profiles/attributes.ts';
import { isDay, isoOfDate } from '../../../model/profiles/dates.ts';
import type { Operator, Rule } from '../../../model/profiles/rules.ts';
import { useLoad } from '../../../ui/use-load.ts';
import { ReferencePicker } from '../editing/reference-picker.tsx';

export interface RuleValueProps {
  readonly rule: Rule;
  readonly operator: Operator | undefined;
  readonly attribute: ProfileAttribute | undefined;
  readonly types: readonly ProfileType[];
  readonly onValue: (value: string) => void;
}

/** The form field of the value of a rule; none if its operator takes nothing. */
export function RuleValue({ rule, operator, attribute, types, onValue }: RuleValueProps) {
  const isOption = attribute !== undefined && valueKindOf(attribute.type) === 'option';
  const options = useLoad(isOption ? attribute.id : null, (signal) =>
    attributeOptions(attribute?.id ?? '', signal),
  );
  const levels = useLoad(rule.subject === 'risk' ? 'levels' : null, riskLevels);
  if (operator?.takes === 'nothing') return null;
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
        return (
          <OptionValue
            value={rule.value}
            options={options.key === attribute.id ? (options.value ?? []) : []}
            onValue={onValue}
          />
        );
      if (attribute !== undefined && operator?.takes === 'day')
        return <DayValue attribute={attribute} value={rule.value} onValue={onValue} />;
      return <TextOrRecordValue attribute={attribute} value={rule.value} onValue={onValue} />;
  }
}

interface ValueProps {
  readonly attribute: ProfileAttribute | undefined;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

function TextOrRecordValue({ attribute, value, onValue }: ValueProps) {
  const kind = valueKindOf(attribute?.type ?? '');
  if (kind === 'user' || kind === 'profile')
    return (
      <RecordValue
        kind={kind}
        typeId={kind === 'profile' ? (attribute?.profile_type_id ?? null) : null}
        value={value}
        onValue={onValue}
      />
    );
  return (
    <input
      aria-label="Value"
      value={value}
      placeholder="Value"
      required
      onInput={({ currentTarget }) => onValue(currentTarget.value)}
    />
  );
}

/** A user or a profile; the rule has its id, the page its name. */
function RecordValue({
  kind,
  typeId,
  value,
  onValue,
}: {
  kind: 'user' | 'profile';
  typeId: string | null;
  value: string;
  onValue: (value: string) => void;
}) {
  const [picked, setPicked] = useState<Choice | null>(null);
  const isKnown = picked?.value === value;
  const stored = useLoad(value === '' || isKnown ? null : value, (signal) =>
    readChoice(kind, value, signal),
  );
  const unknown = value === '' ? null : { value, label: value };
  const chosen = isKnown ? picked : (stored.value ?? unknown);
  return (
    <ReferencePicker
      label="Value"
      kind={kind}
      typeId={typeId}
      takesSeveral={false}
      chosen={chosen === null || value === '' ? [] : [chosen]}
      onChosen={([choice]) => {
        setPicked(choice ?? null);
        onValue(choice?.value ?? '');
      }}
    />
  );
}

/** Today, or a day; a saved rule may also compare with another attribute. */
function DayValue({
  attribute,
  value,
  onValue,
}: {
  attribute: ProfileAttribute;
  value: string;
  onValue: (value: string) => void;
}) {
  const isToday = value.trim().toLowerCase() === 'today';
  const iso = isDay(value) ? value : isoOfDate(value, attribute.date_format);
  const isOther = !isToday && iso === null && value !== '';
  return (
    <span class="days">
      <select
        aria-label="Day"
        value={isToday ? 'today' : isOther ? 'other' : 'date'}
        onChange={({ currentTarget }) => onValue(currentTarget.value === 'today' ? 'Today' : '')}
      >
        <option value="today">today</option>
        <option value="date">the date</option>
        {isOther && <option value="other">{value}</option>}
      </select>
      {!isToday && !isOther && (
        <input
          type="date"
          aria-label="Value"
          required
          value={iso ?? ''}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      )}
    </span>
  );
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
      required
      onChange={({ currentTarget }) => onValue(currentTarget.value)}
    >
      {!isListed && <option value={value}>{value === '' ? 'Select…' : value}</option>}
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>
  );
}

/**
 * `30 after`: 30 days from today; `30 before`: 30 days before today. While the number is typed it may be
 * empty.
 */
function DaysValue({ value, onValue }: { value: string; onValue: (value: string) => void }) {
  const [, days = '30', side = 'after'] = /^(.*) (before|after)$/.exec(value) ?? [];
  return (
    <span class="days">
      <input
        type="number"
        min={0}
        required
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
