// Two tenants under profile management: to each, the other is not there. Another tenant's id is answered, byte for byte, as
// an id that nobody has, in paths, filters and bodies.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Call, withApiKey } from '../support/api-key.ts';
import { addTenant } from '../support/callers.ts';
import { type RunningService, startService } from '../support/service.ts';

const SECRET = 'xyzzy-plugh-42';
const NOBODY = 'c0ffee00-0000-4000-8000-00000000dead';

let service: RunningService;
let mine: Call;
let theirs: Call;
/** Ids of the other tenant's records, by collection. */
const planted: Record<string, string> = {};

before(async () => {
  service = await startService();
  const other = await addTenant(service, 'other');
  ({ call: mine } = await withApiKey(service));
  ({ call: theirs } = await withApiKey(service, other.tenantId));
  const plant = async (path: string, key: string, singular: string, fields: object) => {
    const { body } = await theirs('POST', `/api/${path}`, {
      [singular]: { uid: SECRET, ...fields },
    });
    planted[key] = body[singular].id;
  };
  const user = { name: SECRET, email: SECRET, type: 'NeprofileUser', login: SECRET };
  await plant('user', 'users', 'user', user);
  await plant('role', 'roles', 'role', { name: SECRET });
  await plant('user_role', 'user_roles', 'user_role', { user_id: SECRET, role_id: SECRET });
  const manager = { user_id: SECRET, manager_id: SECRET };
  await plant('user_manager', 'user_managers', 'user_manager', manager);
  await plant('profile_type', 'profile_types', 'profile_type', { name: SECRET });
  const attribute = { label: SECRET, data_type: 'drop-down' };
  await plant('ne_attributes', 'ne_attributes', 'ne_attribute', attribute);
  const option = { ne_attribute_id: SECRET, option: SECRET };
  await plant('ne_attribute_option', 'ne_attribute_options', 'ne_attribute_option', option);
});
after(() => service.stop());

const SINGULAR: Readonly<Record<string, string>> = {
  ...{ users: 'user', roles: 'role', user_roles: 'user_role', user_managers: 'user_manager' },
  ...{ profile_types: 'profile_type', ne_attributes: 'ne_attribute' },
  ne_attribute_options: 'ne_attribute_option',
};

for (const [key, singular] of Object.entries(SINGULAR)) {
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    test(`${method} ${key}: another tenant's record is answered like a random id`, async () => {
      const body = method === 'PATCH' ? { [singular]: { uid: 'x', name: 'mine now' } } : undefined;
      const answer = async (id: string) => {
        const { status, body: told } = await mine(method, `/api/${key}/${id}`, body);
        return { status, told };
      };
      const random = await answer(NOBODY);
      assert.deepEqual(await answer(planted[key] ?? ''), random);
      assert.deepEqual(await answer(SECRET), random);
    });
  }

  test(`${key}: a list tells nothing of another tenant's records`, async () => {
    const { body } = await mine('GET', `/api/${key}?metadata=true`);
    assert.deepEqual([body[key], body._metadata.total], [[], 0]);
    assert.equal((await theirs('GET', `/api/${key}`)).body.length, 1);
  });
}

const FILTERS = [
  'user_roles?user_id=',
  'user_managers?manager_id=',
  'ne_attributes?profile_type_id=',
];
for (const filter of FILTERS) {
  test(`${filter}… finds nothing by the id or uid of another tenant's record`, async () => {
    for (const id of [...Object.values(planted), SECRET, NOBODY]) {
      assert.deepEqual((await mine('GET', `/api/${filter}${id}`)).body, []);
    }
  });
}

const REFERENCES: readonly [path: string, singular: string, member: string, fields: object][] = [
  ['user_role', 'user_role', 'user_id', { role_id: NOBODY }],
  ['user_manager', 'user_manager', 'manager_id', { user_id: NOBODY }],
  ['ne_attribute_option', 'ne_attribute_option', 'ne_attribute_id', { option: 'x' }],
  ['ne_attributes', 'ne_attribute', 'profile_type_id', { label: 'x', data_type: 'date' }],
];
for (const [path, singular, member, fields] of REFERENCES) {
  test(`POST ${path} with another tenant's ${member} is refused as with a random one`, async () => {
    const answer = async (id: string) => {
      const { status, body } = await mine('POST', `/api/${path}`, {
        [singular]: { ...fields, [member]: id },
      });
      return { status, body };
    };
    const random = await answer(NOBODY);
    assert.deepEqual(random.body.errors[member], ['was not found']);
    for (const id of [...Object.values(planted), SECRET])
      assert.deepEqual(await answer(id), random);
  });
}

test('what is unique is so in one tenant: a login and a uid of another one are free', async () => {
  const user = { name: 'x', email: 'x', type: 'NeprofileUser', login: SECRET, uid: SECRET };
  const { status, body } = await mine('POST', '/api/user', { user });
  assert.equal(status, 200);
  assert.equal((await mine('DELETE', `/api/users/${SECRET}`)).status, 200);
  assert.equal((await theirs('GET', `/api/users/${SECRET}`)).status, 200);
  assert.notEqual(body.user.id, planted['users']);
});

test('what was tried from outside has changed nothing inside', async () => {
  for (const [key, singular] of Object.entries(SINGULAR)) {
    const { status, body } = await theirs('GET', `/api/${key}/${planted[key]}`);
    assert.equal(status, 200);
    assert.equal(body[singular].uid, SECRET);
  }
});
