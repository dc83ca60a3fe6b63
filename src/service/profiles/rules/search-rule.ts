// A rule of an advanced search as it is sent, stored and shown (contract/profiles.md section 5.3):
// reads it from JSON and merges edits. rule-condition.ts resolves it.
// Invariant: a stored rule reads as it was sent, except that uids become ids and numbers become
// texts.
import { RULE_MEMBERS, type Rule, type RuleMember } from '../../ports/advanced-search-records.ts';
import { addError, type FieldErrors } from '../resources/faults.ts';
import { wireName } from '../resources/wire-names.ts';

/** A JSON object as it was sent. */
export type Sent = Readonly<Record<string, unknown>>;

/** The member that holds the rules; prefix of the names of their errors. */
export const RULES = 'condition_rules_attributes';
/** Most rules one search can have. */
export const MAX_RULES = 100;
/**
 * UTF-16 units of one text of a rule; fits SQLite's longest pattern, 50,000 bytes, when escaped.
 */
const MAX_RULE_TEXT = 4000;

/**
 * The id of a rule of a search whose rules are given without ids: that of the search, with the place
 * of the rule in the last two digits, from 10 (hexadecimal) on.
 * @param searchId UUID
 * @param place from 0 to MAX_RULES - 1
 */
export function ruleIdOf(searchId: string, place: number): string {
  return `${searchId.slice(0, -2)}${(place + 0x10).toString(16)}`;
}

/** Receives the errors of one rule. */
export type RuleFaults = (member: RuleMember, sentence: string) => void;

/** Adds errors under the index of the rule in the request (contract/profiles.md section 5.6). */
export function faultsOfRule(errors: FieldErrors, index: number): RuleFaults {
  return (member, sentence) => addError(errors, `${RULES}[${index}].${wireName(member)}`, sentence);
}

/** Reads the texts of a rule; a number becomes text, and null counts as not sent. */
export function readRule(sent: Sent, faults: RuleFaults): Rule {
  const rule: { [member in RuleMember]?: string } = {};
  for (const member of RULE_MEMBERS) {
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
 * Replaces the members of a stored rule by the sent ones; the result is read like a new rule. Null
 * removes a member. A new attribute resets the class.
 */
export function mergeRule(saved: Rule, sent: Sent): Sent {
  const merged: Record<string, unknown> = {};
  for (const member of RULE_MEMBERS) {
    const name = wireName(member);
    const keepsOld = member !== 'conditionObjectType' || sent['condition_object_id'] === undefined;
    merged[name] = sent[name] === undefined && keepsOld ? saved[member] : sent[name];
  }
  return merged;
}
