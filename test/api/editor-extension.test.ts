// The calls of a public editor extension, in the order it makes them, and what it reads in their answers: its base address
// ends in a slash, its key goes as bearer, it always asks for metadata and pages by offset until it has the total.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Call, caller, withApiKey } from '../support/api-key.ts';
import { plantProfile } from '../support/profiles.ts';
import { type RunningService, startService } from '../support/service.ts';

const PAGE = 100;
const USERS = 230;

let service: RunningService;
let call: Call;

before(async () => {
  service = await startService();
  ({ call } = await withApiKey(service));
  const users = Array.from({ length: USERS }, (_, n) => ({
    ...{ name: `User ${n % 7}`, email: `u${n}@acme.test`, type: 'NeprofileUser', login: `u${n}` },
  }));
  assert.equal((await call('POST', '/api/users', { users })).status, 200);
  for (const name of ['Sponsors', 'Auditors', 'Owners']) {
    assert.equal((await call('POST', '/api/role', { role: { name } })).status, 200);
  }
  const type = (await call('POST', '/api/profile_type', { profile_type: { name: 'Staff' } })).body;
  await plantProfile(service, type.profile_type.id);
  const attribute = { label: 'City', data_type: 'drop-down', uid: 'city' };
  await call('POST', '/api/ne_attributes', { ne_attribute: attribute });
  const options = ['Oslo', 'Lima'].map((option) => ({ ne_attribute_id: 'city', option }));
  await call('POST', '/api/ne_attribute_options', { ne_attribute_options: options });
});
after(() => service.stop());

/** All records of a collection, as the extension collects them. */
async function collect(key: string, parameters = ''): Promise<Record<string, string>[]> {
  const records: Record<string, string>[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const path = `/api//${key}?limit=${PAGE}&offset=${offset}&metadata=true${parameters}`;
    const { status, body } = await call('GET', path, undefined, {
      accept: 'application/json, text/plain, */*',
      'content-type': 'application/json',
    });
    assert.equal(status, 200, path);
    assert.ok(Number.isInteger(body._metadata.total));
    records.push(...body[key]);
    if (offset + PAGE >= body._metadata.total) return records;
  }
}

test('it tells a good key from a bad one by one request', async () => {
  assert.equal((await call('GET', '/api/users?limit=1')).status, 200);
  const stranger = caller(service.url, `Bearer ne-${'f'.repeat(32)}`);
  assert.equal((await stranger('GET', '/api/users?limit=1')).status, 401);
});

test('it collects every record of every collection once', async () => {
  const counts: Record<string, number> = {};
  const lists: [string, string?][] = [
    ['users'],
    ['roles', '&order=name'],
    ['user_roles'],
    ['profile_types', '&order=name'],
    ['ne_attributes'],
    ['ne_attribute_options'],
  ];
  for (const [key, parameters] of lists) {
    const records = await collect(key, parameters);
    counts[key] = records.length;
    assert.equal(new Set(records.map(({ id }) => id)).size, records.length);
  }
  assert.deepEqual(counts, {
    ...{ users: USERS, roles: 3, user_roles: 0, profile_types: 1 },
    ...{ ne_attributes: 1, ne_attribute_options: 2 },
  });
  const names = (await collect('roles', '&order=name')).map(({ name }) => name);
  assert.deepEqual(names, ['Auditors', 'Owners', 'Sponsors']);
});

test('it shows a profile type', async () => {
  const [type] = await collect('profile_types', '&order=name');
  const { body } = await call('GET', `/api//profile_types/${type?.['id']}`);
  assert.deepEqual(body.profile_type, type);
});

test('it changes a user by sending the whole record back', async () => {
  const [user] = await collect('users');
  const changed = { ...user, status: 'Disabled' };
  const { status, body } = await call('PATCH', `/api/users/${user?.['id']}`, { user: changed });
  assert.equal(status, 200);
  assert.deepEqual(body.user, changed);
});

test('it adds members to a role and takes one away', async () => {
  const [role] = await collect('roles', '&order=name');
  const users = (await collect('users')).slice(0, 3);
  const user_roles = users.map(({ id }) => ({ user_id: id, role_id: role?.['id'] }));
  const added = await call('POST', '/api/user_roles', { user_roles });
  assert.equal(added.status, 200);
  assert.equal(added.body.user_roles.length, 3);
  const members = await collect('user_roles', `&role_id=${role?.['id']}`);
  const byId = (a: Record<string, string>, b: Record<string, string>) =>
    (a['id'] ?? '') < (b['id'] ?? '') ? -1 : 1;
  assert.deepEqual(members.sort(byId), added.body.user_roles.sort(byId));
  const { status } = await call('DELETE', `/api/user_role/${members[0]?.['id']}`);
  assert.equal(status, 200);
  const [, second] = members;
  const roles = await collect('user_roles', `&user_id=${second?.['user_id']}`);
  assert.equal(roles.length, 1);
  assert.equal((await collect('user_roles', `&role_id=${role?.['id']}`)).length, 2);
});

test('it deletes a user and is told what it deleted', async () => {
  const [user] = await collect('users', '&login=u7');
  const { status, body } = await call('DELETE', `/api/users/${user?.['id']}`);
  assert.equal(status, 200);
  assert.equal(body.info, `The user ${user?.['name']} has been deleted`);
  assert.equal((await collect('users')).length, USERS - 1);
});

test('it lists profiles of a type, changes one and deletes it', async () => {
  const [type] = await collect('profile_types', '&order=name');
  const [profile, ...others] = await collect('profiles', `&profile_type_id=${type?.['id']}`);
  assert.equal(others.length, 0);
  const path = `/api/profiles/${profile?.['id']}`;
  const { status, body } = await call('PATCH', path, { profile: { ...profile, name: 'Renamed' } });
  assert.equal(status, 200);
  assert.equal(body.profile.name, 'Renamed');
  assert.equal((await call('DELETE', path)).status, 204);
  assert.deepEqual(await collect('profiles', `&profile_type_id=${type?.['id']}`), []);
});
