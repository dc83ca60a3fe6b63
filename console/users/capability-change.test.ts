import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { patchCapabilities } from '../../src/identity/accounts/capability-patch.ts';
import { readPatch } from '../../src/identity/json/json-patch.ts';
import { capabilityPatch, capabilityRows, concernsOf } from './capability-change.ts';

const names = fc.uniqueArray(fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F'));

test('the patch that is previewed makes, in the service, the list that was chosen', () => {
  fc.assert(
    fc.property(names, names, (before, chosen) => {
      const patch = capabilityPatch(before, new Set(chosen));
      const after = patch.length === 0 ? before : patchCapabilities(before, readPatch(patch));
      assert.deepEqual([...after].sort(), [...chosen].sort());
    }),
  );
});

test('nothing chosen is nothing sent', () => {
  assert.deepEqual(capabilityPatch(['A', 'B'], new Set(['B', 'A'])), []);
});

test('what a capability opens is what the service lets it do', () => {
  const rows = new Map(capabilityRows(['OWN_LEVEL']).map((row) => [row.name, row]));
  assert.deepEqual(rows.get('ORG_ADMIN')?.opens, ['Everything']);
  assert.ok(rows.get('HELPDESK')?.opens.includes('Read any auth user'));
  assert.ok(!rows.get('HELPDESK')?.opens.includes('Search'));
  assert.equal(rows.get('INTERNAL')?.assignable, false);
  assert.deepEqual(rows.get('OWN_LEVEL')?.opens, []);
});

test('losing an administrator, oneself, and pairs that do not go together are minded', () => {
  assert.equal(concernsOf(['ORG_ADMIN'], new Set(), false).length, 1);
  assert.equal(concernsOf(['ORG_ADMIN'], new Set(), true).length, 2);
  assert.equal(concernsOf([], new Set(['ROLE_ADMIN', 'SOURCE_SUBADMIN']), false).length, 1);
  assert.equal(
    concernsOf(['ROLE_ADMIN', 'SOURCE_SUBADMIN'], new Set(['ROLE_ADMIN', 'SOURCE_SUBADMIN']), false)
      .length,
    0,
  );
});
