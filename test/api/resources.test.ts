// Every kind of record of profile management over HTTP: made, read, changed, deleted, one by one and many at once; what
// is refused, in which words; and what goes with what is deleted.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Answer, type Call, withApiKey } from '../support/api-key.ts';
import { countItems, plantProfile } from '../support/profiles.ts';
import { type RunningService, startService } from '../support/service.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const NOBODY = 'c0ffee00-0000-4000-8000-00000000dead';

let service: RunningService;
let call: Call;
/** Ids of records that cases point to, by a name. */
const ids: Record<string, string> = {};
let made = 0;

const member = (fields: object = {}) => {
  made += 1;
  const login = `someone${made}`;
  return { name: 'Some One', email: `${login}@acme.test`, type: 'NeprofileUser', login, ...fields };
};

/** Makes a record. @returns it */
async function make(path: string, wrapper: string, fields: object): Promise<Answer['body']> {
  const { status, body } = await call('POST', `/api/${path}`, { [wrapper]: fields });
  assert.ok(status === 200 || status === 201, JSON.stringify(body));
  return body[wrapper];
}

before(async () => {
  service = await startService();
  ({ call } = await withApiKey(service));
  ids['user'] = (await make('user', 'user', member({ login: 'taken' }))).id;
  ids['other'] = (await make('user', 'user', member({ uid: 'other-user' }))).id;
  ids['role'] = (await make('role', 'role', { name: 'Sponsors', uid: 'sponsors' })).id;
  ids['type'] = (await make('profile_type', 'profile_type', { name: 'Staff', uid: 'staff' })).id;
  const attribute = { label: 'City', data_type: 'drop-down', uid: 'city' };
  ids['attribute'] = (await make('ne_attributes', 'ne_attribute', attribute)).id;
  ids['profile'] = await plantProfile(service, ids['type'] ?? '');
});
after(() => service.stop());

/** `$name` stands for the id of that name. */
function filled(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value).replace(/"\$(\w+)"/g, (_, name: string) => JSON.stringify(ids[name])),
  );
}

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
    change: { option: 'Bergen', ne_attribute_id: NOBODY },
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
    const { status, body } = await call('POST', `/api/${one}`, filled({ [singular]: fields }));
    assert.equal(status, singular === 'ne_attribute' ? 201 : 200, JSON.stringify(body));
    const { id, uid, created_at, updated_at, ...rest } = body[singular];
    assert.match(id, UUID);
    assert.match(uid, /^[0-9a-f]{32}$/);
    assert.deepEqual(rest, filled(reads));
    for (const at of [id, uid]) {
      const { body: read } = await call('GET', `/api/v1/${key}/${at}`);
      assert.deepEqual(read, body);
    }
    const path = `/api/${key}/${uid}`;
    const patched = await call('PATCH', path, filled({ [singular]: change }));
    assert.equal(patched.status, 200, JSON.stringify(patched.body));
    const after = patched.body[singular];
    assert.deepEqual(after, {
      ...{ ...body[singular], ...(filled(changed) as object) },
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

const REFUSED: readonly [
  path: string,
  wrapper: string,
  fields: object,
  errors: Record<string, readonly string[]>,
][] = [
  [
    'profile_type',
    'profile_type',
    { category: 'x' },
    {
      name: ["can't be blank"],
      category: ['is not included in the list'],
    },
  ],
  ['profile_type', 'profile_type', { name: '  ' }, { name: ["can't be blank"] }],
  ['profile_type', 'profile_type', { name: 7 }, { name: ['must be a string'] }],
  [
    'profile_type',
    'profile_type',
    { name: 'x'.repeat(256) },
    {
      name: ['is too long (maximum is 255 characters)'],
    },
  ],
  [
    'profile_type',
    'profile_type',
    { name: 'x', archived: 'maybe' },
    {
      archived: ['must be true or false'],
    },
  ],
  [
    'profile_type',
    'profile_type',
    { name: 'x', permitted_role_ids: [NOBODY] },
    {
      permitted_role_ids: ['was not found'],
    },
  ],
  [
    'profile_type',
    'profile_type',
    { name: 'x', permitted_role_ids: 'x' },
    {
      permitted_role_ids: ['must be an array of strings'],
    },
  ],
  [
    'profile_type',
    'profile_type',
    { name: 'x', uid: 'staff' },
    { uid: ['has already been taken'] },
  ],
  ['profile_type', 'profile_type', { name: 'x', uid: 5 }, { uid: ['must be a string'] }],
  [
    'profile_type',
    'profile_type',
    { name: 'x', profile_type_namings_attributes: [{ order: 1 }] },
    {
      profile_type_namings_attributes: ['ne_attribute_id was not found'],
    },
  ],
  [
    'profile_type',
    'profile_type',
    { name: 'x', profile_type_namings_attributes: [1] },
    {
      profile_type_namings_attributes: ['must be an array of objects'],
    },
  ],
  [
    'profile_type',
    'profile_type',
    { name: 'x', profile_type_namings_attributes: [{ ne_attribute_id: 'city', order: -1 }] },
    { profile_type_namings_attributes: ['order must be an integer from 0 on'] },
  ],
  [
    'profile_type',
    'profile_type',
    { name: 'x', profile_type_dup_attributes_attributes: [{ id: NOBODY, _destroy: true }] },
    { profile_type_dup_attributes_attributes: ['was not found'] },
  ],
  ['ne_attributes', 'ne_attribute', { label: 'x' }, { data_type: ["can't be blank"] }],
  ['ne_attributes', 'ne_attribute', { data_type: 'text field' }, { label: ["can't be blank"] }],
  [
    'ne_attributes',
    'ne_attribute',
    { label: 'x', data_type: 'text' },
    {
      data_type: ['is not included in the list'],
    },
  ],
  [
    'ne_attributes',
    'ne_attribute',
    { label: 'x', type: 'Text' },
    {
      type: ['is not included in the list'],
    },
  ],
  [
    'ne_attributes',
    'ne_attribute',
    { label: 'x', type: 'DateAttribute', data_type: 'tags' },
    {
      type: ['must be TagsAttribute for the data_type tags'],
    },
  ],
  [
    'ne_attributes',
    'ne_attribute',
    { label: 'x', data_type: 'date', date_format: 'd.m.y' },
    {
      date_format: ['is not included in the list'],
    },
  ],
  [
    'ne_attributes',
    'ne_attribute',
    { label: 'x', data_type: 'date', validations_attributes: [{ validation_method: 'nice' }] },
    { validations_attributes: ['validation_method is not included in the list'] },
  ],
  [
    'ne_attributes',
    'ne_attribute',
    { label: 'x', data_type: 'date', uid: 'city' },
    {
      uid: ['has already been taken'],
    },
  ],
  [
    'ne_attribute_option',
    'ne_attribute_option',
    { option: 'x' },
    {
      ne_attribute_id: ["can't be blank"],
    },
  ],
  [
    'ne_attribute_option',
    'ne_attribute_option',
    { option: 'x', ne_attribute_id: NOBODY },
    {
      ne_attribute_id: ['was not found'],
    },
  ],
  [
    'user',
    'user',
    { title: 'x' },
    {
      name: ["can't be blank"],
      email: ["can't be blank"],
      type: ["can't be blank"],
      login: ["can't be blank"],
    },
  ],
  ['user', 'user', member({ type: 'Root' }), { type: ['is not included in the list'] }],
  ['user', 'user', member({ type: 'NeaccessUser' }), { profile_id: ["can't be blank"] }],
  [
    'user',
    'user',
    member({ type: 'NeaccessUser', profile_id: NOBODY }),
    {
      profile_id: ['was not found'],
    },
  ],
  ['user', 'user', member({ status: 2 }), { status: ['is not included in the list'] }],
  ['user', 'user', member({ status: 'active' }), { status: ['is not included in the list'] }],
  ['user', 'user', member({ locale: 3 }), { locale: ['must be a string'] }],
  ['user', 'user', member({ login: ' TAKEN ' }), { login: ['has already been taken'] }],
  [
    'role',
    'role',
    { type: 'IdproxyRole' },
    {
      name: ["can't be blank"],
      type: ['is not included in the list'],
    },
  ],
  ['role', 'role', { name: 'x', groups: ['a', 1] }, { groups: ['must be an array of strings'] }],
  ['role', 'role', { name: 'x', uid: 'sponsors' }, { uid: ['has already been taken'] }],
  [
    'user_role',
    'user_role',
    { user_id: NOBODY },
    {
      user_id: ['was not found'],
      role_id: ["can't be blank"],
    },
  ],
  [
    'user_role',
    'user_role',
    { user_id: ['x'], role_id: 'sponsors' },
    {
      user_id: ['must be a string'],
    },
  ],
  [
    'role_profile',
    'role_profile',
    { role_id: 'sponsors', profile_id: 'staff' },
    {
      profile_id: ['was not found'],
    },
  ],
  [
    'user_profile',
    'user_profile',
    { user_id: '$user', profile_id: 'planted', relationship_type: 'x' },
    {
      relationship_type: ['is not included in the list'],
    },
  ],
  ['user_manager', 'user_manager', { user_id: '$user' }, { manager_id: ["can't be blank"] }],
];
for (const [path, wrapper, fields, errors] of REFUSED) {
  test(`POST ${path} ${JSON.stringify(fields).slice(0, 70)} is refused with ${JSON.stringify(errors)}`, async () => {
    const { status, body } = await call('POST', `/api/${path}`, filled({ [wrapper]: fields }));
    assert.equal(status, 400);
    const error = `The ${wrapper.replaceAll('_', ' ')} failed to create`;
    assert.deepEqual(body, { error, errors });
  });
}

const BODIES: readonly [body: unknown, error: RegExp][] = [
  [undefined, /^param is missing or the value is empty: user$/],
  ['{}', /^param is missing or the value is empty: user$/],
  ['{"user":{}}', /^param is missing or the value is empty: user$/],
  ['{"user":null}', /^param is missing or the value is empty: user$/],
  ['{"users":{"name":"x"}}', /^param is missing or the value is empty: user$/],
  ['[]', /^param is missing or the value is empty: user$/],
  ['7', /^param is missing or the value is empty: user$/],
  ['{"user":[1]}', /^user must be an object$/],
  ['{"user":"x"}', /^user must be an object$/],
  ['{"user":', /^Invalid JSON syntax\. The JSON ends before it is complete\.$/],
  [' ', /^Invalid JSON syntax\. /],
  [`${'{"user":'.repeat(20_000)}`, /^Invalid JSON syntax\. .*deeper than 64\.$/],
  ['{"user":{"name":"\\u0000"}}', /^Invalid JSON syntax\. .*NUL/],
  ['{"user":{"name":"\\ud800"}}', /^Invalid JSON syntax\. .*surrogate/],
  ['{"user":{"order":9007199254740993}}', /^Invalid JSON syntax\. .*exactly/],
];
for (const [body, error] of BODIES) {
  test(`the body ${String(body).slice(0, 40)} is refused with one sentence`, async () => {
    const answer = await call('POST', '/api/user', body);
    assert.equal(answer.status, 400);
    assert.deepEqual(Object.keys(answer.body), ['error']);
    assert.match(answer.body.error, error);
  });
}

test('a body of another type is 415, one over the limit 413, in the words of this area', async () => {
  const text = await call('POST', '/api/user', '{}', { 'content-type': 'text/plain' });
  assert.equal(text.status, 415);
  assert.deepEqual(Object.keys(text.body), ['error']);
  const large = await call('POST', '/api/user', `"${'x'.repeat(1024 * 1024)}"`);
  assert.equal(large.status, 413);
  assert.deepEqual(Object.keys(large.body), ['error']);
});

const LONG: readonly [path: string, wrapper: string, member: string, items: readonly unknown[]][] =
  [
    ['role', 'role', 'groups', Array.from({ length: 1001 }, () => 'g')],
    ['profile_type', 'profile_type', 'permitted_role_ids', Array.from({ length: 1001 }, () => 'x')],
    [
      ...(['profile_type', 'profile_type', 'profile_type_namings_attributes'] as const),
      Array.from({ length: 1001 }, () => ({ ne_attribute_id: 'city' })),
    ],
  ];
for (const [path, wrapper, member, items] of LONG) {
  test(`${member} of more than a thousand items is refused`, async () => {
    const { status, body } = await call('POST', `/api/${path}`, {
      [wrapper]: { name: 'x', [member]: items },
    });
    assert.equal(status, 400);
    assert.deepEqual(body.errors, { [member]: ['must hold at most 1000 items'] });
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
  const kept = await service.cardea.store.read.resource(service.tenantId, 'user', user.id);
  assert.doesNotMatch(JSON.stringify(kept), /hunter2/);
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
});

test('a user who is a profile names it, by its uid too', async () => {
  const fields = member({ type: 'NeaccessUser', profile_id: 'planted' });
  const user = await make('user', 'user', fields);
  const kept = await service.cardea.store.read.resource(service.tenantId, 'user', user.id);
  assert.equal(kept?.profileId, ids['profile']);
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
  assert.deepEqual([first.ne_attribute_id, second.ne_attribute_id], [ids['attribute'], last.id]);
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
  assert.equal((await call('GET', `/api/user_roles?user_id=${NOBODY}`)).body.length, 0);
  await call('DELETE', `/api/users/${user.id}`);
  assert.equal((await call('GET', `/api/user_roles?user_id=${user.id}`)).body.length, 0);
});

test('a link to a profile is there once for each way', async () => {
  const link = { user_id: '$user', profile_id: 'planted', relationship_type: 'contributor' };
  const post = (change: object = {}) =>
    call('POST', '/api/user_profile', filled({ user_profile: { ...link, ...change } }));
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
      made += 1;
      const fields = { ne_attribute_id: 'city', option: `Town ${made}` };
      return make('ne_attribute_option', 'ne_attribute_option', fields);
    },
  ],
];
for (const [what, path, makeIt] of POINTED) {
  test(`${what} that is deleted is gone from the values of profiles, and others stay`, async () => {
    const [pointed, other] = [await makeIt(), await makeIt()];
    const attributeId = ids['attribute'] ?? '';
    const plant = (uid: string, refId: string) =>
      plantProfile(service, ids['type'] ?? '', `${path} ${uid}`, { attributeId, refId });
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
  const profile = await plantProfile(service, ids['type'] ?? '', 'holder', value);
  assert.equal((await call('DELETE', '/api/ne_attributes/gone')).status, 200);
  assert.equal(await countItems(service, profile), 0);
  assert.equal((await call('GET', `/api/ne_attribute_options/${refId}`)).status, 404);
});

test('risk levels and scores are read, and not written', async () => {
  const at = new Date().toISOString();
  const base = { createdAt: at, updatedAt: at };
  const level = { ...base, id: NOBODY, uid: 'high', label: 'High', order: 3, points: 75.5 };
  const score = {
    ...{ ...base, id: NOBODY, uid: 'score', objectId: ids['profile'] ?? '', overallScore: 81.25 },
    ...({ objectType: 'Profile', overallRiskLevelId: level.id, impactScore: null } as const),
    ...{ impactRiskLevelId: null, probabilityScore: 2, probabilityRiskLevelId: null },
  };
  await service.cardea.store.write(async (records) => {
    await records.addResource(service.tenantId, 'riskLevel', level);
    await records.addResource(service.tenantId, 'riskScore', score);
  });
  const { body } = await call('GET', '/api/risk_levels?label=HIGH');
  assert.deepEqual(body, [{ id: NOBODY, uid: 'high', label: 'High', order: 3, points: 75.5 }]);
  const found = await call('GET', '/api/risk_scores?object_id=planted&overall_risk_level_id=high');
  assert.equal(found.body[0].overall_score, 81.25);
  assert.equal((await call('GET', '/api/risk_scores/score')).body.risk_score.id, NOBODY);
  assert.equal((await call('GET', '/api/risk_scores?object_type=WorkflowSession')).body.length, 0);
  for (const method of ['POST', 'PATCH', 'DELETE']) {
    assert.equal((await call(method, '/api/risk_levels', {})).status, 405);
  }
});

test('many are made and changed at once, in the order sent', async () => {
  const users = Array.from({ length: 30 }, (_, n) => member({ title: `t${n}` }));
  const { status, body } = await call('POST', '/api/users', { users });
  assert.equal(status, 200);
  assert.deepEqual(
    body.users.map(({ login }: { login: string }) => login),
    users.map(({ login }) => login),
  );
  const changes = body.users.map(({ id, uid }: { id: string; uid: string }, n: number) => ({
    ...{ id: n % 2 === 0 ? id : uid, title: `u${n}` },
  }));
  const changed = await call('PATCH', '/api/users', { users: changes });
  assert.deepEqual(
    changed.body.users.map(({ title }: { title: string }) => title),
    users.map((_, n) => `u${n}`),
  );
});

const BULK: readonly [
  method: string,
  body: unknown,
  error: string,
  errors?: Record<string, readonly string[]>,
][] = [
  ['POST', {}, 'param is missing or the value is empty: roles'],
  ['POST', { roles: [] }, 'param is missing or the value is empty: roles'],
  ['POST', { roles: { name: 'x' } }, 'roles must be an array of objects'],
  [
    'POST',
    { roles: [{ name: 'a' }, { name: '' }, 7] },
    'The roles failed to create',
    {
      '1.name': ["can't be blank"],
      '2': ['must be an object'],
    },
  ],
  [
    'POST',
    {
      roles: [
        { name: 'a', uid: 'two' },
        { name: 'b', uid: 'two' },
      ],
    },
    'The roles failed to create',
    {
      '1.uid': ['has already been taken'],
    },
  ],
  [
    'PATCH',
    { roles: [{ id: 'sponsors', name: 'new' }, { name: 'x' }, { id: NOBODY }, { id: 1 }] },
    'The roles failed to update',
    {
      '1.id': ["can't be blank"],
      '2.id': ['was not found'],
      '3.id': ['must be a string'],
    },
  ],
  [
    'POST',
    { roles: Array.from({ length: 1001 }, () => ({ name: 'x' })) },
    'roles must hold at most 1000 records, and holds 1001',
  ],
];
for (const [method, body, error, errors] of BULK) {
  test(`${method} many ${JSON.stringify(body).slice(0, 60)} is all or nothing: ${error}`, async () => {
    const before = (await call('GET', '/api/roles?metadata=true')).body;
    const answer = await call(method, '/api/roles', body);
    assert.equal(answer.status, 400);
    assert.deepEqual(answer.body, { error, ...(errors === undefined ? {} : { errors }) });
    assert.deepEqual((await call('GET', '/api/roles?metadata=true')).body, before);
  });
}

test('a thousand at once are taken, with one event for all of them', async () => {
  const before = (await events()).length;
  const roles = Array.from({ length: 1000 }, (_, n) => ({ name: `bulk ${n}` }));
  const { status, body } = await call('POST', '/api/roles', { roles });
  assert.equal(status, 200);
  assert.equal(body.roles.length, 1000);
  const written = (await events()).slice(before);
  assert.equal(written.length, 1);
  assert.equal(written[0]?.['attributes.count'], 1000);
});

test('each change leaves one event, what is refused or changes nothing none', async () => {
  const start = (await events()).length;
  const role = await make('role', 'role', { name: 'Watched' });
  const path = `/api/roles/${role.id}`;
  await call('PATCH', path, { role: { name: 'Watched more' } });
  await call('PATCH', path, { role: { name: 'Watched more' } });
  await call('PATCH', path, { role: { name: '' } });
  await call('PATCH', `/api/roles/${NOBODY}`, { role: { name: 'x' } });
  const roles = [{ name: 'a' }, { name: 'b' }];
  await call('POST', '/api/roles', { roles });
  await call('POST', '/api/roles', { roles: [...roles, {}] });
  const user = await make('user', 'user', member());
  await call('DELETE', `/api/users/${user.id}`);
  const written = (await events()).slice(start);
  assert.deepEqual(
    written.map((event) => event['technicalName']),
    [
      ...['ROLE_CREATE_PASSED', 'ROLE_MODIFY_PASSED', 'ROLE_CREATE_PASSED', 'ROLE_CREATE_PASSED'],
      ...['USER_CREATE_PASSED', 'USER_DELETE_PASSED'],
    ],
  );
  assert.equal(written[0]?.['attributes.targetId'], role.id);
  assert.equal(written[0]?.['attributes.before'], undefined);
  assert.equal(JSON.parse(String(written[0]?.['attributes.after'])).name, 'Watched');
  assert.deepEqual(written[1]?.['attributes.changed'], ['name']);
  assert.equal(written[1]?.['attributes.before'], '{"name":"Watched"}');
  assert.equal(written[1]?.['attributes.after'], '{"name":"Watched more"}');
  assert.equal(JSON.parse(String(written[5]?.['attributes.before'])).id, user.id);
  assert.equal(written[5]?.['attributes.after'], undefined);
});

test('fifty changes at once are some order of them, one event each', {
  timeout: 60_000,
}, async () => {
  const role = await make('role', 'role', { name: 'Busy', groups: [] });
  const start = (await events()).length;
  const path = `/api/roles/${role.id}`;
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      call('PATCH', path, { role: n % 2 === 0 ? { name: `n${n}` } : { groups: [`g${n}`] } }),
    ),
  );
  assert.ok(answers.every(({ status }) => status === 200));
  const { role: last } = (await call('GET', path)).body;
  assert.match(last.name, /^n\d+$/);
  assert.match(last.groups[0], /^g\d+$/, 'neither kind of change undoes the other');
  assert.equal((await events()).length - start, 50);
});

test('of many who make the same link at once, one does', async () => {
  const user = await make('user', 'user', member());
  const link = { user_role: { user_id: user.id, role_id: 'sponsors' } };
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => call('POST', '/api/user_role', link)),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.equal((await call('GET', `/api/user_roles?user_id=${user.id}`)).body.length, 1);
});

/** The audit trail, in the order written, members of `attributes` beside the rest. */
async function events(): Promise<Record<string, unknown>[]> {
  const changes = await service.cardea.store.read.changesAfter(0, 100_000);
  return changes
    .filter(({ index, tenantId }) => index === 'events' && tenantId === service.tenantId)
    .map(({ document }) => {
      const event = JSON.parse(new TextDecoder().decode(document?.root));
      const attributes = Object.entries(event.attributes as object);
      return {
        ...event,
        ...Object.fromEntries(attributes.map(([k, v]) => [`attributes.${k}`, v])),
      };
    });
}
