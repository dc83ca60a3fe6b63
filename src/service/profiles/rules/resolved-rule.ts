// The context and the result of resolving a rule, and the parts that all kinds of rules share.

import type { Rule } from '../../ports/advanced-search-records.ts';
import type { Condition } from '../../ports/profile-search.ts';
import type { RuleSubjects } from './rule-subjects.ts';
import type { RuleFaults } from './search-rule.ts';

/** A rule with the condition it means. */
export interface ResolvedRule {
  /** The rule with ids in place of uids, and the class of its attribute. */
  readonly rule: Rule;
  /** null matches every profile. */
  readonly condition: Condition | null;
}

/** What rules are resolved against. */
export interface RuleContext {
  readonly subjects: RuleSubjects;
  /** Days since 1970-01-01 of the current day. */
  readonly today: number;
}

/** Matches profiles without an item of the attribute; negated: with one. */
export function missing(
  attributeId: string,
  of: 'text' | 'day' | 'reference',
  negated: boolean,
): Condition {
  return { kind: 'value', attributeId, test: { kind: 'present', of }, negated: !negated };
}

/** Matches no profile. */
export const NEVER: Condition = { kind: 'never' };

/** The condition for an unknown name: matches no profile; negated: every profile. */
export function unknownName(negated: boolean): Condition | null {
  return negated ? null : NEVER;
}

/** @param allowed null if the allowed operators are unknown */
export function readOperator(
  { comparisonOperator: sent }: Rule,
  allowed: readonly string[] | null,
  faults: RuleFaults,
): string | null {
  if (sent === undefined || sent === '') {
    faults('comparisonOperator', "can't be blank");
    return null;
  }
  const operator = OTHER_SPELLINGS[sent] ?? sent;
  if (allowed === null || allowed.includes(operator)) return operator;
  faults('comparisonOperator', 'is not included in the list');
  return null;
}

const OTHER_SPELLINGS: Readonly<Record<string, string>> = {
  'includes?': 'include?',
  'excludes?': 'exclude?',
};

export function readValue({ value }: Rule, faults: RuleFaults): string | null {
  if (value === undefined) faults('value', "can't be blank");
  return value ?? null;
}
