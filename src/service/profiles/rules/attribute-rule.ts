// Rules about the values of an attribute (contract/profiles.md section 5.4): its class decides how
// they are compared.

import type { Rule } from '../../ports/advanced-search-records.ts';
import type { ValueTest } from '../../ports/profile-search.ts';
import type { Attribute } from '../../ports/resources.ts';
import { readDecimal } from '../values/decimal.ts';
import { foldText } from '../values/fold-text.ts';
import { valueClassOf } from '../values/value-class.ts';
import { dateRule } from './date-rule.ts';
import {
  missing,
  type ResolvedRule,
  type RuleContext,
  readOperator,
  readValue,
  unknownName,
} from './resolved-rule.ts';
import type { RuleSubjects } from './rule-subjects.ts';
import type { RuleFaults } from './search-rule.ts';

const LISTED = ['==', '!=', 'include?', 'exclude?'];
const TEXTUAL = [...LISTED, '>', '<', 'start_with?', 'end_with?'];
const DATED = ['before', 'after', '==', '>', '<'];

/** Resolves a rule about an attribute; null if it is invalid. */
export async function attributeRule(
  sentRule: Rule,
  context: RuleContext,
  faults: RuleFaults,
): Promise<ResolvedRule | null> {
  const attribute = await ruleAttribute(sentRule, context.subjects, faults);
  if (attribute === null) {
    readOperator(sentRule, null, faults);
    return null;
  }
  const valueClass = valueClassOf(attribute);
  if (valueClass === 'attachment') {
    faults('conditionObjectId', 'cannot be searched');
    return null;
  }
  const rule: Rule = {
    ...sentRule,
    objectType: 'NeAttribute',
    conditionObjectId: attribute.id,
    conditionObjectType: attribute.type,
  };
  switch (valueClass) {
    case 'text':
      return textRule(rule, attribute, faults);
    case 'date': {
      const operator = readOperator(rule, DATED, faults);
      return operator === null ? null : dateRule(rule, operator, attribute, context, faults);
    }
    case 'option':
    case 'profile':
    case 'user':
      return referenceRule(rule, attribute, valueClass, context.subjects, faults);
  }
}

/** The attribute of a rule; null if it is not specified correctly. */
async function ruleAttribute(
  rule: Rule,
  subjects: RuleSubjects,
  faults: RuleFaults,
): Promise<Attribute | null> {
  const { objectType, conditionObjectType: className } = rule;
  if (objectType === undefined && className === undefined) faults('objectType', "can't be blank");
  const wrongType = objectType !== undefined && objectType !== 'NeAttribute';
  if (wrongType) faults('objectType', 'is not included in the list');
  const key = rule.conditionObjectId?.trim() ?? '';
  if (key === '') {
    faults('conditionObjectId', "can't be blank");
    return null;
  }
  const attribute = await subjects.attribute(key);
  if (attribute === null) {
    faults('conditionObjectId', 'was not found');
    return null;
  }
  const mismatch = className !== undefined && className !== attribute.type;
  if (mismatch) faults('conditionObjectType', `must be ${attribute.type}`);
  return attribute;
}

function textRule(
  rule: Rule,
  { id: attributeId }: Attribute,
  faults: RuleFaults,
): ResolvedRule | null {
  const operator = readOperator(rule, TEXTUAL, faults);
  const value = readValue(rule, faults);
  if (operator === null || value === null) return null;
  const text = foldText(value);
  const negated = operator === '!=' || operator === 'exclude?';
  if (text === '' && (operator === '==' || operator === '!=')) {
    return { rule, condition: missing(attributeId, 'text', negated) };
  }
  return {
    rule,
    condition: { kind: 'value', attributeId, test: textTest(operator, text), negated },
  };
}

/** Every text starts with, ends with and contains the empty one. */
function textTest(operator: string, text: string): ValueTest {
  const partial = ['start_with?', 'end_with?', 'include?', 'exclude?'].includes(operator);
  if (partial && text === '') return { kind: 'present', of: 'text' };
  switch (operator) {
    case 'start_with?':
      return { kind: 'startsWith', text };
    case 'end_with?':
      return { kind: 'endsWith', text };
    case 'include?':
    case 'exclude?':
      return { kind: 'contains', text };
    case '>':
      return { kind: 'greater', text, number: readDecimal(text) };
    case '<':
      return { kind: 'less', text, number: readDecimal(text) };
  }
  return { kind: 'equals', text };
}

async function referenceRule(
  rule: Rule,
  { id: attributeId }: Attribute,
  referent: 'option' | 'profile' | 'user',
  subjects: RuleSubjects,
  faults: RuleFaults,
): Promise<ResolvedRule | null> {
  const operator = readOperator(rule, LISTED, faults);
  const value = readValue(rule, faults);
  if (operator === null || value === null) return null;
  const key = value.trim();
  const negated = operator === '!=' || operator === 'exclude?';
  if (key === '' && (operator === '==' || operator === '!='))
    return { rule, condition: missing(attributeId, 'reference', negated) };
  const id = await idOfReferent(attributeId, referent, key, subjects);
  return {
    rule,
    condition:
      id === null
        ? unknownName(negated)
        : { kind: 'value', attributeId, test: { kind: 'refersTo', id }, negated },
  };
}

function idOfReferent(
  attributeId: string,
  referent: 'option' | 'profile' | 'user',
  key: string,
  subjects: RuleSubjects,
): Promise<string | null> {
  switch (referent) {
    case 'option':
      return subjects.optionId(attributeId, key);
    case 'profile':
    case 'user':
      return subjects.idOf(referent, key);
  }
}
