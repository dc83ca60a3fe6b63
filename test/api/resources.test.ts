// Every kind of record of profile management over HTTP: made, read, changed, deleted, one by one; and what goes with what
// is deleted.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Call } from '../support/api-key.ts';
import { countItems, plantProfile } from '../support/profiles.ts';
import {
  member,
  type ResourceWorld,
  startResourceWorld,
  UNKNOWN_ID,
} from '../support/resource-world.ts';
import type { RunningService } from '../support/service.ts';

let world: ResourceWorld;
let service: RunningService;
let call: Call;
let make: ResourceWorld['make'];

before(async () => {
  world = await startResourceWorld();
  ({ service, call, make } = world);
});
after(() => world.service.stop());

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

interface Kind {
  readonly key: string;
  readonly singular: string;
  readonly one: string;
  readonly fields: object;
  readonly reads: object;
  readonly change: object;
  readonly changed: object;
  readonly removal?: readonly string[];
  readonly removed?: (record: Record<string, unknown>) => unknown;
}

const KINDS: readonly Kind[] = [
  {
    ...{ key: 'profile_types', singular: 'profile_type', one: 'profile_type' },
    fields: { name: 'Vendor', category: 'non-employee', permitted_role_ids: ['sponsors'] },
    reads: {
      ...{ name: 'Vendor', category: 'non-employee', bypass_dup_protection: false },
      ...{ archived: false, permitted_role_ids: ['$role'], isc_synced: false },
      ...{ profile_type_dup_attributes: [], profile_type_namings: [] },
    },
    change: { archived: true, id: 'ignored', colour: 'ignored' },
    changed: { archived: true, name: 'Vendor' },
    removal: ['profile_types'],
    removed: () => ({ info: 'The profile type Vendor has been deleted' }),
  },
  {
    ...{ key: 'ne_attributes', singular: 'ne_attribute', one: 'ne_attributes' },
    fields: { label: 'Start', type: 'DateAttribute', profile_type_id: 'staff' },
    reads: {
      ...{ label: 'Start', description: null, tool_tip: null, crypt: false, archived: false },
      ...{ archived_on: null, date_format: null, selectable_status: null, risk_type: 'none' },
      ...{ risk_score_setting: 'standard', ownership_driven: false, legacy_id: null },
      ...{ allow_multiple_selections: false, filtered_by_ne_attribute: false },
      ...{ filtering_ne_attribute_id: null, ne_attribute_filter_id: null },
      ...{ reverse_association_attribute: null, profile_type_id: '$type' },
      ...{ data_type: 'date', type: 'DateAttribute', validations: [] },
    },
    change: { date_format: 'yyyy-mm-dd', data_type: 'date', filtering_ne_attribute_id: 'city' },
    changed: { date_format: 'yyyy-mm-dd', filtering_ne_attribute_id: '$attribute' },
    removal: ['ne_attributes'],
    removed: (record) => ({ ne_attribute: record }),
  },
  {
    ...{ key: 'ne_attribute_options', singular: 'ne_attribute_option' },
    one: 'ne_attribute_option',
    fields: { ne_attribute_id: 'city', option: 'Oslo' },
    reads: { ne_attribute_id: '$attribute', option: 'Oslo' },
    change: { option: 'Bergen', ne_attribute_id: UNKNOWN_ID },
    changed: { option: 'Bergen', ne_attribute_id: '$attribute' },
    removal: ['ne_attribute_options'],
    removed: () => ({ info: 'The option Bergen has been deleted' }),
  },
  {
    ...{ key: 'users', singular: 'user', one: 'user' },
    fields: {
      ...{ name: 'Ada', email: 'ada@acme.test', type: 'NeprofileUser', login: 'ada' },
      ...{ title: 'Lead', group_strings: 'a,b', locale: 'fr-CA', password: 'secret-word-9' },
      sailpoint_identity_id: '9496f8d6',
    },
    reads: {
      ...{ name: 'Ada', email: 'ada@acme.test', type: 'NeprofileUser', login: 'ada' },
      ...{ title: 'Lead', status: 'Active', last_login: null, cookies_accepted_at: null },
      ...{ preferred_language: 'fr-CA', locale: 'fr-CA', group_strings: 'a,b' },
      sailpoint_identity_id: '9496f8d6',
    },
    change: { status: 'Disabled', title: '' },
    changed: { status: 'Disabled', title: null, preferred_language: 'fr-CA' },
    removal: ['users'],
    removed: () => ({ info: 'The user Ada has been deleted' }),
  },
  {
    ...{ key: 'roles', singular: 'role', one: 'role' },
    fields: { name: 'Auditors', type: 'NeaccessRole', groups: ['g1', 'g2'] },
    reads: { name: 'Auditors', type: 'NeaccessRole', groups: ['g1', 'g2'], archived: false },
    change: { groups: null, archived: true },
    changed: { groups: [], archived: true },
  },
  {
    ...{ key: 'user_roles', singular: 'user_role', one: 'user_role' },
    fields: { user_id: 'other-user', role_id: 'sponsors' },
    reads: { user_id: '$other', role_id: '$role' },
    change: { user_id: '$user' },
    changed: { user_id: '$user' },
    ...{ removal: ['user_role', 'user_roles'], removed: () => ({}) },
  },
  {
    ...{ key: 'role_profiles', singular: 'role_profile', one: 'role_profile' },
    fields: { role_id: 'sponsors', profile_id: '$profile' },
    reads: { role_id: '$role', profile_id: '$profile' },
    change: { profile_id: 'planted' },
    changed: { profile_id: '$profile' },
    ...{ removal: ['role_profile', 'role_profiles'], removed: () => ({}) },
  },
  {
    ...{ key: 'user_profiles', singular: 'user_profile', one: 'user_profile' },
    fields: { user_id: '$user', profile_id: 'planted', relationship_type: 'owner' },
    reads: {
      ...{ user_id: '$user', profile_id: '$profile', ne_attribute_id: null },
      relationship_type: 'owner',
    },
    change: { ne_attribute_id: 'city', relationship_type: 'contributor' },
    changed: { ne_attribute_id: '$attribute', relationship_type: 'contributor' },
    ...{ removal: ['user_profile', 'user_profiles'], removed: () => ({}) },
  },
  {
    ...{ key: 'user_managers', singular: 'user_manager', one: 'user_manager' },
    fields: { user_id: '$user', manager_id: '$other' },
    reads: { user_id: '$user', manager_id: '$other' },
    change: { manager_id: '$user' },
    changed: { manager_id: '$user' },
    ...{ removal: ['user_manager', 'user_managers'], removed: () => ({}) },
  },
];

for (const { key, singular, one, fields, reads, change, changed, removal, removed } of KINDS) {
  test(`a ${singular} is made, found, changed and deleted, by id and by uid`, async () => {
    const { status, body } = await call(
      'POST',
      `/api/${one}`,
      world.withIds({ [singular]: fields }),
    );
    assert.equal(status, singular === 'ne_attribute' ? 201 : 200, JSON.stringify(body));
    const { id, uid, created_at, updated_at, ...rest } = body[singular];
    assert.match(id, UUID);
    assert.match(uid, /^[0-9a-f]{32}$/);
    assert.deepEqual(rest, world.withIds(reads));
    for (const at of [id, uid]) {
      const { body: read } = await call('GET', `/api/v1/${key}/${at}`);
      assert.deepEqual(read, body);
    }
    const path = `/api/${key}/${uid}`;
    const patched = await call('PATCH', path, world.withIds({ [singular]: change }));
    assert.equal(patched.status, 200, JSON.stringify(patched.body));
    const after = patched.body[singular];
    assert.deepEqual(after, {
      ...{ ...body[singular], ...(world.withIds(changed) as object) },
      ...(updated_at === undefined ? {} : { updated_at: after.updated_at }),
    });
    assert.deepEqual((await call('GET', `/api/${key}/${id}`)).body, patched.body);
    const whole = await call('PATCH', path, { [singular]: after });
    assert.deepEqual(whole.body, patched.body, 'the whole record sent back changes nothing');
    if (removal === undefined) {
      assert.equal((await call('DELETE', path)).status, 405);
      return;
    }
    const gone = await call('DELETE', `/api/${removal[0]}/${id}`);
    assert.equal(gone.status, 200);
    assert.deepEqual(gone.body, removed?.(after));
    for (const at of removal) assert.equal((await call('DELETE', `/api/${at}/${id}`)).status, 404);
    assert.equal((await call('GET', `/api/${key}/${id}`)).status, 404);
  });
}

test('members that are named like those of every object are data like any other', async () => {
  const sent = JSON.stringify({ user: member() }).replace(
    '{"name"',
    '{"__proto__":{"type":"x"},"constructor":1,"name"',
  );
  const { status, body } = await call('POST', '/api/user', sent);
  assert.equal(status, 200);
  assert.equal(body.user.type, 'NeprofileUser');
});

test('a status of 1 is Active, and a password is kept nowhere', async () => {
  const user = await make('user', 'user', member({ status: 1, password: 'hunter2-hunter2' }));
  assert.equal(user.status, 'Active');
  const stored = await service.cardea.store.read.resource(service.tenantId, 'user', user.id);
  assert.doesNotMatch(JSON.stringify(stored), /hunter2/);
});

test('locale and preferred_language are one value, whichever of the two is changed', async () => {
  const user = await make('user', 'user', member({ locale: 'de' }));
  const path = `/api/users/${user.id}`;
  const patched = async (change: object) => {
    const { preferred_language, locale } = (
      await call('PATCH', path, { user: { ...user, ...change } })
    ).body.user;
    assert.equal(preferred_language, locale);
    return locale;
  };
  assert.equal(await patched({ locale: 'fr' }), 'fr');
  assert.equal(await patched({ locale: 'fr', preferred_language: 'it' }), 'it');
  assert.equal(await patched({ locale: '', preferred_language: 'it' }), null);
});

test('a user who is a profile names it, by its uid too', async () => {
  const fields = member({ type: 'NeaccessUser', profile_id: 'planted' });
  const user = await make('user', 'user', fields);
  const stored = await service.cardea.store.read.resource(service.tenantId, 'user', user.id);
  assert.equal(stored?.profileId, world.ids['profile']);
});

test('an attribute stays what it was made, and knows since when it is archived', async () => {
  const made = await make('ne_attributes', 'ne_attribute', { label: 'x', data_type: 'tags' });
  const path = `/api/ne_attributes/${made.id}`;
  const other = await call('PATCH', path, { ne_attribute: { data_type: 'date' } });
  assert.deepEqual(other.body.errors, { data_type: ['cannot be changed'] });
  const archived = (await call('PATCH', path, { ne_attribute: { archived: true } })).body;
  assert.equal(archived.ne_attribute.archived_on, archived.ne_attribute.updated_at);
  const again = (await call('PATCH', path, { ne_attribute: { archived: false } })).body;
  assert.equal(again.ne_attribute.archived_on, null);
});

test('validations are added, changed and taken away by their method', async () => {
  const made = await make('ne_attributes', 'ne_attribute', {
    ...{ label: 'x', data_type: 'text field' },
    validations_attributes: [
      { validation_method: 'required' },
      { validation_method: 'characters', value: 30 },
    ],
  });
  assert.deepEqual(made.validations, [
    { validation_method: 'required', value: null },
    { validation_method: 'characters', value: '30' },
  ]);
  const validations_attributes = [
    { validation_method: 'required', _destroy: '1' },
    { validation_method: 'characters', value: '40' },
    { validation_method: 'unique' },
    { validation_method: 'email_format', _destroy: true },
  ];
  const path = `/api/ne_attributes/${made.id}`;
  const { body } = await call('PATCH', path, { ne_attribute: { validations_attributes } });
  assert.deepEqual(body.ne_attribute.validations, [
    { validation_method: 'characters', value: '40' },
    { validation_method: 'unique', value: null },
  ]);
  const one = { validations_attributes: { validation_method: 'unique', _destroy: true } };
  const { body: less } = await call('PATCH', path, { ne_attribute: one });
  assert.equal(less.ne_attribute.validations.length, 1);
});

test('what makes names and tells duplicates is added, changed and taken away item by item', async () => {
  const last = await make('ne_attributes', 'ne_attribute', { label: 'L', data_type: 'text field' });
  const type = await make('profile_type', 'profile_type', {
    name: 'Named',
    profile_type_namings_attributes: [
      { ne_attribute_id: last.id, order: 5 },
      { ne_attribute_id: 'city', order: 1 },
    ],
    profile_type_dup_attributes_attributes: [{ ne_attribute_id: last.uid }],
  });
  const [first, second] = type.profile_type_namings;
  assert.deepEqual(
    [first.ne_attribute_id, second.ne_attribute_id],
    [world.ids['attribute'], last.id],
  );
  assert.deepEqual([first.order, second.order], [1, 5]);
  assert.equal(type.profile_type_dup_attributes[0].profile_type_id, type.id);
  const path = `/api/profile_types/${type.id}`;
  const patched = await call('PATCH', path, {
    profile_type: {
      profile_type_namings_attributes: [
        { id: first.id, order: 9 },
        { id: second.id, _destroy: true },
      ],
      profile_type_dup_attributes_attributes: [{ ne_attribute_id: last.id }],
    },
  });
  const { profile_type_namings: left, profile_type_dup_attributes: dups } =
    patched.body.profile_type;
  assert.deepEqual(left, [{ ...first, order: 9 }]);
  assert.equal(dups.length, 1, 'an attribute is there once');
  const gone = await call('DELETE', `/api/ne_attributes/${last.id}`);
  assert.equal(gone.status, 200);
  const { profile_type: without } = (await call('GET', path)).body;
  assert.deepEqual(without.profile_type_dup_attributes, []);
  assert.deepEqual(without.profile_type_namings, left);
});

test('an attribute that is sent again by its uid stays one item, and no other item may take it', async () => {
  for (const uid of ['given', 'family'])
    await make('ne_attributes', 'ne_attribute', { uid, label: uid, data_type: 'text field' });
  const sent = {
    profile_type_namings_attributes: [{ ne_attribute_id: 'given' }, { ne_attribute_id: 'family' }],
    profile_type_dup_attributes_attributes: [{ ne_attribute_id: 'given' }],
  };
  const type = await make('profile_type', 'profile_type', { name: 'Twice', ...sent });
  const path = `/api/profile_types/${type.id}`;
  const again = await call('PATCH', path, { profile_type: sent });
  assert.deepEqual(again.body.profile_type, type);
  const [first, second] = type.profile_type_namings;
  const namings = [{ id: second.id, ne_attribute_id: 'given' }];
  const taken = await call('PATCH', path, {
    profile_type: { profile_type_namings_attributes: namings },
  });
  assert.deepEqual(taken.body.errors, {
    profile_type_namings_attributes: ['ne_attribute_id has already been taken'],
  });
  const gone = [{ ne_attribute_id: 'family', _destroy: true }];
  const left = await call('PATCH', path, {
    profile_type: { profile_type_namings_attributes: gone },
  });
  assert.deepEqual(left.body.profile_type.profile_type_namings, [first]);
});

test('a user whose profile was deleted is changed as before, and needs a profile to get one again', async () => {
  const profileId = await plantProfile(world.service, world.ids['type'] ?? '', 'short-lived');
  const user = await make('user', 'user', member({ type: 'NeaccessUser', profile_id: profileId }));
  const path = `/api/users/${user.id}`;
  const change = async (fields: object) => (await call('PATCH', path, { user: fields })).body;
  assert.deepEqual((await change({ profile_id: null })).errors, { profile_id: ["can't be blank"] });
  assert.equal((await call('DELETE', `/api/profiles/${profileId}`)).status, 204);
  assert.equal((await change({ ...user, title: 'Alone' })).user.title, 'Alone');
  const other = await make('user', 'user', member());
  const { body } = await call('PATCH', `/api/users/${other.id}`, {
    user: { type: 'NeaccessUser' },
  });
  assert.deepEqual(body.errors, { profile_id: ["can't be blank"] });
});

test('a profile type that has profiles is not deleted', async () => {
  const { status, body } = await call('DELETE', '/api/profile_types/staff');
  assert.equal(status, 400);
  assert.deepEqual(body, {
    error: 'The profile type failed to delete',
    errors: { base: ['profiles of this type exist'] },
  });
  assert.equal((await call('GET', '/api/profile_types/staff')).status, 200);
});

test('an option is there once for its attribute, whatever its case', async () => {
  const fields = { ne_attribute_id: 'city', option: 'Paris' };
  const first = await make('ne_attribute_option', 'ne_attribute_option', fields);
  const twice = { ne_attribute_option: { ...fields, option: ' PARIS ' } };
  const { status, body } = await call('POST', '/api/ne_attribute_option', twice);
  assert.equal(status, 400);
  assert.deepEqual(body.errors, { option: ['has already been taken'] });
  const path = `/api/ne_attribute_options/${first.id}`;
  const same = await call('PATCH', path, { ne_attribute_option: { option: 'PARIS' } });
  assert.equal(same.body.ne_attribute_option.option, 'PARIS');
  const listed = await call('GET', '/api/ne_attribute_options?ne_attribute_id=city&order=option');
  assert.ok(listed.body.some(({ id }: { id: string }) => id === first.id));
});

test('a pair is linked once, and links go with either end', async () => {
  const user = await make('user', 'user', member({ uid: 'leaver' }));
  const link = { user_role: { user_id: user.id, role_id: 'sponsors' } };
  assert.equal((await call('POST', '/api/user_role', link)).status, 200);
  const twice = await call('POST', '/api/user_role', link);
  assert.deepEqual(twice.body.errors, { role_id: ['has already been taken'] });
  assert.equal((await call('GET', '/api/user_roles?user_id=leaver')).body.length, 1);
  assert.equal((await call('GET', `/api/user_roles?user_id=${UNKNOWN_ID}`)).body.length, 0);
  await call('DELETE', `/api/users/${user.id}`);
  assert.equal((await call('GET', `/api/user_roles?user_id=${user.id}`)).body.length, 0);
});

test('a link to a profile is there once for each way', async () => {
  const link = { user_id: '$user', profile_id: 'planted', relationship_type: 'contributor' };
  const post = (change: object = {}) =>
    call('POST', '/api/user_profile', world.withIds({ user_profile: { ...link, ...change } }));
  assert.equal((await post()).status, 200);
  assert.deepEqual((await post()).body.errors, { profile_id: ['has already been taken'] });
  assert.equal((await post({ ne_attribute_id: 'city' })).status, 200);
  assert.equal((await post({ ne_attribute_id: 'city' })).status, 400);
  assert.equal((await post({ relationship_type: 'owner' })).status, 200);
  const owners = await call('GET', '/api/user_profiles?relationship_type=owner&profile_id=planted');
  assert.equal(owners.body.length, 1);
});

const POINTED: readonly [what: string, path: string, make: () => Promise<{ id: string }>][] = [
  ['a user', 'users', () => make('user', 'user', member())],
  [
    'an option',
    'ne_attribute_options',
    () => {
      const fields = { ne_attribute_id: 'city', option: `Town ${randomUUID()}` };
      return make('ne_attribute_option', 'ne_attribute_option', fields);
    },
  ],
];
for (const [what, path, makeIt] of POINTED) {
  test(`${what} that is deleted is gone from the values of profiles, and others stay`, async () => {
    const [pointed, other] = [await makeIt(), await makeIt()];
    const attributeId = world.ids['attribute'] ?? '';
    const plant = (uid: string, refId: string) =>
      plantProfile(service, world.ids['type'] ?? '', `${path} ${uid}`, { attributeId, refId });
    const profile = await plant('one', pointed.id);
    const bystander = await plant('two', other.id);
    assert.equal(await countItems(service, profile), 1);
    assert.equal((await call('DELETE', `/api/${path}/${pointed.id}`)).status, 200);
    assert.equal(await countItems(service, profile), 0);
    assert.equal(await countItems(service, bystander), 1);
  });
}

test('an attribute that is deleted takes its values and options with it', async () => {
  const fields = { label: 'Gone', data_type: 'tags', uid: 'gone' };
  const { id } = await make('ne_attributes', 'ne_attribute', fields);
  const option = { ne_attribute_id: id, option: 'x' };
  const { id: refId } = await make('ne_attribute_option', 'ne_attribute_option', option);
  const value = { attributeId: id, refId };
  const profile = await plantProfile(service, world.ids['type'] ?? '', 'holder', value);
  assert.equal((await call('DELETE', '/api/ne_attributes/gone')).status, 200);
  assert.equal(await countItems(service, profile), 0);
  assert.equal((await call('GET', `/api/ne_attribute_options/${refId}`)).status, 404);
});

test('risk levels and scores are read, and not written', async () => {
  const at = new Date().toISOString();
  const base = { createdAt: at, updatedAt: at };
  const level = { ...base, id: UNKNOWN_ID, uid: 'high', label: 'High', order: 3, points: 75.5 };
  const score = {
    ...{
      ...base,
      id: UNKNOWN_ID,
      uid: 'score',
      objectId: world.ids['profile'] ?? '',
      overallScore: 81.25,
    },
    ...({ objectType: 'Profile', overallRiskLevelId: level.id, impactScore: null } as const),
    ...{ impactRiskLevelId: null, probabilityScore: 2, probabilityRiskLevelId: null },
  };
  await service.cardea.store.write(async (records) => {
    await records.addResource(service.tenantId, 'riskLevel', level);
    await records.addResource(service.tenantId, 'riskScore', score);
  });
  const { body } = await call('GET', '/api/risk_levels?label=HIGH');
  assert.deepEqual(body, [{ id: UNKNOWN_ID, uid: 'high', label: 'High', order: 3, points: 75.5 }]);
  const scores = await call('GET', '/api/risk_scores?object_id=planted&overall_risk_level_id=high');
  assert.equal(scores.body[0].overall_score, 81.25);
  assert.equal((await call('GET', '/api/risk_scores/score')).body.risk_score.id, UNKNOWN_ID);
  assert.equal((await call('GET', '/api/risk_scores?object_type=WorkflowSession')).body.length, 0);
  for (const method of ['POST', 'PATCH', 'DELETE']) {
    assert.equal((await call(method, '/api/risk_levels', {})).status, 405);
  }
});
