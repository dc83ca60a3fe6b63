// suite: slow
// A profile management that changes while it is read, refuses a collection, or uses a key again.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { RemoteRecord } from '../../src/jobs/mirror/remote/remote-tenant.ts';
import { referencesOf } from '../../src/service/profiles/values/shown-profiles.ts';
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

function user(number: number, name = `User ${number}`): RemoteRecord {
  const login = name.toLowerCase().replaceAll(' ', '.');
  return {
    ...{ id: id(number), uid: `u${number}`, name, login, email: `${login}@acme.example` },
    ...{ type: 'NeprofileUser', status: 'Active', ...OLD },
  };
}

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

const userHere = (number: number) => {
  const { store, tenantId } = mirror.world();
  return store.read.resource(tenantId, 'user', id(number));
};

test('users who are created before the place where users are read end nothing', async () => {
  const users = [11, 12, 13, 14, 15, 16, 17].map((number) => user(number));
  mirror.profiles.beforePage = (collection, offset) => {
    if (collection !== 'users' || offset !== 3) return;
    users.push(...[5, 6, 7, 8, 9, 10].map((number) => user(number)));
  };
  await copy(users, [profile(30, { sponsor: 'User 17 (user.17@acme.example)' })]);
  assert.notEqual(await userHere(17), null);
  assert.notEqual(await mirror.profile(id(30)), undefined);
  mirror.profiles.beforePage = () => {};
  assert.equal((await mirror.run()).counts.created, 3, 'those that were on a page before');
});

test('the only user, listed again after another one was created, ends nothing', async () => {
  const users = [user(12)];
  mirror.profiles.beforePage = (collection, offset) => {
    if (collection === 'users' && offset === 1) users.push(user(11));
  };
  await copy(users, []);
  assert.notEqual(await userHere(12), null);
});

test('a collection that ignores the offset is not read for ever', async () => {
  mirror.profiles.records = async (collection) => (collection === 'users' ? [user(11)] : []);
  const { faults } = await mirror.run();
  assert.equal(faults.length, 1);
  assert.match(
    faults.join(),
    /users: the remote tenant repeats records, as if it ignored the offset/,
  );
});

test('a collection that cannot be read stops no other, and loses nothing', async () => {
  await copy([user(11), user(12)], [profile(30, {})]);
  mirror.profiles.failing.add('risk_levels');
  mirror.profiles.collections['users'] = [user(11), user(13)];
  mirror.profiles.collections['profiles']?.push(
    profile(31, { badge: '7' }, { updated_at: mirror.clock.now }),
  );
  const { outcome, faults, counts } = await mirror.run();
  assert.deepEqual([outcome, faults], ['failed', ['GET /api/risk_levels answered 404']]);
  assert.deepEqual([counts.created, counts.deleted, counts.refused], [2, 1, 0]);
  assert.deepEqual([await userHere(12), (await userHere(13))?.login], [null, 'user.13']);
  const { store, tenantId } = mirror.world();
  assert.notEqual(await store.read.resource(tenantId, 'riskLevel', LEVEL.id), null);
});

for (const runs of [1, 2]) {
  test(`a profile that names a user comes after ${runs} runs that could not read users`, async () => {
    await copy([user(11)], []);
    mirror.clock.now = '2026-01-01T15:00:00.000Z';
    mirror.profiles.failing.add('users');
    mirror.profiles.collections['users']?.push(user(12));
    const sponsor = 'User 12 (user.12@acme.example)';
    const updated = { updated_at: '2026-01-01T13:00:00.000Z' };
    mirror.profiles.collections['profiles'] = [profile(30, { sponsor }, updated)];
    for (let run = 1; run <= runs; run++) {
      const failed = await mirror.run();
      assert.deepEqual([failed.outcome, await mirror.profile(id(30))], ['failed', undefined]);
      // No later increment asks for it.
      mirror.clock.now = `2026-01-01T${15 + run}:00:00.000Z`;
    }
    mirror.profiles.failing.clear();
    const { outcome, counts } = await mirror.run();
    assert.deepEqual([outcome, counts.refused], ['complete', 0]);
    assert.deepEqual((await mirror.profile(id(30)))?.['attributes'], { sponsor });
  });
}

test('a link to a profile that cannot be stored is refused, and ends nothing', async () => {
  const role = { id: id(20), uid: 'r', name: 'Role', ...OLD };
  const link = { id: id(21), uid: 'l', role_id: role.id, profile_id: id(30), ...OLD };
  mirror.profiles.collections = { roles: [role], role_profiles: [link], users: [user(11)] };
  const { outcome, counts, refused } = await mirror.run();
  assert.deepEqual([outcome, counts.created, counts.refused], ['complete', 2, 1]);
  assert.deepEqual(refused, [
    {
      ...{ part: 'profile-management/role_profiles', count: 1, id: id(21) },
      reason: 'profile_id was not found',
    },
  ]);
});

test('records of another shape are refused one by one', async () => {
  await copy([user(11)], [profile(30, { badge: '7' })]);
  const namings = [null, 5, { ne_attribute_id: id(2), order: 1 }];
  Object.assign(mirror.profiles.collections, {
    profile_types: [TYPE, { ...TYPE, id: id(6), uid: 'odd', profile_type_namings: namings }],
    profiles: ['null', '"badge"', '[]', '5'].map((attributes, i) => ({
      ...profile(30 + i, {}, { updated_at: mirror.clock.now }),
      attributes: JSON.parse(attributes),
    })),
  });
  const { outcome, counts } = await mirror.run();
  assert.deepEqual([outcome, counts.updated, counts.refused], ['complete', 1, 5]);
  assert.deepEqual((await mirror.profile(id(30)))?.['attributes'], {}, 'null is no value');
});

test('a user who was deleted and created again keeps the profiles that name them', async () => {
  const sponsor = 'Ada Byron (ada.byron@acme.example)';
  await copy([user(11, 'Ada Byron')], [profile(30, { sponsor })]);
  mirror.profiles.collections['users'] = [user(12, 'Ada Byron')];
  const updated = { updated_at: mirror.clock.now };
  mirror.profiles.collections['profiles'] = [profile(30, { sponsor }, updated)];
  const { outcome, counts } = await mirror.run();
  assert.deepEqual([outcome, counts.created, counts.deleted], ['complete', 1, 1]);
  const { store, tenantId } = mirror.world();
  const references = await referencesOf(store.read, tenantId, id(30));
  assert.deepEqual(references, { sponsor: [{ type: 'user', id: id(12), text: sponsor }] });
});

test('a new profile with the uid of a deleted one has nothing of that one', async () => {
  await copy([], [profile(30, { badge: 'old', floor: '3' })]);
  const updated = { uid: 'C30', updated_at: mirror.clock.now };
  mirror.profiles.collections['profiles'] = [profile(31, { badge: 'new' }, updated)];
  const { outcome, counts } = await mirror.run();
  assert.deepEqual([outcome, counts.created, counts.deleted], ['complete', 1, 1]);
  assert.equal(await mirror.profile(id(30)), undefined);
  const created = await mirror.profile(id(31));
  assert.deepEqual([created?.['uid'], created?.['attributes']], ['C30', { badge: 'new' }]);
  assert.equal((await mirror.run({ sweepEveryMs: 0 })).counts.deleted, 0);
});

test('a profile with the uid of one that is no copy is refused, and deletes nothing', async () => {
  await copy([], []);
  const { store, tenantId } = mirror.world();
  await store.write((records) =>
    records.addProfiles(tenantId, [
      {
        ...{ id: id(40), uid: 'C30', name: 'Local', profileTypeId: TYPE.id, status: 'Active' },
        ...{ idProofingStatus: null, archived: false },
        ...{ createdAt: OLD.created_at, updatedAt: OLD.updated_at },
      },
    ]),
  );
  const updated = { updated_at: mirror.clock.now };
  mirror.profiles.collections['profiles'] = [profile(30, {}, updated)];
  const { counts } = await mirror.run();
  assert.deepEqual([counts.created, counts.deleted], [0, 0]);
  assert.equal((await mirror.profile(id(40)))?.['name'], 'Local');
  const { refusals } = await mirror.part('profile-management/profiles');
  assert.deepEqual(refusals, [{ id: id(30), reason: 'uid has already been taken' }]);
});

test('a profile that only has a new time of its last change gets that time', async () => {
  await copy([], [profile(30, { badge: '7' })]);
  const updated_at = mirror.clock.now;
  mirror.profiles.collections['profiles'] = [profile(30, { badge: '7' }, { updated_at })];
  assert.equal((await mirror.run()).counts.updated, 1);
  assert.equal((await mirror.profile(id(30)))?.['updated_at'], updated_at);
  assert.equal((await mirror.run()).counts.updated, 0);
});
