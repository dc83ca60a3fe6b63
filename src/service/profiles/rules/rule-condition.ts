// Converts a rule to its condition (contract/profiles.md section 5.4). Validating a rule is
// resolving it, so a stored rule can be run as long as the records it refers to exist.
// Invariant: returns either the rule and its condition, or null after reporting an error.

import type { Rule } from '../../ports/advanced-search-records.ts';
import { foldText } from '../values/fold-text.ts';
import { PROFILE_STATUSES, statusOf } from '../values/profile-draft.ts';
import { attributeRule } from './attribute-rule.ts';
import {
  NEVER,
  type ResolvedRule,
  type RuleContext,
  readOperator,
  readValue,
  unknownName,
} from './resolved-rule.ts';
import type { RuleFaults } from './search-rule.ts';

/** Resolves one rule; null if it is invalid. */
export async function resolveRule(
  rule: Rule,
  context: RuleContext,
  faults: RuleFaults,
): Promise<ResolvedRule | null> {
  switch (rule.type) {
    case 'ProfileStatusRule':
      return statusRule(rule, faults);
    case 'ProfileTypeRule':
      return profileTypeRule(rule, context, faults);
    case 'RiskRule':
      return riskRule(rule, context, faults);
    case 'ProfileAttributeRule':
      return attributeRule(rule, context, faults);
    case undefined:
      break;
  }
  faults('type', 'is not included in the list');
  return null;
}

const EQUALITY = ['==', '!='];
const BY_ORDER = ['==', '>', '<'];

function statusRule(rule: Rule, faults: RuleFaults): ResolvedRule | null {
  const operator = readOperator(rule, EQUALITY, faults);
  const value = readValue(rule, faults);
  if (value === null) return null;
  const word = foldText(value);
  const byName = PROFILE_STATUSES.find((one) => foldText(one) === word);
  const status = byName ?? statusOf(word);
  if (status === null) faults('value', 'is not included in the list');
  if (operator === null || status === null) return null;
  const statuses = PROFILE_STATUSES.filter((one) => (one === status) === (operator === '=='));
  return { rule, condition: { kind: 'status', statuses } };
}

async function profileTypeRule(
  rule: Rule,
  { subjects }: RuleContext,
  faults: RuleFaults,
): Promise<ResolvedRule | null> {
  const operator = readOperator(rule, EQUALITY, faults);
  const value = readValue(rule, faults);
  if (operator === null || value === null) return null;
  const id = await subjects.idOf('profileType', value.trim());
  const negated = operator === '!=';
  if (id === null) return { rule, condition: unknownName(negated) };
  return { rule, condition: { kind: 'profileType', id, negated } };
}

async function riskRule(
  rule: Rule,
  { subjects }: RuleContext,
  faults: RuleFaults,
): Promise<ResolvedRule | null> {
  const operator = readOperator(rule, BY_ORDER, faults);
  const value = readValue(rule, faults);
  const { secondaryValue: which = 'OverallRisk' } = rule;
  if (which !== 'OverallRisk') faults('secondaryValue', 'is not included in the list');
  if (operator === null || value === null || which !== 'OverallRisk') return null;
  const levels = await subjects.riskLevels();
  const key = value.trim();
  const level = levels.find(({ id, uid }) => id === key || uid === key);
  if (level === undefined) return { rule, condition: NEVER };
  const levelIds = levels
    .filter(({ order }) => {
      if (operator === '>') return order > level.order;
      return operator === '<' ? order < level.order : order === level.order;
    })
    .map(({ id }) => id);
  return { rule, condition: levelIds.length === 0 ? NEVER : { kind: 'risk', levelIds } };
}
