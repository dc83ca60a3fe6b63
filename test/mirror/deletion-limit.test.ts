// A mirror never deletes more than half of a part, however many runs search for its deletions.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { RemoteRecord } from '../../src/jobs/mirror/remote/remote-tenant.ts';
import { openTestMirror, type TestMirror } from '../support/mirror-world.ts';

let mirror: TestMirror;
beforeEach(async () => {
  mirror = await openTestMirror();
});
afterEach(() => mirror.close());

const SWEEP = { sweepEveryMs: 0 };

function identities(count: number): RemoteRecord[] {
  return Array.from({ length: count }, (_, i) => ({
    ...{ _type: 'identity', id: `i${String(i).padStart(3, '0')}`, name: `user${i}` },
    ...{ created: '2024-01-01T00:00:00.000Z', modified: '2024-01-01T00:00:00.000Z' },
  }));
}

/** How many each of the next runs deletes, and whether it fails. */
async function deletions(runs: number, choices: object): Promise<(readonly [string, number])[]> {
  const results: [string, number][] = [];
  for (let i = 0; i < runs; i++) {
    const { outcome, counts } = await mirror.run(choices);
    results.push([outcome, counts.deleted]);
  }
  return results;
}

describe('a search that counts documents which it does not show', () => {
  beforeEach(async () => {
    // One is the youngest, so that increments copy nothing else.
    mirror.tenant.rows = identities(120);
    mirror.tenant.rows[0] = { ...identities(1)[0], id: 'i000', modified: '2025-01-01T00:00:00Z' };
    assert.equal((await mirror.run(SWEEP)).counts.created, 120);
    mirror.tenant.pageSize = 3;
    mirror.tenant.shows = (id) => Number(id.slice(1)) % 3 === 0;
  });

  test('loses half of them at most, in all sweeps together', async () => {
    assert.deepEqual(await deletions(4, SWEEP), [
      ['failed', 58],
      ['failed', 0],
      ['failed', 0],
      ['failed', 0],
    ]);
    mirror.tenant.shows = () => true;
    const { outcome, counts } = await mirror.run(SWEEP);
    assert.deepEqual([outcome, counts.created, counts.deleted], ['complete', 58, 0]);
    assert.equal((await mirror.part('identities')).shrinking, null);
  });

  test('is believed with --allow-shrinking, and from the next sweep on as before', async () => {
    await deletions(1, SWEEP);
    mirror.tenant.rows = mirror.tenant.rows.filter(({ id }) => mirror.tenant.shows(id));
    assert.deepEqual(await deletions(1, { ...SWEEP, allowShrinking: true }), [['complete', 22]]);
    assert.deepEqual(await deletions(1, SWEEP), [['complete', 0]]);
  });

  test('and then counts a few only, loses nothing more when a sweep is resumed', async () => {
    await deletions(1, SWEEP);
    mirror.tenant.rows = mirror.tenant.rows.slice(0, 10);
    const { outcome, counts, faults } = await mirror.run(SWEEP);
    assert.deepEqual([outcome, counts.deleted], ['failed', 0]);
    assert.match(faults.join(), /^identities: the remote tenant shows 10 of 120 documents/);
  });
});

test('auth users that seem to be gone are deleted up to half, in all runs together', async () => {
  mirror.tenant.rows = identities(100);
  const users = { ...SWEEP, authUsers: 'all' as const };
  assert.equal((await mirror.run(users)).counts.created, 200);
  // Twenty of each forty.
  mirror.tenant.hasUser = (id) => Number(id.slice(1)) % 40 >= 20;
  assert.deepEqual(await deletions(3, users), [
    ['failed', 40],
    ['failed', 0],
    ['failed', 0],
  ]);
});

test('nothing is deleted of a collection that shows less than half of what it did', async () => {
  const users = Array.from({ length: 120 }, (_, i) => ({
    ...{ id: `00000000-0000-4000-8000-000000000${String(i).padStart(3, '0')}`, uid: `u${i}` },
    ...{ name: `User ${i}`, email: `u${i}@acme.example`, login: `u${i}`, type: 'NeprofileUser' },
  }));
  mirror.profiles.collections = { users };
  assert.equal((await mirror.run()).counts.created, 120);
  mirror.profiles.collections = { users: users.slice(0, 50) };
  assert.deepEqual(await deletions(2, {}), [
    ['failed', 0],
    ['failed', 0],
  ]);
});
