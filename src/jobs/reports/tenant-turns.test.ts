import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TenantTurns } from './tenant-turns.ts';

test('whose last turn is longest ago comes first, and tenants without work begin anew', () => {
  const turns = new TenantTurns();
  assert.deepEqual(turns.inOrder(['a', 'b', 'c', 'a'], []), ['a', 'b', 'c']);
  for (const tenantId of ['a', 'c', 'b']) turns.take(tenantId);
  assert.deepEqual(turns.inOrder(['a', 'b', 'c'], []), ['a', 'c', 'b']);
  turns.take('a');
  assert.deepEqual(turns.inOrder(['c', 'b'], ['a']), ['c', 'b']);
  assert.deepEqual(turns.inOrder(['a', 'b', 'c'], []), ['c', 'b', 'a']);
  assert.deepEqual(turns.inOrder(['c'], []), ['c']);
  assert.deepEqual(turns.inOrder(['c', 'a', 'b'], []), ['a', 'b', 'c']);
});
