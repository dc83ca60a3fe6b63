import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldNamed, fieldsOf, offersFor } from './field-catalogue.ts';

const fields = fieldsOf('identities', [
  'attributes.department',
  'accounts.accountAttributes.badge',
  'name',
]);
const offered = (prefix: string, nested: string | null = null) =>
  offersFor(fields, prefix, nested, 5).map(({ name }) => name);

test('fields are those of the index and those that documents brought, each once', () => {
  assert.equal(fields.filter(({ path }) => path === 'name').length, 1);
  assert.equal(fieldNamed(fields, 'attributes.department', null)?.type, 'text');
  assert.equal(fieldNamed(fields, 'created', null)?.type, 'date');
});

test('names that begin with the prefix come before those of which a part does', () => {
  assert.equal(offered('disp')[0], 'displayName');
  assert.deepEqual(offered('departm'), ['attributes.department']);
});

test('inside an array names are those of an element', () => {
  assert.ok(offered('source', 'accounts').includes('source.name'));
  assert.deepEqual(offered('badge', 'accounts'), ['accountAttributes.badge']);
  assert.equal(fieldNamed(fields, 'disabled', 'accounts')?.path, 'accounts.disabled');
  assert.equal(fieldNamed(fields, 'name.exact', 'accounts')?.path, 'accounts.name');
});

test('behind an @ arrays are offered', () => {
  assert.deepEqual(offered('@acc'), ['@access', '@accounts']);
  assert.deepEqual(offersFor(fieldsOf('events', []), '@', null, 5), []);
});
