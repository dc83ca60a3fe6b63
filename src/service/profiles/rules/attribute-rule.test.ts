import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributeOf } from '../../../../test/support/attributes.ts';
import type { Rule } from '../../ports/advanced-search-records.ts';
import type { Attribute } from '../../ports/resources.ts';
import { attributeRule } from './attribute-rule.ts';
import type { RuleSubjects } from './rule-subjects.ts';

const ATTRIBUTES: readonly Attribute[] = [
  attributeOf({ id: 'text', uid: 'title' }),
  attributeOf({ id: 'option', uid: 'city', type: 'DropDownAttribute' }),
  attributeOf({ id: 'profile', uid: 'sponsor', type: 'ProfileSelectAttribute' }),
  attributeOf({ id: 'start', uid: 'start_date', type: 'DateAttribute' }),
  attributeOf({ id: 'end', uid: 'end_date', type: 'DateAttribute', dateFormat: 'dd-mm-yyyy' }),
  attributeOf({ id: 'file', uid: 'badge', type: 'AttachmentAttribute' }),
];
const subjects: RuleSubjects = {
  attribute: async (key) => ATTRIBUTES.find(({ id, uid }) => id === key || uid === key) ?? null,
  optionId: async (_attributeId, key) => (key === 'Rome' ? 'o1' : null),
  idOf: async (_kind, key) => (key === 'ada' ? 'p1' : null),
  riskLevels: async () => [],
};
const TODAY = 1000;

async function resolve(uid: string, comparisonOperator: string, more: Rule) {
  const faults: string[] = [];
  const rule = { objectType: 'NeAttribute', conditionObjectId: uid, comparisonOperator, ...more };
  const resolved = await attributeRule(rule, { subjects, today: TODAY }, (member, sentence) =>
    faults.push(`${member} ${sentence}`),
  );
  return { resolved, faults };
}

type Meaning = readonly [uid: string, operator: string, more: Rule, condition: unknown];

const value = (attributeId: string, test: object, negated = false) => {
  return { kind: 'value', attributeId, test, negated };
};
const days = (min: number | null, max: number | null, id = 'start') =>
  value(id, { kind: 'day', span: { min, max } });
const between = (min: number | null, max: number | null) => {
  return { kind: 'daysBetween', attributeId: 'start', anchorId: 'end', span: { min, max } };
};

const MEANINGS: readonly Meaning[] = [
  ['title', '==', { value: ' Boss ' }, value('text', { kind: 'equals', text: 'boss' })],
  ['title', '!=', { value: 'Boss' }, value('text', { kind: 'equals', text: 'boss' }, true)],
  ['title', '==', { value: ' ' }, value('text', { kind: 'present', of: 'text' }, true)],
  ['title', '!=', { value: '' }, value('text', { kind: 'present', of: 'text' })],
  ['title', 'include?', { value: 'OS' }, value('text', { kind: 'contains', text: 'os' })],
  ['title', 'excludes?', { value: 'OS' }, value('text', { kind: 'contains', text: 'os' }, true)],
  ['title', 'start_with?', { value: '' }, value('text', { kind: 'present', of: 'text' })],
  ['title', 'end_with?', { value: 's' }, value('text', { kind: 'endsWith', text: 's' })],
  ['title', '>', { value: '1.5' }, value('text', { kind: 'greater', text: '1.5', number: 1.5 })],
  ['title', '<', { value: 'b' }, value('text', { kind: 'less', text: 'b', number: null })],
  ['city', '==', { value: 'Rome' }, value('option', { kind: 'refersTo', id: 'o1' })],
  ['city', 'exclude?', { value: 'Rome' }, value('option', { kind: 'refersTo', id: 'o1' }, true)],
  ['city', '==', { value: 'Bergen' }, { kind: 'never' }],
  ['city', '!=', { value: 'Bergen' }, null],
  ['city', '==', { value: '' }, value('option', { kind: 'present', of: 'reference' }, true)],
  ['sponsor', '==', { value: 'ada' }, value('profile', { kind: 'refersTo', id: 'p1' })],
  ['start_date', 'before', { value: 'Today' }, days(null, TODAY - 1)],
  ['start_date', 'after', { value: '01/03/1970' }, days(3, null)],
  ['start_date', 'after', { value: '1970-01-03' }, days(3, null)],
  ['end_date', 'before', { value: '03-01-1970' }, days(null, 1, 'end')],
  ['start_date', 'before', { value: 'end_date' }, between(null, -1)],
  ['start_date', 'after', { secondaryAttributeId: 'end_date' }, between(1, null)],
  ['start_date', '==', { value: '30 after' }, days(TODAY + 30, TODAY + 30)],
  ['start_date', '==', { value: '30 Before' }, days(TODAY - 30, TODAY - 30)],
  ['start_date', '>', { value: '30 after' }, days(TODAY + 31, null)],
  ['start_date', '<', { value: '30 after' }, days(TODAY, TODAY + 29)],
  ['start_date', '<', { value: '30 before' }, days(TODAY - 29, TODAY)],
  ['start_date', '>', { value: '30 before', secondaryAttributeId: 'end' }, between(null, -31)],
  [
    ...(['start_date', '=='] as const),
    { value: '', secondaryValue: 'before', tertiaryValue: '7' },
    days(TODAY - 7, TODAY - 7),
  ],
  ['start_date', '==', { value: ' ' }, value('start', { kind: 'present', of: 'day' }, true)],
];
for (const [uid, operator, more, condition] of MEANINGS) {
  test(`${uid} ${operator} ${JSON.stringify(more)} means ${JSON.stringify(condition)}`, async () => {
    const { resolved, faults } = await resolve(uid, operator, more);
    assert.deepEqual(faults, []);
    assert.deepEqual(resolved?.condition, condition);
  });
}

const REFUSED: readonly (readonly [uid: string, operator: string, more: Rule, faults: string[]])[] =
  [
    ['title', 'before', { value: 'x' }, ['comparisonOperator is not included in the list']],
    ['title', '', {}, ["comparisonOperator can't be blank", "value can't be blank"]],
    ['city', '>', { value: 'Rome' }, ['comparisonOperator is not included in the list']],
    ['badge', '==', { value: 'x' }, ['conditionObjectId cannot be searched']],
    ['missing', '==', { value: 'x' }, ['conditionObjectId was not found']],
    ['', '==', { value: 'x' }, ["conditionObjectId can't be blank"]],
    [
      ...(['title', '==', { value: 'x', conditionObjectType: 'DateAttribute' }] as const),
      ['conditionObjectType must be TextFieldAttribute'],
    ],
    ['title', '==', { value: 'x', objectType: 'User' }, ['objectType is not included in the list']],
    ['start_date', 'before', {}, ["value can't be blank"]],
    ['start_date', 'before', { value: 'soon' }, ['value is not a date']],
    [
      ...(['start_date', '=='] as const),
      { value: 'soon' },
      ['value must be a number of days and before or after, such as 30 after'],
    ],
    [
      ...(['start_date', '=='] as const),
      { value: '', secondaryValue: 'beside', tertiaryValue: 'x' },
      ['tertiaryValue is not a number of days', 'secondaryValue is not included in the list'],
    ],
    [
      ...(['start_date', 'after', { secondaryAttributeId: 'title' }] as const),
      ['secondaryAttributeId must be a date attribute'],
    ],
  ];
for (const [uid, operator, more, expected] of REFUSED) {
  test(`refuses ${uid} ${operator} ${JSON.stringify(more)}`, async () => {
    assert.deepEqual((await resolve(uid, operator, more)).faults, expected);
  });
}

test('replaces the uid of an attribute by its id, and states its class', async () => {
  const { resolved } = await resolve('title', '==', { value: 'x' });
  assert.equal(resolved?.rule.conditionObjectId, 'text');
  assert.equal(resolved?.rule.conditionObjectType, 'TextFieldAttribute');
});
