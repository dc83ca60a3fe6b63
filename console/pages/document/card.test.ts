import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cardAttributes, cardPaths, listText } from './card.ts';

test('counts lists, with what matters of them, also empty ones', () => {
  const person = {
    accounts: [{}, { disabled: true }],
    access: [{ privileged: true }, { privileged: false }],
  };
  assert.equal(listText(person, 'accounts'), '1 open of 2');
  assert.equal(listText(person, 'access'), '2, 1 privileged');
  assert.equal(listText({ entitlements: [] }, 'entitlements'), '0');
  assert.equal(listText({ owner: { id: 'o' } }, 'owner'), null);
});

test('shows the members that a document has', () => {
  const role = { owner: { id: 'o' }, accessProfiles: [], modified: '2026-01-01' };
  assert.deepEqual(cardPaths('roles', role), ['owner', 'accessProfiles', 'modified']);
});

test('tells which attributes the card shows', () => {
  const person = {
    displayName: 'Ada Byron',
    email: 'ada@acme.test',
    attributes: {
      ...{ displayName: 'Ada Byron', department: 'Sales', jobTitle: 'Analyst', city: 'Oslo' },
      ...{ email: 'ada@acme.test', cloudLifecycleState: 'active', phone: '1' },
    },
  };
  assert.deepEqual(cardAttributes('identities', person), [
    ...['displayName', 'department', 'jobTitle', 'email', 'cloudLifecycleState'],
  ]);
  const other = { ...person, email: 'other@acme.test' };
  assert.ok(!cardAttributes('identities', other).includes('email'), 'another value is shown');
  assert.deepEqual(cardAttributes('roles', { name: 'Auditor' }), []);
});
