// A profile while it is edited: the values of its fields, what has changed, and the body to send.
// Invariant: a field that was not changed is never sent, so a change of somebody else stays.
import {
  type Choice,
  isValidated,
  type ProfileAttribute,
  takesSeveral,
  valueKindOf,
} from './attributes.ts';
import { dateInFormat, isDay, isoOfDate } from './dates.ts';

/** A record that a value refers to, as the service has it. */
export interface Reference {
  readonly type: 'option' | 'profile' | 'user';
  readonly id: string;
  readonly text: string;
}

/** The members of a profile that a draft starts from. */
export interface StoredProfile {
  readonly name: string;
  readonly status: string;
  readonly updated_at: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly references?: Readonly<Record<string, readonly Reference[]>>;
}

/** The value of a field: a text, a date as `yyyy-mm-dd`, or what was selected. */
export type FieldValue = string | readonly Choice[];

/** The fields of the form: `name` and `status`, and the attributes by uid. */
export interface ProfileDraft {
  /** '' for a new profile: composed of the naming attributes. */
  readonly name: string;
  readonly status: string;
  readonly values: Readonly<Record<string, FieldValue>>;
}

/** A changed field, for the confirmation. */
export interface FieldChange {
  /** The uid of an attribute, or `name` or `status`. */
  readonly key: string;
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

/** Sentences about fields, by uid of the attribute or member of the profile. */
export type FieldFaults = Readonly<Record<string, readonly string[]>>;

/** The draft of a stored profile, or an empty one. */
export function draftOf(
  profile: StoredProfile | null,
  attributes: readonly ProfileAttribute[],
): ProfileDraft {
  const values = attributes.map((attribute) => [attribute.uid, storedValue(profile, attribute)]);
  const { name = '', status = 'Active' } = profile ?? {};
  return { name, status, values: Object.fromEntries(values) };
}

function storedValue(
  profile: StoredProfile | null,
  { uid, type, date_format }: ProfileAttribute,
): FieldValue {
  const text = profile?.attributes?.[uid] ?? '';
  switch (valueKindOf(type)) {
    case 'option':
    case 'profile':
    case 'user':
      return (profile?.references?.[uid] ?? []).map(({ id, text: label }) => ({
        value: id,
        label,
      }));
    case 'date':
      return isoOfDate(text, date_format) ?? '';
    case 'text':
    case 'none':
      return text;
  }
}

/** A value in one line. */
export function valueText(value: FieldValue | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : value.map(({ label }) => label).join(', ');
}

/** The fields that differ, in the order of the attributes. */
export function fieldChanges(
  before: ProfileDraft,
  after: ProfileDraft,
  attributes: readonly ProfileAttribute[],
): FieldChange[] {
  const fields = [
    { key: 'name', label: 'Profile name', from: before.name, to: after.name },
    { key: 'status', label: 'Status', from: before.status, to: after.status },
    ...attributes.map(({ uid, label }) => {
      return { key: `attributes.${uid}`, label, from: before.values[uid], to: after.values[uid] };
    }),
  ];
  return fields
    .filter(({ from, to }) => keyOf(from) !== keyOf(to))
    .map(({ key, label, from, to }) => {
      return { key, label, before: valueText(from), after: valueText(to) };
    });
}

/** The members of the request that makes these changes. */
export function changesBody(
  before: ProfileDraft,
  after: ProfileDraft,
  attributes: readonly ProfileAttribute[],
): Readonly<Record<string, unknown>> {
  const keys = new Set(fieldChanges(before, after, attributes).map(({ key }) => key));
  const sent = attributes
    .filter(({ uid }) => keys.has(`attributes.${uid}`))
    .map((attribute) => [attribute.uid, sentValue(attribute, after.values[attribute.uid] ?? '')]);
  return {
    ...(keys.has('name') ? { name: after.name } : {}),
    ...(keys.has('status') ? { status: after.status } : {}),
    ...(sent.length > 0 ? { attributes: Object.fromEntries(sent) } : {}),
  };
}

/** The faults that the form finds itself; the service checks everything again. */
export function draftFaults(
  draft: ProfileDraft,
  attributes: readonly ProfileAttribute[],
  isRequired: (attribute: ProfileAttribute) => boolean,
): FieldFaults {
  const faults = attributes.flatMap((attribute) => {
    const fault = faultOf(attribute, draft.values[attribute.uid] ?? '', isRequired(attribute));
    return fault === null ? [] : [[attribute.uid, [fault]] as const];
  });
  return Object.fromEntries(faults);
}

/** Changed fields that somebody else has changed, too, since the draft was begun. */
export function conflicts(
  base: ProfileDraft,
  current: ProfileDraft,
  draft: ProfileDraft,
  attributes: readonly ProfileAttribute[],
): FieldChange[] {
  const own = new Set(fieldChanges(base, draft, attributes).map(({ key }) => key));
  return fieldChanges(base, current, attributes).filter(({ key }) => own.has(key));
}

const EMAIL = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;

function faultOf(
  attribute: ProfileAttribute,
  value: FieldValue,
  isRequired: boolean,
): string | null {
  const text = valueText(value).trim();
  if (text === '') return isRequired ? 'Enter a value' : null;
  if (typeof value !== 'string')
    return value.length > 1 && !takesSeveral(attribute) ? 'Select only one' : null;
  if (valueKindOf(attribute.type) === 'date') return isDay(text) ? null : 'Enter a date';
  if (isValidated(attribute, 'email_format') && !EMAIL.test(text)) return 'Enter an email address';
  if (isValidated(attribute, 'numericality') && !NUMBER.test(text)) return 'Enter a number';
  return null;
}

/** A value as the service takes it: labels of options, ids of records, dates in their format. */
function sentValue(attribute: ProfileAttribute, value: FieldValue): unknown {
  if (valueText(value).trim() === '') return '';
  if (typeof value !== 'string') {
    const isOption = valueKindOf(attribute.type) === 'option';
    return value.map((choice) => (isOption ? choice.label : choice.value));
  }
  const isDate = valueKindOf(attribute.type) === 'date';
  return isDate ? dateInFormat(value, attribute.date_format) : value;
}

/** Equal for equal values, whatever the order of what is selected. */
function keyOf(value: FieldValue | undefined): string {
  if (value === undefined || typeof value === 'string') return value?.trim() ?? '';
  return value
    .map((choice) => choice.value)
    .sort()
    .join(' ');
}
