import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INDEX_NAMES, indexOfType, staticMapping, typeOf, withFields } from './document-types.ts';

const TENANT = { name: 'acme', pod: 'local' };

test('the indexes are in the order of their names, that of the targets of a plan', () => {
  assert.deepEqual(INDEX_NAMES, [...INDEX_NAMES].sort());
  assert.equal(INDEX_NAMES.length, 6);
});

test('each index has a type that maps back to it', () => {
  for (const index of INDEX_NAMES) assert.equal(indexOfType(typeOf(index)), index);
  assert.equal(indexOfType('account'), undefined);
  assert.deepEqual([...INDEX_NAMES].sort(), INDEX_NAMES);
});

test('no nested path is below another, and each field has its nested path', () => {
  for (const index of INDEX_NAMES) {
    const { fields, nestedPaths } = staticMapping(index, TENANT);
    for (const path of nestedPaths) {
      assert.ok(!nestedPaths.some((other) => other.startsWith(`${path}.`)));
    }
    for (const field of fields.values()) {
      const above = nestedPaths.find((path) => field.path.startsWith(`${path}.`)) ?? null;
      assert.equal(field.nested, above, field.path);
    }
  }
});

test('identifying fields are text fields of the root', () => {
  for (const index of INDEX_NAMES) {
    const { fields, identifying } = staticMapping(index, TENANT);
    for (const { path } of identifying) {
      assert.equal(fields.get(path)?.type, 'text', path);
      assert.equal(fields.get(path)?.nested, null, path);
    }
  }
});

test('envelope members are constants, except the type of an event', () => {
  assert.deepEqual(staticMapping('identities', TENANT).constants, {
    _type: 'identity',
    _version: 'v2',
    pod: 'local',
    org: 'acme',
    type: 'identity',
  });
  assert.equal(staticMapping('events', TENANT).constants['type'], undefined);
  assert.equal(staticMapping('events', TENANT).fields.get('type')?.type, 'text');
});

test('withFields adds fields to a new mapping and keeps existing ones', () => {
  const before = staticMapping('identities', TENANT);
  const after = withFields(before, [
    { path: 'attributes.city', type: 'text', nested: null, dynamic: true },
    { path: 'name', type: 'long', nested: null, dynamic: true },
  ]);
  assert.equal(before.fields.has('attributes.city'), false);
  assert.equal(after.fields.get('attributes.city')?.type, 'text');
  assert.equal(after.fields.get('name')?.type, 'text');
});
