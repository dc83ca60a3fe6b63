import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staticMapping } from '../../../query/mapping/document-types.ts';
import { indexMappings, type Property } from '../requests/index-template.ts';
import { changedPart } from './changed-mapping.ts';

const OWN = indexMappings(staticMapping('roles', { name: 'acme', pod: 'cardea' }));
const NESTED = { type: 'nested', dynamic: 'false' };

const CASES: readonly (readonly [what: string, properties: object, path: string | null])[] = [
  ['no field', {}, null],
  ['a field without its defaults', { name: { type: 'keyword' } }, null],
  ['an object without its type', { owner: { properties: { id: { type: 'keyword' } } } }, null],
  ['a nested field', { accessProfiles: NESTED }, null],
  ['another type', { name: { type: 'text' } }, 'name'],
  ['an object in place of a value', { name: { properties: {} } }, 'name'],
  ['another field', { colour: { type: 'keyword' } }, 'colour'],
  ['another field of an object', { owner: { properties: { age: { type: 'long' } } } }, 'owner.age'],
  ['a strict object', { owner: { dynamic: 'strict', properties: {} } }, 'owner'],
  ['a strict nested field', { accessProfiles: { ...NESTED, dynamic: 'strict' } }, 'accessProfiles'],
];
for (const [what, properties, path] of CASES) {
  test(`${what} is ${path === null ? 'no change' : 'a change'} of a mapping`, () => {
    const mappings = { dynamic: 'false', properties: properties as Record<string, Property> };
    assert.equal(changedPart(mappings, OWN), path === null ? null : `the field ${path}`);
  });
}

test('the own mapping is no change of itself', () => {
  assert.equal(changedPart(OWN, OWN), null);
});

test('a mapping that no longer ignores members without a field is changed', () => {
  for (const dynamic of ['strict', 'true', undefined]) {
    assert.equal(changedPart({ ...OWN, dynamic }, OWN), 'the parameter dynamic');
  }
});
