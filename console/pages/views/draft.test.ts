import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ViewDefinition } from '../../api/views/view.ts';
import {
  alikeFields,
  definitionOf,
  draftOf,
  hideable,
  isChanged,
  summaryOf,
  type TypeChoice,
  withHidden,
} from './draft.ts';

const SALES: ViewDefinition = {
  name: 'sales',
  description: 'What the sales team sees',
  indices: { identities: 'attributes.department:Sales', roles: '*' },
  hide: ['phone', 'accounts.accountAttributes'],
};

test('a view survives its form, in the order of the types', () => {
  const draft = draftOf(SALES);
  assert.deepEqual(definitionOf(draft), SALES);
  assert.deepEqual(
    [draft.types.identities.shows, draft.types.roles.shows, draft.types.events.shows],
    ['query', 'everything', 'nothing'],
  );
  assert.equal(isChanged(draft, SALES), false);
});

test('a new view shows nothing', () => {
  const draft = draftOf(null);
  assert.deepEqual(definitionOf(draft), { name: '', description: '', indices: {}, hide: [] });
  assert.equal(isChanged(draft, null), false);
});

const changed = (roles: TypeChoice) => {
  const draft = draftOf(SALES);
  return { ...draft, types: { ...draft.types, roles } };
};
for (const [choice, roles] of [
  [{ shows: 'nothing', query: 'name:a' }, undefined],
  [{ shows: 'everything', query: 'name:a' }, '*'],
  [{ shows: 'query', query: ' name:a ' }, 'name:a'],
  // The service says what is wrong with it.
  [{ shows: 'query', query: '' }, ''],
] as const) {
  test(`${choice.shows} and the query "${choice.query}" become ${roles}`, () => {
    const draft = changed(choice);
    assert.equal(definitionOf(draft).indices.roles, roles);
    assert.equal(isChanged(draft, SALES), roles !== '*');
  });
}

for (const [hide, path, expected] of [
  [['phone'], 'email', ['phone', 'email']],
  [['phone'], 'phone', ['phone']],
  [['accounts'], 'accounts.name', ['accounts']],
  [['accounts.name', 'accountsOther', 'accounts.id'], 'accounts', ['accountsOther', 'accounts']],
] as const) {
  test(`hiding ${path} after ${hide} hides ${expected}`, () => {
    assert.deepEqual(withHidden(hide, path), expected);
  });
}

test('fields and the objects that they are in can be hidden, but for id and type', () => {
  assert.deepEqual(hideable(['type', 'id', 'accounts.source.id', 'accounts.source.name', 'name']), [
    'accounts',
    'accounts.source',
    'accounts.source.id',
    'accounts.source.name',
    'name',
  ]);
});

for (const [indices, expected] of [
  [SALES.indices, 'Some identities, all roles'],
  [{}, 'Nothing'],
  [{ accountactivities: '*' }, 'All account activities'],
] as const) {
  test(`a list says: ${expected}`, () => {
    assert.equal(summaryOf({ indices }), expected);
  });
}

const FIELDS = [
  'id',
  'accounts.id',
  'lastName',
  'attributes.lastname',
  'name',
  'phone',
  'email',
  'attributes.phone',
  'attributes.city',
  'owner.email',
  'manager.name',
  'source.name',
];

for (const [hide, alike] of [
  [[], []],
  [['phone'], ['attributes.phone']],
  [['attributes.phone'], ['phone']],
  [['phone', 'attributes'], []],
  [['lastName'], ['attributes.lastname']],
  [['accounts.id'], []],
  [['email'], ['owner.email']],
  [['manager.name'], ['name']],
  [['name'], ['manager.name', 'source.name']],
] as const) {
  test(`beside [${hide.join(', ')}], [${alike.join(', ')}] may have the same values`, () => {
    assert.deepEqual(alikeFields(FIELDS, hide), alike);
  });
}
