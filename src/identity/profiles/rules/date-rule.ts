// Rules about dates (contract/profiles.md section 5.5). All of them say the same: the days from an
// anchor to the date lie in a span. The anchor is a day, or the date of another attribute of the
// same profile.

import type { Condition, Span } from '../../ports/profile-search.ts';
import type { Attribute } from '../resources/resources.ts';
import { DATE_FORMAT_DEFAULT, dayOf } from '../values/date-format.ts';
import { missing, type ResolvedRule, type RuleContext } from './resolved-rule.ts';
import type { RuleSubjects } from './rule-subjects.ts';
import type { Rule, RuleFaults } from './search-rule.ts';

/** What the distance is measured from. */
type Anchor =
  | { readonly kind: 'day'; readonly day: number }
  | { readonly kind: 'attribute'; readonly id: string };

/** Understands a rule about a date attribute; null where a fault was told. */
export async function dateRule(
  given: Rule,
  operator: string,
  attribute: Attribute,
  { subjects, today }: RuleContext,
  faults: RuleFaults,
): Promise<ResolvedRule | null> {
  const named = given.secondaryAttributeId !== undefined && given.secondaryAttributeId !== '';
  const spelled = given.tertiaryValue !== undefined && given.tertiaryValue !== '';
  if (given.value === undefined && !named) {
    faults('value', "can't be blank");
    return null;
  }
  if (operator === '==' && given.value?.trim() === '' && !named && !spelled)
    return { rule: given, condition: missing(attribute.id, 'day', false) };
  const second = named ? await secondAttribute(given, subjects, faults) : null;
  if (named && second === null) return null;
  const rule = second === null ? given : { ...given, secondaryAttributeId: second.id };
  const beside: Anchor | null = second === null ? null : { kind: 'attribute', id: second.id };
  if (operator === 'before' || operator === 'after') {
    const anchor = beside ?? (await readAnchor(rule.value ?? '', attribute, today, subjects));
    if (anchor === null) {
      faults('value', 'is not a date');
      return null;
    }
    const span = operator === 'before' ? { min: null, max: -1 } : { min: 1, max: null };
    return { rule, condition: condition(attribute.id, anchor, span) };
  }
  const distance = spelled ? spelledDistance(rule, faults) : writtenDistance(rule, faults);
  if (distance === null) return null;
  const anchor = beside ?? { kind: 'day', day: today };
  return { rule, condition: condition(attribute.id, anchor, spanOf(operator, distance)) };
}

/** Adding to the day keeps the span of days a single range of the index. */
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

/** So many days before or after the anchor. */
interface Distance {
  readonly days: number;
  readonly side: 'before' | 'after';
}

/** `30 after`: the form of the guides. */
const WRITTEN = /^(\d{1,7}) +(before|after)$/i;

function writtenDistance({ value = '' }: Rule, faults: RuleFaults): Distance | null {
  const [, days, side] = WRITTEN.exec(value.trim()) ?? [];
  if (days === undefined || side === undefined) {
    faults('value', 'must be a number of days and before or after, such as 30 after');
    return null;
  }
  return { days: Number(days), side: side.toLowerCase() === 'before' ? 'before' : 'after' };
}

/** The form of the public API description: two keys. */
function spelledDistance(rule: Rule, faults: RuleFaults): Distance | null {
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

/** Where the days from the anchor lie when the distance is more, less or as much. */
function spanOf(operator: string, { days, side }: Distance): Span {
  const span = ahead(operator, days);
  if (side === 'after') return span;
  const turned = (end: number | null) => (end === null ? null : 0 - end);
  return { min: turned(span.max), max: turned(span.min) };
}

function ahead(operator: string, days: number): Span {
  if (operator === '>') return { min: days + 1, max: null };
  return operator === '<' ? { min: 0, max: days - 1 } : { min: days, max: days };
}
