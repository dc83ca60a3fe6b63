import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { patchCapabilities } from '../../src/identity/accounts/capability-patch.ts';
import { readPatch } from '../../src/identity/json/json-patch.ts';
import { capabilityPatch, capabilityRows, warningsFor } from './capability-change.ts';

const names = fc.uniqueArray(fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F'));

test('builds a patch that gives the chosen capabilities when the service applies it', () => {
  fc.assert(
    fc.property(names, names, (before, chosen) => {
      const patch = capabilityPatch(before, new Set(chosen));
      const after = patch.length === 0 ? before : patchCapabilities(before, readPatch(patch));
      assert.deepEqual([...after].sort(), [...chosen].sort());
    }),
  );
});

test('builds an empty patch without changes', () => {
  assert.deepEqual(capabilityPatch(['A', 'B'], new Set(['B', 'A'])), []);
});

test('lists the rights that the service grants to a capability', () => {
  const rows = new Map(capabilityRows(['OWN_LEVEL']).map((row) => [row.name, row]));
  assert.deepEqual(rows.get('ORG_ADMIN')?.grants, ['Everything']);
  assert.ok(rows.get('HELPDESK')?.grants.includes('Read any auth user'));
  assert.ok(!rows.get('HELPDESK')?.grants.includes('Search'));
  assert.equal(rows.get('INTERNAL')?.assignable, false);
  assert.deepEqual(rows.get('OWN_LEVEL')?.grants, []);
});

test('warns of removing an administrator, of removing oneself, and of exclusive pairs', () => {
  assert.equal(warningsFor(['ORG_ADMIN'], new Set(), false).length, 1);
  assert.equal(warningsFor(['ORG_ADMIN'], new Set(), true).length, 2);
  assert.equal(warningsFor([], new Set(['ROLE_ADMIN', 'SOURCE_SUBADMIN']), false).length, 1);
  assert.equal(
    warningsFor(
      ['ROLE_ADMIN', 'SOURCE_SUBADMIN'],
      new Set(['ROLE_ADMIN', 'SOURCE_SUBADMIN']),
      false,
    ).length,
    0,
  );
});
