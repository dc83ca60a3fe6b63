import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grantGraph } from './graph/grant-graph.ts';
import { entitlementQuestions, grantQuestions, inactiveOnly } from './reach.ts';

const profile = {
  ...{ id: 'p', name: 'Preparation', source: { id: 's', name: 'Pay roll' } },
  entitlements: [
    { id: 'e', name: 'Read', privileged: true },
    { id: 'f', name: 'Write' },
  ],
};
const role = { id: 'r', name: 'Payroll Clerk', accessProfiles: [{ id: 'p' }] };

test('asks who holds a role, and who reaches each source through it', () => {
  const documents = { roles: [role], accessProfiles: [profile], entitlements: [] };
  const graph = grantGraph('role', role, documents);
  assert.deepEqual(grantQuestions('role', role, graph), [
    { label: 'Hold this role', query: '@access(id:r)', entitlements: null, privileged: null },
    {
      label: 'Reach Pay roll through it',
      query: '@access(via.role.exact:"Payroll Clerk" AND source.name.exact:"Pay roll")',
      ...{ entitlements: 2, privileged: 1 },
    },
  ]);
});

test('asks in which ways an entitlement is held, and who reaches its source through a role', () => {
  assert.deepEqual(
    entitlementQuestions({ id: 'e', name: 'Read' }, 'Payroll').map(({ query }) => query),
    [
      '@access(id:e)',
      '@access(via.role:* AND id:e)',
      '@access(via.accessProfile:* AND id:e) AND NOT @access(via.role:* AND id:e)',
      '@access(id:e) AND NOT @access(via.role:* AND id:e) AND NOT @access(via.accessProfile:* AND id:e)',
      '@access(via.role:* AND source.name.exact:Payroll)',
    ],
  );
});

test('asks the same about people who have left', () => {
  assert.equal(inactiveOnly('@access(id:e)'), 'inactive:true AND @access(id:e)');
});
