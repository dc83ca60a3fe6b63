// The rules of an advanced search as somebody builds them: what each kind of attribute can be asked, what its value
// is chosen from, and the form the service takes.
// Invariant: a list of rules survives the address.

/** What a rule is about. */
export type RuleSubject = 'status' | 'type' | 'risk' | 'attribute';

/** A rule. */
export interface Rule {
  readonly subject: RuleSubject;
  /** Id of the attribute; '' for other subjects. */
  readonly attribute: string;
  readonly operator: string;
  readonly value: string;
}

/** An attribute of profiles, as far as rules need it. */
export interface ProfileAttribute {
  readonly id: string;
  readonly uid: string;
  readonly label: string;
  /** Its class, such as `DateAttribute`. */
  readonly type: string;
}

/** An operator, as it is sent and as it is said. */
export interface Operator {
  readonly sent: string;
  readonly said: string;
  /** What the value is. */
  readonly takes: 'value' | 'day' | 'days';
}

export const STATUSES = ['Active', 'Inactive', 'On Leave', 'Terminated'] as const;
export const RULES_MAX = 100;

const IS: Operator = { sent: '==', said: 'is', takes: 'value' };
const IS_NOT: Operator = { sent: '!=', said: 'is not', takes: 'value' };
const INCLUDES: Operator = { sent: 'include?', said: 'includes', takes: 'value' };
const EXCLUDES: Operator = { sent: 'exclude?', said: 'does not include', takes: 'value' };
const MORE: Operator = { sent: '>', said: 'is greater than', takes: 'value' };
const LESS: Operator = { sent: '<', said: 'is less than', takes: 'value' };
const TEXT: readonly Operator[] = [
  IS,
  IS_NOT,
  INCLUDES,
  EXCLUDES,
  { sent: 'start_with?', said: 'begins with', takes: 'value' },
  { sent: 'end_with?', said: 'ends with', takes: 'value' },
  MORE,
  LESS,
];
const DATE: readonly Operator[] = [
  { sent: 'before', said: 'is before', takes: 'day' },
  { sent: 'after', said: 'is after', takes: 'day' },
  { sent: '<', said: 'is within', takes: 'days' },
  { sent: '>', said: 'is further than', takes: 'days' },
  { sent: '==', said: 'is exactly', takes: 'days' },
];

/** What values of a class are: a text, a day, an option, or the id of another record. */
export function valueKindOf(type: string): 'text' | 'date' | 'option' | 'record' | 'none' {
  if (/^(?:DropDown|RadioButtons|CheckBoxes|Tags)Attribute$/.test(type)) return 'option';
  if (/^(?:Profile|Owner|Contributor)(?:Select|Search)Attribute$/.test(type)) return 'record';
  if (type === 'DateAttribute') return 'date';
  return type === 'AttachmentAttribute' ? 'none' : 'text';
}

/** What a subject can be asked. */
export function operatorsFor(subject: RuleSubject, type: string): readonly Operator[] {
  switch (subject) {
    case 'status':
    case 'type':
      return [IS, IS_NOT];
    case 'risk':
      return [IS, { ...MORE, said: 'is above' }, { ...LESS, said: 'is below' }];
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

/** Rules as the service takes them. */
export function rulesBody(rules: readonly Rule[]): unknown {
  return { advanced_search: { condition_rules_attributes: rules.map(sent) } };
}

/** Rules as the service keeps them, as far as they can be built here; null: one of them cannot. */
export function rulesOf(kept: unknown): Rule[] | null {
  if (!Array.isArray(kept)) return null;
  const rules = kept.map(built);
  return rules.some((rule) => rule === null) ? null : (rules as Rule[]);
}

/** Rules in an address. */
export function printRules(rules: readonly Rule[]): string {
  return JSON.stringify(
    rules.map(({ subject, attribute, operator, value }) => [subject, attribute, operator, value]),
  );
}

/** The rules an address holds; none where it is broken. */
export function readRules(text: string | null): Rule[] {
  if (text === null) return [];
  try {
    const rows: unknown = JSON.parse(text);
    if (!Array.isArray(rows)) return [];
    return rows
      .filter(isRow)
      .map(([subject, attribute, operator, value]) => ({ subject, attribute, operator, value }));
  } catch {
    // An address somebody cut.
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

function sent({ subject, attribute, operator, value }: Rule) {
  const rule = { type: TYPES[subject], comparison_operator: operator, value };
  if (subject === 'risk') return { ...rule, secondary_value: 'OverallRisk' };
  if (subject !== 'attribute') return rule;
  return { ...rule, object_type: 'NeAttribute', condition_object_id: attribute };
}

function built(kept: unknown): Rule | null {
  const members = (typeof kept === 'object' && kept !== null ? kept : {}) as Record<
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
