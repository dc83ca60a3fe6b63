// A profile management that changes while it is read, refuses a collection, or uses a key again.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { RemoteRecord } from '../../src/mirror/remote/remote-tenant.ts';
import { openTestMirror, type TestMirror } from '../support/mirror-world.ts';

let mirror: TestMirror;
beforeEach(async () => {
  mirror = await openTestMirror();
});
afterEach(() => mirror.close());

const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const OLD = { created_at: '2024-01-01T00:00:00.000Z', updated_at: '2024-01-01T00:00:00.000Z' };
const TYPE = { id: id(1), uid: 'contractor', name: 'Contractor', ...OLD };
const ATTRIBUTES = [
  { id: id(2), uid: 'badge', label: 'Badge', data_type: 'text field', ...OLD },
  { id: id(3), uid: 'floor', label: 'Floor', data_type: 'text field', ...OLD },
  { id: id(4), uid: 'sponsor', label: 'Sponsor', data_type: 'owner select', ...OLD },
];
const LEVEL = { id: id(5), uid: 'high', label: 'High', order: 1, points: 10, ...OLD };

function profile(number: number, attributes: object, members: object = {}): RemoteRecord {
  return {
    ...{ id: id(number), uid: `C${number}`, name: `Profile ${number}`, status: 'Active' },
    ...{ profile_type_id: TYPE.id, archived: false, attributes, ...OLD, ...members },
  };
}

/** Copies users and profiles with all that they need, for the first time, and sweeps. */
async function copy(users: RemoteRecord[], profiles: RemoteRecord[]): Promise<void> {
  mirror.profiles.collections = {
    ...{ profile_types: [TYPE], ne_attributes: ATTRIBUTES, risk_levels: [LEVEL] },
    ...{ users, profiles },
  };
  const { faults, counts } = await mirror.run({ sweepEveryMs: 0 });
  assert.deepEqual([faults, counts.refused], [[], 0]);
}

test('a profile that only has a new time of its last change gets that time', async () => {
  await copy([], [profile(30, { badge: '7' })]);
  const updated_at = mirror.clock.now;
  mirror.profiles.collections['profiles'] = [profile(30, { badge: '7' }, { updated_at })];
  assert.equal((await mirror.run()).counts.updated, 1);
  assert.equal((await mirror.profile(id(30)))?.['updated_at'], updated_at);
  assert.equal((await mirror.run()).counts.updated, 0);
});
