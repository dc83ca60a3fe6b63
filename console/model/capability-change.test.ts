import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CAPABILITIES } from '../../src/auth/capabilities.ts';
import { readPatch } from '../../src/json/json-patch.ts';
import { patchCapabilities } from '../../src/service/accounts/capability-patch.ts';
import {
  capabilityDifference,
  capabilityPatch,
  capabilityRows,
  isNamed,
  titleOf,
  warningsFor,
} from './capability-change.ts';

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

test('has words for every built-in capability, and the id of a custom one', () => {
  for (const name of CAPABILITIES) assert.notEqual(titleOf(name), name);
  assert.equal(titleOf('constructor'), 'constructor');
});

test('finds capabilities by name, words and what they allow', () => {
  const found = (words: string) =>
    capabilityRows([])
      .filter((row) => isNamed(row, words))
      .map(({ name }) => name);
  assert.deepEqual(found('help desk'), ['HELPDESK']);
  assert.deepEqual(found('org_admin'), ['ORG_ADMIN']);
  assert.ok(found('auth user').includes('HELPDESK'));
});

test('tells what a change added and removed', () => {
  assert.deepEqual(capabilityDifference(['A', 'B'], ['B', 'C']), { added: ['C'], removed: ['A'] });
});
