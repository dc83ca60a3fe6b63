import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../test/support/any-text.ts';
import {
  operatorsFor,
  type Rule,
  rulesFromAddress,
  rulesFromApi,
  rulesToAddress,
  rulesToBody,
} from './rules.ts';

const rule: fc.Arbitrary<Rule> = fc
  .record({
    subject: fc.constantFrom('status', 'type', 'risk', 'attribute'),
    attribute: fc.string(),
    operator: fc.constantFrom('==', '!=', 'include?', '<'),
    value: anyText(),
  })
  .map(
    (fields) =>
      ({ ...fields, attribute: fields.subject === 'attribute' ? fields.attribute : '' }) as Rule,
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

test('reads no rules from a malformed address', () => {
  for (const text of [null, '', '{', '{}', '[["x","","",""]]', '[["status"]]']) {
    assert.deepEqual(rulesFromAddress(text), []);
  }
});

test('refuses rules that cannot be edited here', () => {
  assert.equal(rulesFromApi([{ type: 'ProfileAttributeRule', tertiary_value: '3' }]), null);
  assert.equal(rulesFromApi([{ type: 'OtherRule' }]), null);
});

const operators = (type: string) => operatorsFor('attribute', type).map(({ code }) => code);
test('offers the operators that the service supports for each kind of attribute', () => {
  assert.deepEqual(operators('TagsAttribute'), ['==', '!=', 'include?', 'exclude?']);
  assert.deepEqual(operators('OwnerSearchAttribute'), ['==', '!=', 'include?', 'exclude?']);
  assert.deepEqual(operators('DateAttribute'), ['before', 'after', '<', '>', '==']);
  assert.ok(operators('TextFieldAttribute').includes('start_with?'));
  assert.deepEqual(operators('AttachmentAttribute'), []);
});
