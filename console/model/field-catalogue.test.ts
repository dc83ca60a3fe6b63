import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldNamed, fieldsOf, suggestionsFor } from './field-catalogue.ts';

const fields = fieldsOf('identities', [
  'attributes.department',
  'accounts.accountAttributes.badge',
  'name',
]);
const suggested = (prefix: string, nested: string | null = null) =>
  suggestionsFor(fields, prefix, nested, 5).map(({ name }) => name);

test('lists the mapped and the dynamic fields once each', () => {
  assert.equal(fields.filter(({ path }) => path === 'name').length, 1);
  assert.equal(fieldNamed(fields, 'attributes.department', null)?.type, 'text');
  assert.equal(fieldNamed(fields, 'created', null)?.type, 'date');
});

test('ranks names that start with the prefix before those with a matching part', () => {
  assert.equal(suggested('disp')[0], 'displayName');
  assert.deepEqual(suggested('departm'), ['attributes.department']);
});

test('completes names relative to the elements inside a nested array', () => {
  assert.ok(suggested('source', 'accounts').includes('source.name'));
  assert.deepEqual(suggested('badge', 'accounts'), ['accountAttributes.badge']);
  assert.equal(fieldNamed(fields, 'disabled', 'accounts')?.path, 'accounts.disabled');
  assert.equal(fieldNamed(fields, 'name.exact', 'accounts')?.path, 'accounts.name');
});

test('completes the names of nested arrays after @', () => {
  assert.deepEqual(suggested('@acc'), ['@access', '@accounts']);
  assert.deepEqual(suggestionsFor(fieldsOf('events', []), '@', null, 5), []);
});
