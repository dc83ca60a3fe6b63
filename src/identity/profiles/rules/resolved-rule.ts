// What rules are understood by, what comes of understanding one, and the parts that all kinds of
// rules share.
import type { Condition } from '../../ports/profile-search.ts';
import type { RuleSubjects } from './rule-subjects.ts';
import type { Rule, RuleFaults } from './search-rule.ts';

/** A rule understood. */
export interface ResolvedRule {
  /** The rule with ids where uids stood and the class of its attribute. */
  readonly rule: Rule;
  /** null holds for every profile. */
  readonly condition: Condition | null;
}

/** What rules are understood by. */
export interface RuleContext {
  readonly subjects: RuleSubjects;
  /** Days since 1970-01-01 of the current day. */
  readonly today: number;
}

/** No item of the attribute is there; negated: some is. */
export function missing(
  attributeId: string,
  of: 'text' | 'day' | 'reference',
  negated: boolean,
): Condition {
  return { kind: 'value', attributeId, test: { kind: 'present', of }, negated: !negated };
}

/** What names something that is not there: no profile has it, and every profile does not. */
export function never(negated: boolean): Condition | null {
  return negated ? null : { kind: 'never' };
}

/** `allowed` null: what is allowed is not known. */
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
