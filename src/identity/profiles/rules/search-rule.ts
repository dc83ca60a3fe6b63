// A rule of an advanced search as it is sent, kept and shown (contract/profiles.md section 5.3):
// reading it from JSON and merging an edit into it. What it means is settled by rule-condition.ts.
// Invariant: a kept rule reads back as it was sent, but for ids in the place of uids and texts in
// that of numbers.
import { addError, type FieldErrors } from '../faults.ts';
import { wireName } from '../resources/wire-names.ts';

/** Members of a rule but `id` and `uid`. */
const MEMBERS = [
  'type',
  'comparisonOperator',
  'value',
  'objectType',
  'conditionObjectId',
  'conditionObjectType',
  'secondaryAttributeType',
  'secondaryAttributeId',
  'secondaryValue',
  'tertiaryValue',
] as const;

export type RuleMember = (typeof MEMBERS)[number];

/** What a rule says; all members hold text, and those not set are not there. */
export type Rule = { readonly [member in RuleMember]?: string };

/** A kept rule. */
export interface SavedRule extends Rule {
  readonly id: string;
  readonly uid: string;
}

/** A JSON object as it was sent. */
export type Sent = Readonly<Record<string, unknown>>;

/** The member that holds the rules, and begins the names of their faults. */
export const RULES = 'condition_rules_attributes';
/** Most rules one search can have. */
export const MAX_RULES = 100;
/**
 * UTF-16 units of one text of a rule: SQLite's longest pattern, 50,000 bytes, holds it with every
 * character escaped.
 */
export const MAX_RULE_TEXT = 4000;

/** Hears what is wrong with one rule. */
export type RuleFaults = (member: RuleMember, sentence: string) => void;

/** Faults go under the index the rule had where it was sent (contract/profiles.md section 5.6). */
export function faultsOfRule(errors: FieldErrors, index: number): RuleFaults {
  return (member, sentence) => addError(errors, `${RULES}[${index}].${wireName(member)}`, sentence);
}

/** The texts of a rule; a number is taken as its text, and what is null counts as not sent. */
export function readRule(sent: Sent, faults: RuleFaults): Rule {
  const rule: { [member in RuleMember]?: string } = {};
  for (const member of MEMBERS) {
    const value = sent[wireName(member)] ?? undefined;
    const text = typeof value === 'number' ? String(value) : value;
    if (text === undefined) continue;
    if (typeof text !== 'string') faults(member, 'must be a string');
    else if (text.length > MAX_RULE_TEXT)
      faults(member, `is too long (maximum is ${MAX_RULE_TEXT} characters)`);
    else rule[member] = text;
  }
  return rule;
}

/**
 * A kept rule with the members that were sent in the place of its own, to be read as if all had
 * been sent. Null takes a member away. Another attribute comes with its own class.
 */
export function mergeRule(kept: Rule, sent: Sent): Sent {
  const merged: Record<string, unknown> = {};
  for (const member of MEMBERS) {
    const name = wireName(member);
    const stays = member !== 'conditionObjectType' || sent['condition_object_id'] === undefined;
    merged[name] = sent[name] === undefined && stays ? kept[member] : sent[name];
  }
  return merged;
}
