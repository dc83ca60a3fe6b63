// Records of profile management over HTTP: what is refused, in which words.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Call } from '../support/api-key.ts';
import {
  member,
  type ResourceWorld,
  startResourceWorld,
  UNKNOWN_ID,
} from '../support/resource-world.ts';

let world: ResourceWorld;
let call: Call;

before(async () => {
  world = await startResourceWorld();
  ({ call } = world);
});
after(() => world.service.stop());

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
    { name: 'x', permitted_role_ids: [UNKNOWN_ID] },
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
    { name: 'x', profile_type_dup_attributes_attributes: [{ id: UNKNOWN_ID, _destroy: true }] },
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
    {
      ...{ label: 'x', data_type: 'date' },
      validations_attributes: [{ validation_method: 'days', value: { toString: 1 } }],
    },
    { validations_attributes: ['value must be a string'] },
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
    { option: 'x', ne_attribute_id: UNKNOWN_ID },
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
    member({ type: 'NeaccessUser', profile_id: UNKNOWN_ID }),
    {
      profile_id: ['was not found'],
    },
  ],
  ['user', 'user', member({ status: 2 }), { status: ['is not included in the list'] }],
  ['user', 'user', member({ status: 'active' }), { status: ['is not included in the list'] }],
  ['user', 'user', member({ locale: 3 }), { locale: ['must be a string'] }],
  [
    'user',
    'user',
    member({ locale: 'x'.repeat(256) }),
    { locale: ['is too long (maximum is 255 characters)'] },
  ],
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
    { user_id: UNKNOWN_ID },
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
    const { status, body } = await call(
      'POST',
      `/api/${path}`,
      world.withIds({ [wrapper]: fields }),
    );
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
  ['[]', /^param is missing or the value is empty: user$/],
  ['7', /^param is missing or the value is empty: user$/],
  ['{"user":[1]}', /^user must be an object$/],
  ['{"user":"x"}', /^user must be an object$/],
  [
    '{"user":',
    /^Invalid JSON syntax\. The JSON is not valid at offset 8: the JSON ends before it is complete: the object that begins at offset 0 is not closed\.$/,
  ],
  [
    '{"user":None}',
    /^Invalid JSON syntax\. The JSON is not valid at offset 8: None is written null\.$/,
  ],
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
