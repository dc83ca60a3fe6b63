// Hints about the hidden fields of a view.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INDEX_NAMES, staticMapping, withFields } from '../../query/mapping/document-types.ts';
import type { Mappings } from '../documents/mapping-cache.ts';
import { viewHints } from './view-hints.ts';

const tenant = { name: 'acme', pod: 'p' };
const mappings = Object.fromEntries(
  INDEX_NAMES.map((index) => [index, staticMapping(index, tenant)]),
) as Mappings;
const withSalary: Mappings = {
  ...mappings,
  identities: withFields(mappings.identities, [
    { path: 'attributes.salary', type: 'text', nested: null, dynamic: true },
    { path: 'attributes.phone', type: 'text', nested: null, dynamic: true },
  ]),
};

const CASES: readonly (readonly [hide: string[], hints: readonly RegExp[]])[] = [
  [[], []],
  [['attributes.salary'], []],
  [['accounts'], []],
  [['phone', 'attributes.phone'], []],
  [['phone'], [/^"phone" is hidden, but not "attributes\.phone", which may have the same values$/]],
  [['attributes.phone'], [/^"attributes\.phone" is hidden, but not "phone", which/]],
  [['attributes'], []],
  [['badge'], [/^"badge" is hidden, but no document has such a field so far$/]],
  [['name'], [/^"name" is hidden, but not ("[\w.]+", ){5}\d+ others, which/]],
];

for (const [hide, hints] of CASES) {
  test(`of the hidden fields [${hide.join(', ')}]`, () => {
    const told = viewHints({ name: 'v', indices: { identities: '*' }, hide }, withSalary);
    assert.equal(told.length, hints.length, told.join('\n'));
    for (const [at, hint] of hints.entries()) assert.match(told[at] ?? '', hint);
  });
}

test('fields of types that the view does not show are not named', () => {
  const hide = ['owner.email', 'email'];
  const [hint] = viewHints({ name: 'v', indices: { roles: '*' }, hide }, mappings);
  assert.equal(hint, undefined);
});
