import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staticMapping } from '../../../query/mapping/document-types.ts';
import { changedField } from './changed-mapping.ts';
import { indexMappings, type Property } from './index-template.ts';

const { properties: OWN } = indexMappings(staticMapping('roles', { name: 'acme', pod: 'cardea' }));

const CASES: readonly (readonly [what: string, properties: object, path: string | null])[] = [
  ['no field', {}, null],
  ['a field without its defaults', { name: { type: 'keyword' } }, null],
  ['an object without its type', { owner: { properties: { id: { type: 'keyword' } } } }, null],
  ['another type', { name: { type: 'text' } }, 'name'],
  ['an object in place of a value', { name: { properties: {} } }, 'name'],
  ['another field', { colour: { type: 'keyword' } }, 'colour'],
  ['another field of an object', { owner: { properties: { age: { type: 'long' } } } }, 'owner.age'],
];
for (const [what, properties, path] of CASES) {
  test(`${what} is ${path === null ? 'no change' : 'a change'} of a mapping`, () => {
    assert.equal(changedField(properties as Record<string, Property>, OWN), path);
  });
}

test('the own mapping is no change of itself', () => {
  assert.equal(changedField(OWN, OWN), null);
});
