import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import {
  attributesOfRules,
  incompleteRule,
  operatorsFor,
  type Rule,
  rulesFromAddress,
  rulesFromApi,
  rulesOfBody,
  rulesToAddress,
  rulesToBody,
  typeOfRules,
} from './rules.ts';

const rule: fc.Arbitrary<Rule> = fc
  .record({
    subject: fc.constantFrom('status', 'type', 'risk', 'attribute'),
    attribute: fc.string(),
    operator: fc.constantFrom('==', '!=', 'include?', '<', 'empty', 'present', 'dated'),
    value: anyText(),
  })
  .map((fields) => {
    const attribute = fields.subject === 'attribute' ? fields.attribute : '';
    return { ...fields, attribute } as Rule;
  })
  .filter(({ subject, operator, value }) =>
    ['empty', 'present', 'dated'].includes(operator)
      ? subject === 'attribute' && value === ''
      : subject !== 'attribute' || value.trim() !== '',
  );

test('keeps rules unchanged through the address and through the service', () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 4 }), (rules) => {
      assert.deepEqual(rulesFromAddress(rulesToAddress(rules)), rules);
      const { advanced_search } = rulesToBody(rules) as {
        advanced_search: { condition_rules_attributes: unknown };
      };
      assert.deepEqual(rulesFromApi(advanced_search.condition_rules_attributes), rules);
    }),
  );
});

for (const [operator, value, isIncomplete] of [
  ['<', '30 before', false],
  ['<', ' before', true],
  ['>', ' after', true],
  ['==', ' ', true],
  ['==', 'after', false],
  ['empty', '', false],
] as const) {
  test(`takes “${operator} ${value}” as ${isIncomplete ? 'incomplete' : 'complete'}`, () => {
    const about = { subject: 'attribute', attribute: 'end', operator, value } as const;
    assert.equal(incompleteRule([about]), isIncomplete ? 0 : null);
  });
}

test('reads no rules from a malformed address', () => {
  for (const text of [null, '', '{', '{}', '[["x","","",""]]', '[["status"]]']) {
    assert.deepEqual(rulesFromAddress(text), []);
  }
});

test('reads a comparison with nothing as an operator in words', () => {
  const row = (operator: string, value: string) => ['attribute', 'a', operator, value];
  const read = (rows: unknown) => rulesFromAddress(JSON.stringify(rows));
  const operators = [row('==', ''), row('!=', ' '), row('after', '0001-01-01'), row('==', 'x')];
  assert.deepEqual(
    read(operators).map(({ operator }) => operator),
    ['empty', 'present', 'dated', '=='],
  );
  assert.deepEqual(rulesOfBody(read([row('==', '')])), [
    {
      ...{ type: 'ProfileAttributeRule', object_type: 'NeAttribute' },
      ...{ condition_object_id: 'a', comparison_operator: '==', value: '' },
    },
  ]);
});

test('names the attributes and the type that rules are about', () => {
  const rules = rulesOfBody([
    { subject: 'type', attribute: '', operator: '==', value: 'contractor' },
    { subject: 'attribute', attribute: 'end', operator: '<', value: '30 after' },
    { subject: 'attribute', attribute: 'sponsor', operator: 'empty', value: '' },
    { subject: 'attribute', attribute: 'end', operator: 'dated', value: '' },
  ]);
  assert.deepEqual(attributesOfRules(rules), ['end']);
  assert.deepEqual(
    attributesOfRules([{ condition_object_id: 'badge', secondary_attribute_id: 'end' }]),
    ['badge', 'end'],
  );
  assert.equal(typeOfRules(rules), 'contractor');
  assert.equal(typeOfRules([]), null);
});

test('refuses rules that cannot be edited here', () => {
  assert.equal(rulesFromApi([{ type: 'ProfileAttributeRule', tertiary_value: '3' }]), null);
  assert.equal(rulesFromApi([{ type: 'OtherRule' }]), null);
});

const operators = (type: string) => operatorsFor('attribute', type).map(({ code }) => code);
test('offers the operators that the service supports for each kind of attribute', () => {
  assert.deepEqual(operators('TagsAttribute'), [
    '==',
    '!=',
    'include?',
    'exclude?',
    'empty',
    'present',
  ]);
  assert.deepEqual(operators('OwnerSearchAttribute'), [
    '==',
    '!=',
    'include?',
    'exclude?',
    'empty',
    'present',
  ]);
  assert.deepEqual(operators('DateAttribute'), [
    'before',
    'after',
    '<',
    '>',
    '==',
    'empty',
    'dated',
  ]);
  assert.ok(operators('TextFieldAttribute').includes('start_with?'));
  assert.deepEqual(operators('AttachmentAttribute'), []);
});
