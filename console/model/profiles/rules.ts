// The rules of an advanced search: the operators and values of each kind of attribute, and the
// conversions to and from the address and the API.
// Invariant: rules written to an address or a request body are read back unchanged.
import { valueKindOf } from './attributes.ts';

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

/** An operator, with its code in the API and its label. */
export interface Operator {
  readonly code: string;
  readonly label: string;
  /**
   * What its value is: `day` a date, `days` a number of days from today, `nothing`, or `value` for
   * anything else.
   */
  readonly takes: 'value' | 'day' | 'days' | 'nothing';
}

/** Operators of the console, and what they are in the API: an operator and a fixed value. */
const FIXED: Readonly<Record<string, readonly [operator: string, value: string]>> = {
  empty: ['==', ''],
  present: ['!=', ''],
  // A date has no operator for it: any date is after the first day that dates can name.
  dated: ['after', '0001-01-01'],
};

export const RULES_MAX = 100;

const IS: Operator = { code: '==', label: 'is', takes: 'value' };
const IS_NOT: Operator = { code: '!=', label: 'is not', takes: 'value' };
const INCLUDES: Operator = { code: 'include?', label: 'includes', takes: 'value' };
const EXCLUDES: Operator = { code: 'exclude?', label: 'does not include', takes: 'value' };
const MORE: Operator = { code: '>', label: 'is greater than', takes: 'value' };
const LESS: Operator = { code: '<', label: 'is less than', takes: 'value' };
const EMPTY: Operator = { code: 'empty', label: 'is empty', takes: 'nothing' };
const PRESENT: Operator = { code: 'present', label: 'has a value', takes: 'nothing' };
const TEXT: readonly Operator[] = [
  IS,
  IS_NOT,
  INCLUDES,
  EXCLUDES,
  { code: 'start_with?', label: 'starts with', takes: 'value' },
  { code: 'end_with?', label: 'ends with', takes: 'value' },
  MORE,
  LESS,
  EMPTY,
  PRESENT,
];
const DATE: readonly Operator[] = [
  { code: 'before', label: 'is before', takes: 'day' },
  { code: 'after', label: 'is after', takes: 'day' },
  { code: '<', label: 'is within', takes: 'days' },
  { code: '>', label: 'is further than', takes: 'days' },
  { code: '==', label: 'is exactly', takes: 'days' },
  EMPTY,
  { code: 'dated', label: 'has a value', takes: 'nothing' },
];

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
        case 'profile':
        case 'user':
          return [IS, IS_NOT, INCLUDES, EXCLUDES, EMPTY, PRESENT];
        case 'none':
          return [];
      }
  }
}

/** No value, or days from today or before it without their number. */
const BLANK = /^\s*(?: before| after)?$/;

/** The position of the first rule that lacks its value; null if all have one. */
export function incompleteRule(rules: readonly Rule[]): number | null {
  const at = rules.findIndex(
    ({ operator, value }) => !Object.hasOwn(FIXED, operator) && BLANK.test(value),
  );
  return at === -1 ? null : at;
}

/** The request body of a list of rules. */
export function rulesToBody(rules: readonly Rule[]): unknown {
  return { advanced_search: { condition_rules_attributes: rulesOfBody(rules) } };
}

/** Reads the rules of a saved search; null if one of them cannot be edited here. */
export function rulesFromApi(stored: unknown): Rule[] | null {
  if (!Array.isArray(stored)) return null;
  const rules = stored.map(ruleFromApi);
  return rules.some((rule) => rule === null) ? null : (rules as Rule[]);
}

/** Ids of the attributes of rules as the API has them, each once, but not of those without value. */
export function attributesOfRules(stored: readonly unknown[]): string[] {
  const ids = stored.flatMap((rule) => {
    const members = rule as Readonly<Record<string, unknown>>;
    const isMissing = members['comparison_operator'] === '==' && members['value'] === '';
    return isMissing ? [] : [members['condition_object_id'], members['secondary_attribute_id']];
  });
  return [...new Set(ids.filter((id): id is string => typeof id === 'string' && id !== ''))];
}

/** The type of profiles that rules as the API has them require; null if they allow several. */
export function typeOfRules(stored: readonly unknown[]): string | null {
  for (const rule of stored) {
    const members = rule as Readonly<Record<string, unknown>>;
    if (members['type'] === TYPES.type && members['comparison_operator'] === '==')
      return textOf(members['value']) || null;
  }
  return null;
}

/** Rules as the API has them. */
export function rulesOfBody(rules: readonly Rule[]): readonly unknown[] {
  return rules.map(ruleToBody);
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
      .map(([subject, attribute, operator, value]) =>
        inWords({ subject, attribute, operator, value }),
      );
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

function ruleToBody({ subject, attribute, operator: code, value: typed }: Rule) {
  const [operator, value] = Object.hasOwn(FIXED, code) ? (FIXED[code] ?? []) : [code, typed];
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
  return inWords({
    subject,
    attribute: textOf(members['condition_object_id']),
    operator: textOf(members['comparison_operator']).replace(/cludes\?$/, 'clude?'),
    value: textOf(members['value']),
  });
}

/** A rule about an attribute with a fixed value has the operator that says it in words. */
function inWords(rule: Rule): Rule {
  if (rule.subject !== 'attribute') return rule;
  const words = Object.entries(FIXED).find(
    ([, [operator, value]]) => operator === rule.operator && value === rule.value.trim(),
  );
  return words === undefined ? rule : { ...rule, operator: words[0], value: '' };
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
