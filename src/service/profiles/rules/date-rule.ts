// Rules about dates (contract/profiles.md section 5.5). All of them compare the days from an anchor
// to the date with a span. The anchor is a day, or the date of another attribute of the same
// profile.

import type { Rule } from '../../ports/advanced-search-records.ts';
import type { Condition, Span } from '../../ports/profile-search.ts';
import type { Attribute } from '../../ports/resources.ts';
import { DATE_FORMAT_DEFAULT, dayOf } from '../values/date-format.ts';
import { missing, type ResolvedRule, type RuleContext } from './resolved-rule.ts';
import type { RuleSubjects } from './rule-subjects.ts';
import type { RuleFaults } from './search-rule.ts';

/** The date that the distance is measured from. */
type Anchor =
  | { readonly kind: 'day'; readonly day: number }
  | { readonly kind: 'attribute'; readonly id: string };

/** Resolves a rule about a date attribute; null if it is invalid. */
export async function dateRule(
  sentRule: Rule,
  operator: string,
  attribute: Attribute,
  { subjects, today }: RuleContext,
  faults: RuleFaults,
): Promise<ResolvedRule | null> {
  const hasSecond =
    sentRule.secondaryAttributeId !== undefined && sentRule.secondaryAttributeId !== '';
  const hasTwoMembers = sentRule.tertiaryValue !== undefined && sentRule.tertiaryValue !== '';
  if (sentRule.value === undefined && !hasSecond) {
    faults('value', "can't be blank");
    return null;
  }
  if (operator === '==' && sentRule.value?.trim() === '' && !hasSecond && !hasTwoMembers)
    return { rule: sentRule, condition: missing(attribute.id, 'day', false) };
  const second = hasSecond ? await secondAttribute(sentRule, subjects, faults) : null;
  if (hasSecond && second === null) return null;
  const rule = second === null ? sentRule : { ...sentRule, secondaryAttributeId: second.id };
  const attributeAnchor: Anchor | null =
    second === null ? null : { kind: 'attribute', id: second.id };
  if (operator === 'before' || operator === 'after') {
    const anchor =
      attributeAnchor ?? (await readAnchor(rule.value ?? '', attribute, today, subjects));
    if (anchor === null) {
      faults('value', 'is not a date');
      return null;
    }
    const span = operator === 'before' ? { min: null, max: -1 } : { min: 1, max: null };
    return { rule, condition: condition(attribute.id, anchor, span) };
  }
  const distance = hasTwoMembers ? readTwoMembers(rule, faults) : readPhrase(rule, faults);
  if (distance === null) return null;
  const anchor = attributeAnchor ?? { kind: 'day', day: today };
  return { rule, condition: condition(attribute.id, anchor, spanOf(operator, distance)) };
}

/** Adding the days to the anchor keeps the span one range of the index. */
function condition(attributeId: string, anchor: Anchor, { min, max }: Span): Condition {
  switch (anchor.kind) {
    case 'day': {
      const moved = (days: number | null) => (days === null ? null : anchor.day + days);
      const span = { min: moved(min), max: moved(max) };
      return { kind: 'value', attributeId, test: { kind: 'day', span }, negated: false };
    }
    case 'attribute':
      return { kind: 'daysBetween', attributeId, anchorId: anchor.id, span: { min, max } };
  }
}

async function secondAttribute(
  { secondaryAttributeId: key = '' }: Rule,
  subjects: RuleSubjects,
  faults: RuleFaults,
): Promise<Attribute | null> {
  const attribute = await subjects.attribute(key.trim());
  if (attribute === null) faults('secondaryAttributeId', 'was not found');
  else if (attribute.type !== 'DateAttribute')
    faults('secondaryAttributeId', 'must be a date attribute');
  else return attribute;
  return null;
}

async function readAnchor(
  value: string,
  { dateFormat }: Attribute,
  today: number,
  subjects: RuleSubjects,
): Promise<Anchor | null> {
  const text = value.trim();
  if (text.toLowerCase() === 'today') return { kind: 'day', day: today };
  const day = dayOf(text, dateFormat ?? DATE_FORMAT_DEFAULT) ?? dayOf(text, 'yyyy-mm-dd');
  if (day !== null) return { kind: 'day', day };
  const other = text === '' ? null : await subjects.attribute(text);
  return other?.type === 'DateAttribute' ? { kind: 'attribute', id: other.id } : null;
}

/** A number of days before or after the anchor. */
interface Distance {
  readonly days: number;
  readonly side: 'before' | 'after';
}

/** `30 after`: the format of the guides. */
const PHRASE = /^(\d{1,7}) +(before|after)$/i;

function readPhrase({ value = '' }: Rule, faults: RuleFaults): Distance | null {
  const [, days, side] = PHRASE.exec(value.trim()) ?? [];
  if (days === undefined || side === undefined) {
    faults('value', 'must be a number of days and before or after, such as 30 after');
    return null;
  }
  return { days: Number(days), side: side.toLowerCase() === 'before' ? 'before' : 'after' };
}

/** The format of the public API description: two members. */
function readTwoMembers(rule: Rule, faults: RuleFaults): Distance | null {
  const { tertiaryValue: days = '', secondaryValue: side = '' } = rule;
  const number = /^\d{1,7}$/.test(days.trim()) ? Number(days) : null;
  if (number === null) faults('tertiaryValue', 'is not a number of days');
  const word = side.trim().toLowerCase();
  if (word !== 'before' && word !== 'after') {
    faults('secondaryValue', 'is not included in the list');
    return null;
  }
  return number === null ? null : { days: number, side: word };
}

/** The span of days from the anchor for a distance that is more, less or equal. */
function spanOf(operator: string, { days, side }: Distance): Span {
  const span = spanAfter(operator, days);
  if (side === 'after') return span;
  const negated = (end: number | null) => (end === null ? null : 0 - end);
  return { min: negated(span.max), max: negated(span.min) };
}

function spanAfter(operator: string, days: number): Span {
  if (operator === '>') return { min: days + 1, max: null };
  return operator === '<' ? { min: 0, max: days - 1 } : { min: days, max: days };
}
