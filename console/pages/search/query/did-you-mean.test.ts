import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renameField, unknownNameOf } from './did-you-mean.ts';

const FIELDS = [
  ...['attributes.department', 'attributes.uid', 'displayName', 'accounts.source.name'],
].map((path) => ({ path }));

test('suggests the field of the service, and then others that are near', () => {
  assert.deepEqual(unknownNameOf('No requested index has a field "departmnt"', FIELDS), {
    name: 'departmnt',
    candidates: ['attributes.department'],
  });
  const warning =
    'No requested index has a field "atributes.departmnt"; did you mean "attributes.uid"?';
  assert.deepEqual(unknownNameOf(warning, FIELDS)?.candidates, [
    'attributes.uid',
    'attributes.department',
  ]);
  const spelling = 'No requested index has a field "displayNmae"; did you mean "displayName"?';
  assert.deepEqual(unknownNameOf(spelling, FIELDS)?.candidates, ['displayName']);
});

test('suggests nothing for other warnings, and for names that are near to none', () => {
  assert.equal(unknownNameOf('The index is being built', FIELDS), null);
  const warning = 'No requested index has a field "shoeSize"';
  assert.deepEqual(unknownNameOf(warning, FIELDS)?.candidates, []);
});

test('renames a field where it is named, and nowhere else', () => {
  assert.equal(
    renameField('departmnt:Sales AND name:departmnt', 'departmnt', 'attributes.department'),
    'attributes.department:Sales AND name:departmnt',
  );
  assert.equal(
    renameField('@accounts(sorce.name:HR)', 'accounts.sorce.name', 'accounts.source.name'),
    '@accounts(source.name:HR)',
  );
  assert.equal(renameField('a:(b) AND (c:d', 'c', 'e'), 'a:(b) AND (e:d');
});
