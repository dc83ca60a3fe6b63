// The profile management of the demo company is consistent: references are to earlier records, keys
// are unique, and the same seed gives the same bytes. test/cli/demo-profiles.test.ts imports it.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { demoDocuments } from './documents.ts';
import { DemoProfiles } from './profiles.ts';

// biome-ignore lint/suspicious/noExplicitAny: records are looked at member by member
type Wire = Record<string, any>;

const NOW = Date.UTC(2025, 10, 1);
const make = (profiles: number, seed = 1, identities = 200) =>
  new DemoProfiles({ seed, identities, now: NOW, profiles });

function* everything(demo: DemoProfiles): Generator<unknown> {
  yield* demo.definitions();
  yield* demo.profiles();
  yield* demo.dependents();
  yield* demo.searches();
}

function digest(demo: DemoProfiles): string {
  const hash = createHash('sha256');
  for (const record of everything(demo)) hash.update(JSON.stringify(record));
  return hash.digest('hex');
}

test('the same seed gives the same bytes, a different one does not', () => {
  assert.equal(digest(make(300)), digest(make(300)));
  assert.notEqual(digest(make(300)), digest(make(300, 2)));
});

// Change these only on purpose: examples and benchmarks use these records.
for (const [profiles, seed, expected] of [
  [200, 7, 'a04ace55407d2e48'],
  [3000, 1, '727c4188f19c81b9'],
] as const) {
  test(`${profiles} profiles have the same bytes as in the last version`, () => {
    assert.equal(digest(make(profiles, seed)).slice(0, 16), expected);
  });
}

const REFERENCES = ['organization', 'host', 'worker'];
const USER_REFERENCES = ['sponsor', 'deputy', 'vendor_owner', 'reviewers'];

for (const profiles of [1, 2, 3, 4, 5, 9, 10, 47, 400]) {
  test(`${profiles} profiles are consistent`, () => {
    const demo = make(profiles);
    const groups = [...demo.definitions(), ...demo.dependents()];
    const of = (kind: string): Wire[] =>
      groups.flatMap((group) => (group.kind === kind ? group.records : []));
    const uids = (kind: string) => new Set(of(kind).map(({ uid }) => uid));
    const users = uids('user');
    const before = new Map<string, Wire>();
    for (const profile of demo.profiles() as Iterable<Wire>) {
      const { id, uid, attributes, profile_type_id: type } = profile;
      assert.match(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      assert.ok(!before.has(uid), uid);
      assert.ok(uids('profileType').has(type));
      for (const name of Object.keys(attributes)) assert.ok(uids('attribute').has(name), name);
      for (const name of REFERENCES) {
        const target = attributes[name];
        if (target !== undefined) assert.ok(before.has(target), `${uid} ${name}`);
      }
      for (const name of USER_REFERENCES) {
        for (const user of attributes[name]?.split(',') ?? []) assert.ok(users.has(user), user);
      }
      assert.ok(profile['created_at'] <= profile['updated_at']);
      assert.ok(Date.parse(profile['updated_at']) <= NOW);
      before.set(id, profile).set(uid, profile);
    }
    assert.equal(before.size, 2 * profiles);
    for (const { object_id } of of('riskScore')) assert.ok(before.has(object_id));
    for (const { user_id, role_id } of of('userRole')) {
      assert.ok(users.has(user_id) && uids('role').has(role_id));
    }
    for (const { profile_id } of of('user')) {
      if (profile_id !== undefined) assert.ok(before.has(profile_id));
    }
  });
}

test('vendors have unique names, since imports identify them by name', () => {
  const names = new Set<unknown>();
  let count = 0;
  for (const { name } of make(30_000).profiles()) {
    names.add(name);
    count += 1;
    if (count === 600) break;
  }
  assert.equal(names.size, 600);
});

test('ids of all records are unique', () => {
  const demo = make(400);
  const dependents = [...demo.dependents()].filter(({ kind }) => kind !== 'profileType');
  const records: Wire[] = dependents.flatMap((group) => [...group.records]);
  records.push(...demo.definitions().flatMap(({ records: described }) => described));
  records.push(...demo.profiles(), ...demo.searches());
  assert.equal(new Set(records.map(({ id }) => id)).size, records.length);
});

describe('together with the company', () => {
  const documents: Wire[] = [...demoDocuments({ seed: 1, identities: 800, now: NOW })];
  const people = new Map(documents.map((one) => [one['email'], one]));
  const profiles: Wire[] = [...make(1000, 1, 800).profiles()];

  test('employees and the first contractors are identities of its documents', () => {
    const identityProfiles = profiles.filter(
      ({ attributes: { email } }) => email && people.has(email),
    );
    const of = (type: string) => identityProfiles.filter((one) => one['profile_type_id'] === type);
    assert.ok(of('employee').length >= 80, String(of('employee').length));
    assert.ok(of('contractor').length >= 15, String(of('contractor').length));
    for (const { name, attributes } of identityProfiles) {
      assert.equal(people.get(attributes.email)?.['displayName'], name);
    }
  });

  test('users are identities of its documents', () => {
    const groups = make(10, 1, 800).definitions();
    const users = groups.flatMap(({ kind, records }) => (kind === 'user' ? [...records] : []));
    assert.ok(users.length > 40);
    for (const { sailpoint_identity_id: id, email } of users as Wire[]) {
      assert.equal(people.get(email)?.['id'], id);
    }
  });

  test('every class of attribute but attachments has values', () => {
    const used = new Set(profiles.flatMap(({ attributes }) => Object.keys(attributes)));
    const [plans] = make(10)
      .definitions()
      .flatMap(({ kind, records }) => (kind === 'attribute' ? [records as Wire[]] : []));
    const classes = new Set(plans?.map(({ data_type: type }) => type));
    const valued = new Set(
      plans?.flatMap(({ uid, data_type: type }) => (used.has(uid) ? type : [])),
    );
    assert.deepEqual(
      [...classes].filter((type) => !valued.has(type)),
      ['attachment'],
    );
    assert.equal(classes.size, 14);
  });
});
