import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grantsOf, heldIds } from './grants.ts';

const entitlement = { id: 'e1', type: 'ENTITLEMENT' };
const profile = { id: 'p1', name: 'Ledger basics', entitlements: [{ id: 'e1' }, { id: 'e2' }] };
const role = {
  id: 'r1',
  name: 'Clerk',
  accessProfiles: [{ id: 'p1' }],
  entitlements: [{ id: 'e1' }, { id: 'e3' }],
};
const held = { roles: [role], accessProfiles: [profile] };
const named = (element: unknown, documents = held) =>
  grantsOf(element, documents).map((grant) => grant.map(({ name }) => name).join(' → '));

test('follows an entitlement to its access profile and the role', () => {
  assert.deepEqual(named(entitlement), ['Clerk → Ledger basics']);
  assert.deepEqual(named(entitlement, { ...held, roles: [] }), ['Ledger basics']);
});

test('names a role that has the entitlement itself', () => {
  assert.deepEqual(named({ ...entitlement, id: 'e3' }), ['Clerk']);
});

test('follows an access profile to its roles, and finds nothing for what stands alone', () => {
  assert.deepEqual(named({ id: 'p1', type: 'ACCESS_PROFILE' }), ['Clerk']);
  assert.deepEqual(named({ id: 'e9', type: 'ENTITLEMENT' }), []);
  assert.deepEqual(named({ id: 'r1', type: 'ROLE' }), []);
});

test('lists the ids of a type once each', () => {
  assert.deepEqual(heldIds([entitlement, entitlement, { id: 'r1', type: 'Role' }], 'ROLE'), ['r1']);
  assert.deepEqual(heldIds([entitlement, entitlement], 'ENTITLEMENT'), ['e1']);
});
