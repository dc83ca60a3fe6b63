// Bodies of profile management whose members are in the wrong place: what is refused says how to send
// it, what is ignored earns a Warning, and the answer itself is as before.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Call, withApiKey } from '../support/api-key.ts';
import { type ProfileWorld, profileWorld } from '../support/profile-world.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
let call: Call;
let world: ProfileWorld;

before(async () => {
  service = await startService();
  ({ call } = await withApiKey(service));
  world = await profileWorld(call, { uid: 'contractor' });
});
after(() => service.stop());

const PROFILE = { profile_type_id: 'contractor', status: 'Active', name: 'Ada' };
const USER = { name: 'Ada', email: 'ada@acme.test', type: 'NeprofileUser' };

/** A request, the member that is missing, and what the error says of it. */
const REFUSED: readonly (readonly [request: string, body: unknown, name: string, hint: string])[] =
  [
    [
      'POST profile',
      PROFILE,
      'profile',
      'is not there, and nothing outside of it is read, such as "profile_type_id", "status", "name": send {"profile": {...}}',
    ],
    [
      'POST profile',
      { profile: {}, status: 'Active' },
      'profile',
      'is not there, and nothing outside of it is read, such as "status": send {"profile": {...}}',
    ],
    [
      'POST profile',
      { profiles: [PROFILE] },
      'profile',
      'is what this path takes, not "profiles": send {"profile": {...}}',
    ],
    [
      'POST profiles',
      { profile: PROFILE },
      'profiles',
      'is what this path takes, not "profile": send {"profiles": [{...}]}',
    ],
    [
      'POST profiles',
      [PROFILE],
      'profiles',
      'is not there, as the body is an array: send {"profiles": [{...}]}',
    ],
    [
      'DELETE profiles',
      { ids: ['a'] },
      'profiles',
      'is not there, and nothing outside of it is read, such as "ids": send {"profiles": [{...}]}',
    ],
    [
      'PATCH users/ada',
      { User: USER },
      'user',
      'is what this path takes, not "User": send {"user": {...}}',
    ],
    [
      'POST ne_attribute_options',
      { neAttributeOption: {} },
      'ne_attribute_options',
      'is what this path takes, not "neAttributeOption": send {"ne_attribute_options": [{...}]}',
    ],
    [
      'POST advanced_search/run',
      { condition_rules_attributes: [] },
      'advanced_search',
      'is not there, and nothing outside of it is read, such as "condition_rules_attributes": send {"advanced_search": {...}}',
    ],
  ];
for (const [request, body, name, hint] of REFUSED) {
  test(`${request} with ${JSON.stringify(body).slice(0, 70)} is refused with how to send it`, async () => {
    const [method = '', path] = request.split(' ');
    const answer = await call(method, `/api/${path}`, body as object);
    assert.equal(answer.status, 400);
    assert.deepEqual(answer.body, {
      error: `param is missing or the value is empty: ${name}`,
      errors: { [name]: [hint] },
    });
  });
}

const NOTHING_KNOWN: readonly (readonly [path: string, body: unknown])[] = [
  ['profile', {}],
  ['profile', { profile: null }],
  ['profiles', []],
  ['user', { user: '' }],
  ['advanced_search/run', { advanced_search: {} }],
];
for (const [path, body] of NOTHING_KNOWN) {
  test(`${path} with ${JSON.stringify(body)} is refused in one sentence`, async () => {
    const answer = await call('POST', `/api/${path}`, body as object);
    assert.equal(answer.status, 400);
    assert.deepEqual(Object.keys(answer.body), ['error']);
  });
}

/** A request that is answered, and its warnings. */
const WARNED: readonly (readonly [request: string, body: object, warnings: readonly string[]])[] = [
  ['POST profile', { profile: PROFILE }, []],
  ['POST profile', { profile: { ...PROFILE, colour: 'red', id: 'x', updated_at: 'y' } }, []],
  [
    'POST profile',
    { profile: PROFILE, status: 'Inactive' },
    ['"status" beside "profile" is not read; send it inside of "profile"'],
  ],
  [
    'POST profile',
    { profile: { ...PROFILE, first_name: 'Ada', idProofingStatus: 'pass' } },
    [
      '"idProofingStatus" in "profile" is not read; send "id_proofing_status"',
      '"first_name" in "profile" is not read; send it in "attributes"',
    ],
  ],
  [
    'POST profiles',
    { profiles: [PROFILE, { ...PROFILE, badge: '7' }] },
    ['"badge" in "profiles" is not read; send it in "attributes"'],
  ],
  [
    'POST user',
    { user: { ...USER, login: 'ada', preferredLanguage: 'de' } },
    ['"preferredLanguage" in "user" is not read; send "preferred_language"'],
  ],
  [
    'POST roles',
    { roles: [{ name: 'R', type: 'NeprofileRole' }], refresh: true },
    ['"refresh" beside "roles" is not read; send it inside of "roles"'],
  ],
  [
    'POST advanced_search/run',
    { advanced_search: { rules: [{ type: 'ProfileStatusRule' }] }, limit: 3 },
    [
      '"limit" beside "advanced_search" is not read; send it in the URL, such as ?limit=100',
      '"rules" in "advanced_search" is not read; send "condition_rules_attributes": [...]',
    ],
  ],
  [
    'POST advanced_search',
    { advanced_search: { label: 'x' }, condition_rules_attributes: [] },
    [
      '"condition_rules_attributes" beside "advanced_search" is not read; send it inside of "advanced_search"',
    ],
  ],
  [
    'POST advanced_search',
    { advanced_search: { label: 'x', name: 'y' } },
    ['"name" in "advanced_search" is not read; send "label"'],
  ],
];
for (const [request, body, warnings] of WARNED) {
  test(`${request} with ${JSON.stringify(body).slice(0, 90)} has ${warnings.length} warnings`, async () => {
    const [method = '', path] = request.split(' ');
    const { status, headers, body: answer } = await call(method, `/api/${path}`, body);
    assert.ok(status < 300, JSON.stringify(answer));
    const expected = warnings.map((text) => `299 cardea "${text.replace(/"/g, '\\"')}"`);
    assert.equal(headers.get('warning'), expected.length === 0 ? null : expected.join(', '));
  });
}

test('a PATCH of a whole record that was read carries no Warning', async () => {
  const profile = await world.profile({ first_name: 'Whole' }, { name: 'Whole', uid: 'whole' });
  const answer = await call('PATCH', '/api/profiles/whole', { profile });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.equal(answer.headers.get('warning'), null);
  const [user] = (await call('GET', '/api/users?limit=1')).body;
  const same = await call('PATCH', `/api/users/${user.id}`, { user });
  assert.deepEqual([same.status, same.headers.get('warning')], [200, null]);
});

test('a member of the profile among the attributes is refused with where it belongs', async () => {
  const profile = { ...PROFILE, attributes: { status: 'Active', colour: 'red' } };
  const { status, body } = await call('POST', '/api/profile', { profile });
  assert.equal(status, 400);
  assert.deepEqual(body.errors, {
    status: [
      'is not the uid of an attribute',
      'is a member of the profile; send it beside "attributes"',
    ],
    colour: ['is not the uid of an attribute'],
  });
});

test('of a parameter that is sent plain and in brackets the Warning names the one that is not read', async () => {
  const warned = await call('GET', '/api/users?limit=1&query[limit]=2');
  assert.equal(
    warned.headers.get('warning'),
    '299 cardea "\\"query[limit]\\" is not read, as \\"limit\\" is sent, too; send one of them"',
  );
  const same = await call('GET', '/api/users?limit=1&query[limit]=1');
  assert.equal(same.headers.get('warning'), null);
});
