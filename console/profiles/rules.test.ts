import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { operatorsFor, printRules, type Rule, readRules, rulesBody, rulesOf } from './rules.ts';

const rule: fc.Arbitrary<Rule> = fc
  .record({
    subject: fc.constantFrom('status', 'type', 'risk', 'attribute'),
    attribute: fc.string(),
    operator: fc.constantFrom('==', '!=', 'include?', '<'),
    value: fc.string({ unit: 'binary' }),
  })
  .map(
    (made) => ({ ...made, attribute: made.subject === 'attribute' ? made.attribute : '' }) as Rule,
  );

test('rules survive the address, and what the service keeps of them', () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 4 }), (rules) => {
      assert.deepEqual(readRules(printRules(rules)), rules);
      const { advanced_search } = rulesBody(rules) as {
        advanced_search: { condition_rules_attributes: unknown };
      };
      assert.deepEqual(rulesOf(advanced_search.condition_rules_attributes), rules);
    }),
  );
});

test('an address that is broken holds no rules', () => {
  for (const text of [null, '', '{', '{}', '[["x","","",""]]', '[["status"]]']) {
    assert.deepEqual(readRules(text), []);
  }
});

test('a rule that cannot be built here is not shown as another one', () => {
  assert.equal(rulesOf([{ type: 'ProfileAttributeRule', tertiary_value: '3' }]), null);
  assert.equal(rulesOf([{ type: 'OtherRule' }]), null);
});

const ask = (type: string) => operatorsFor('attribute', type).map(({ sent }) => sent);
test('each kind of attribute is asked what the service can answer', () => {
  assert.deepEqual(ask('TagsAttribute'), ['==', '!=', 'include?', 'exclude?']);
  assert.deepEqual(ask('OwnerSearchAttribute'), ['==', '!=', 'include?', 'exclude?']);
  assert.deepEqual(ask('DateAttribute'), ['before', 'after', '<', '>', '==']);
  assert.ok(ask('TextFieldAttribute').includes('start_with?'));
  assert.deepEqual(ask('AttachmentAttribute'), []);
});
