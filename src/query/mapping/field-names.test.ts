import assert from 'node:assert/strict';
import test from 'node:test';
import { testMapping } from '../../../test/support/segments.ts';
import { FieldNames, ROOT } from './field-names.ts';

const NAMES = new FieldNames(
  testMapping(
    {
      'accounts.id': 'keyword',
      'accounts.source.name': 'text',
      'attributes.city': 'text',
      'attributes.country': 'text',
      created: 'date',
      name: 'text',
    },
    ['accounts'],
  ),
);
const paths = (fields: readonly { readonly path: string }[]): string[] =>
  fields.map(({ path }) => path);

const BELOW: readonly (readonly [name: string, paths: readonly string[]])[] = [
  ['accounts', ['accounts.id', 'accounts.source.name']],
  ['accounts.source', ['accounts.source.name']],
  ['attributes', ['attributes.city', 'attributes.country']],
  ['attr', []],
  ['name', []],
  ['zone', []],
  ['a*', ['accounts.id', 'accounts.source.name', 'attributes.city', 'attributes.country']],
  ['*.name', ['accounts.source.name']],
  ['attributes.c*y', ['attributes.city', 'attributes.country']],
  ['n*', ['name']],
  [
    '*',
    [
      'accounts.id',
      'accounts.source.name',
      'attributes.city',
      'attributes.country',
      'created',
      'name',
    ],
  ],
];
for (const [name, expected] of BELOW) {
  test(`the leaves below ${name} are ${expected.join(', ') || 'none'}`, () => {
    assert.deepEqual(paths(NAMES.leavesBelow(name, ROOT)), expected);
  });
}

test('inside a nested path names are relative and root fields are out of scope', () => {
  const scope = { nested: 'accounts' };
  assert.deepEqual(paths(NAMES.leavesBelow('source', scope)), ['accounts.source.name']);
  assert.deepEqual(paths(NAMES.leavesBelow('*', scope)), ['accounts.id', 'accounts.source.name']);
  assert.deepEqual(paths(NAMES.leavesBelow('accounts', scope)), [
    'accounts.id',
    'accounts.source.name',
  ]);
  assert.equal(NAMES.find('name', scope), undefined);
  assert.equal(NAMES.find('id', scope)?.kind, 'field');
});
