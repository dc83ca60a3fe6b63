// The rules of an advanced search: the operators and values of each kind of attribute, and the
// conversions to and from the address and the API.
// Invariant: rules written to an address or a request body are read back unchanged.

/** What a rule compares. */
export type RuleSubject = 'status' | 'type' | 'risk' | 'attribute';

/** A rule of an advanced search. */
export interface Rule {
  readonly subject: RuleSubject;
  /** Id of the attribute; '' for the other subjects. */
  readonly attribute: string;
  readonly operator: string;
  readonly value: string;
}

/** The members of a profile attribute that rules need. */
export interface ProfileAttribute {
  readonly id: string;
  readonly uid: string;
  readonly label: string;
  /** Its class, such as `DateAttribute`. */
  readonly type: string;
}

/** An operator, with its code in the API and its label. */
export interface Operator {
  readonly code: string;
  readonly label: string;
  /** What its value is: `day` a date, `days` a number of days from today, `value` anything else. */
  readonly takes: 'value' | 'day' | 'days';
}

export const STATUSES = ['Active', 'Inactive', 'On Leave', 'Terminated'] as const;
export const RULES_MAX = 100;

const IS: Operator = { code: '==', label: 'is', takes: 'value' };
const IS_NOT: Operator = { code: '!=', label: 'is not', takes: 'value' };
const INCLUDES: Operator = { code: 'include?', label: 'includes', takes: 'value' };
const EXCLUDES: Operator = { code: 'exclude?', label: 'does not include', takes: 'value' };
const MORE: Operator = { code: '>', label: 'is greater than', takes: 'value' };
const LESS: Operator = { code: '<', label: 'is less than', takes: 'value' };
const TEXT: readonly Operator[] = [
  IS,
  IS_NOT,
  INCLUDES,
  EXCLUDES,
  { code: 'start_with?', label: 'starts with', takes: 'value' },
  { code: 'end_with?', label: 'ends with', takes: 'value' },
  MORE,
  LESS,
];
const DATE: readonly Operator[] = [
  { code: 'before', label: 'is before', takes: 'day' },
  { code: 'after', label: 'is after', takes: 'day' },
  { code: '<', label: 'is within', takes: 'days' },
  { code: '>', label: 'is further than', takes: 'days' },
  { code: '==', label: 'is exactly', takes: 'days' },
];

/** The kind of the values of an attribute class: text, day, option, or id of another record. */
export function valueKindOf(type: string): 'text' | 'date' | 'option' | 'record' | 'none' {
  if (/^(?:DropDown|RadioButtons|CheckBoxes|Tags)Attribute$/.test(type)) return 'option';
  if (/^(?:Profile|Owner|Contributor)(?:Select|Search)Attribute$/.test(type)) return 'record';
  if (type === 'DateAttribute') return 'date';
  return type === 'AttachmentAttribute' ? 'none' : 'text';
}

/** The operators of a subject. */
export function operatorsFor(subject: RuleSubject, type: string): readonly Operator[] {
  switch (subject) {
    case 'status':
    case 'type':
      return [IS, IS_NOT];
    case 'risk':
      return [IS, { ...MORE, label: 'is above' }, { ...LESS, label: 'is below' }];
    case 'attribute':
      switch (valueKindOf(type)) {
        case 'text':
          return TEXT;
        case 'date':
          return DATE;
        case 'option':
        case 'record':
          return [IS, IS_NOT, INCLUDES, EXCLUDES];
        case 'none':
          return [];
      }
  }
}

/** The request body of a list of rules. */
export function rulesToBody(rules: readonly Rule[]): unknown {
  return { advanced_search: { condition_rules_attributes: rules.map(ruleToBody) } };
}

/** Reads the rules of a saved search; null if one of them cannot be edited here. */
export function rulesFromApi(stored: unknown): Rule[] | null {
  if (!Array.isArray(stored)) return null;
  const rules = stored.map(ruleFromApi);
  return rules.some((rule) => rule === null) ? null : (rules as Rule[]);
}

/** Writes rules as a parameter of an address. */
export function rulesToAddress(rules: readonly Rule[]): string {
  return JSON.stringify(
    rules.map(({ subject, attribute, operator, value }) => [subject, attribute, operator, value]),
  );
}

/** Reads the rules of an address. Malformed rules are left out; none if the text is not a list. */
export function rulesFromAddress(text: string | null): Rule[] {
  if (text === null) return [];
  try {
    const rows: unknown = JSON.parse(text);
    if (!Array.isArray(rows)) return [];
    return rows
      .filter(isRow)
      .map(([subject, attribute, operator, value]) => ({ subject, attribute, operator, value }));
  } catch {
    // Not JSON, such as a truncated address.
    return [];
  }
}

const SUBJECTS: readonly RuleSubject[] = ['status', 'type', 'risk', 'attribute'];
const TYPES: Readonly<Record<RuleSubject, string>> = {
  status: 'ProfileStatusRule',
  type: 'ProfileTypeRule',
  risk: 'RiskRule',
  attribute: 'ProfileAttributeRule',
};

function ruleToBody({ subject, attribute, operator, value }: Rule) {
  const rule = { type: TYPES[subject], comparison_operator: operator, value };
  if (subject === 'risk') return { ...rule, secondary_value: 'OverallRisk' };
  if (subject !== 'attribute') return rule;
  return { ...rule, object_type: 'NeAttribute', condition_object_id: attribute };
}

function ruleFromApi(stored: unknown): Rule | null {
  const members = (typeof stored === 'object' && stored !== null ? stored : {}) as Record<
    string,
    unknown
  >;
  const subject = SUBJECTS.find((one) => TYPES[one] === members['type']);
  if (subject === undefined || members['secondary_attribute_id'] || members['tertiary_value'])
    return null;
  return {
    subject,
    attribute: textOf(members['condition_object_id']),
    operator: textOf(members['comparison_operator']).replace(/cludes\?$/, 'clude?'),
    value: textOf(members['value']),
  };
}

function textOf(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}

function isRow(row: unknown): row is [RuleSubject, string, string, string] {
  return (
    Array.isArray(row) &&
    row.length === 4 &&
    row.every((cell) => typeof cell === 'string') &&
    (SUBJECTS as readonly unknown[]).includes(row[0])
  );
}
