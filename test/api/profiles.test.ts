// Single profiles over HTTP: what can be written and what is read of it, what is refused and in which words, names,
// duplicates, changes that merge and deletions that leave nothing pointing nowhere.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Call, withApiKey } from '../support/api-key.ts';
import { type ProfileWorld, profileWorld } from '../support/profile-world.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
let call: Call;
let world: ProfileWorld;
/** Two companies that values point to; the second one's uid is `bergen-co`. */
let companies: { id: string; name: string }[];

before(async () => {
  service = await startService();
  ({ call } = await withApiKey(service));
  world = await profileWorld(call);
  companies = [
    await world.profile({}, { name: 'Fjord & Sons' }),
    await world.profile({}, { name: 'Bergen Company', uid: 'bergen-co' }),
  ];
});
after(() => service.stop());

/** In written values: ids of companies and users. */
const filled = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value).replace(/\$([cu])(\d)/g, (_, kind, n) =>
      kind === 'c' ? (companies[n]?.id ?? '') : (world.userIds[n] ?? ''),
    ),
  );

/** What is written to an attribute, and what is then read: undefined where it is left out. */
const VALUES: readonly [uid: string, written: unknown, read: string | undefined][] = [
  ['first_name', 'Ines', 'Ines'],
  ['first_name', '  Ines ', '  Ines '],
  ['first_name', 'a, b', 'a, b'],
  ['first_name', ['a', 'b'], 'a, b'],
  ['first_name', '', undefined],
  ['first_name', '   ', undefined],
  ['first_name', null, undefined],
  ['first_name', [], undefined],
  ['first_name', 42, '42'],
  ['first_name', -0.5, '-0.5'],
  ['first_name', true, 'true'],
  ['first_name', false, 'false'],
  ['first_name', "Robert'); drop table profile;--", "Robert'); drop table profile;--"],
  ['first_name', '𝒳\u0301 ẞ İ', '𝒳\u0301 ẞ İ'],
  ['notes', 'two\nlines\t', 'two\nlines\t'],
  ['notes', 'é'.repeat(5000), 'é'.repeat(5000)],
  ['hours', '37.5', '37.5'],
  ['hours', 12, '12'],
  ['hours', '+.5', '+.5'],
  ['mail', 'mira@acme.test', 'mira@acme.test'],
  ['start', '02/28/2026', '02/28/2026'],
  ['start', ' 12/31/9999 ', '12/31/9999'],
  ['start', '02/29/2024', '02/29/2024'],
  ['start', '01/01/0001', '01/01/0001'],
  ['start', '', undefined],
  ['iso', '1969-12-31', '1969-12-31'],
  ['site', 'Oslo', 'Oslo'],
  ['site', ' oSLO ', 'Oslo'],
  ['site', 'ÅRHUS', 'Århus'],
  ['site', 'Graz, Styria', 'Graz, Styria'],
  ['site', ['Oslo'], 'Oslo'],
  ['site', 'Oslo,Oslo, oslo', 'Oslo'],
  ['site', ' , ', undefined],
  ['shift', 'Bergen', 'Bergen'],
  ['skills', 'Bergen,Oslo', 'Bergen, Oslo'],
  ['skills', ['Oslo', 'Graz, Styria'], 'Oslo, Graz, Styria'],
  ['labels', 'Oslo , Bergen,,Århus', 'Oslo, Bergen, Århus'],
  ['cities', 'Oslo,Bergen', 'Oslo, Bergen'],
  ['company', '$c0', 'Fjord & Sons'],
  ['company', ['$c1'], 'Bergen Company'],
  ['company', 'bergen-co', 'Bergen Company'],
  ['projects', '$c1, $c0', 'Bergen Company, Fjord & Sons'],
  ['projects', ['$c0', '$c1', '$c0'], 'Fjord & Sons, Bergen Company'],
  ['sponsor', '$u0', 'Mira Solano (u0@acme.test)'],
  ['backups', '$u1,$u0', 'Abe Lund (u1@acme.test), Mira Solano (u0@acme.test)'],
];
for (const [uid, written, read] of VALUES) {
  const label = JSON.stringify(written).slice(0, 60);
  test(`${uid}: ${label} is read as ${JSON.stringify(read)?.slice(0, 60)}`, async () => {
    const sent = { name: 'x', profile_type_id: world.typeId, status: 'Active' };
    const attributes = { [uid]: filled(written) };
    const { status, body } = await call('POST', '/api/profile', {
      profile: { ...sent, attributes },
    });
    assert.equal(status, 200, JSON.stringify(body));
    const expected = read === undefined ? {} : { [uid]: read };
    assert.deepEqual(body.profile.attributes, expected);
    const again = await call('GET', `/api/profiles/${body.profile.id}`);
    assert.deepEqual(again.body, body);
    // What was read can be sent back.
    const back = await call('PATCH', `/api/profiles/${body.profile.id}`, again.body);
    assert.deepEqual(back.body, body);
    await call('DELETE', `/api/profiles/${body.profile.id}`);
  });
}

/** Members over a good profile, and what is wrong with it then. */
const REFUSED: readonly [sent: object, errors: Record<string, readonly unknown[]>][] = [
  [{ status: undefined }, { status: ["can't be blank"] }],
  [{ status: null }, { status: ["can't be blank"] }],
  [{ status: '' }, { status: ["can't be blank"] }],
  [{ status: 'Gone' }, { status: ['is not included in the list'] }],
  [{ status: 0 }, { status: ['is not included in the list'] }],
  [{ status: 2 }, { status: ['is not included in the list'] }],
  [{ status: true }, { status: ['is not included in the list'] }],
  [{ status: ['Active'] }, { status: ['is not included in the list'] }],
  [{ profile_type_id: undefined }, { profile_type_id: ["can't be blank"] }],
  [{ profile_type_id: 'none' }, { profile_type_id: ['was not found'] }],
  [{ profile_type_id: {} }, { profile_type_id: ['was not found'] }],
  [{ profile_type_id: { toString: 1 } }, { profile_type_id: ['was not found'] }],
  [{ name: 7 }, { name: ['must be a string'] }],
  [{ name: 'n'.repeat(256) }, { name: ['is too long (maximum is 255 characters)'] }],
  [{ name: undefined }, { name: ["can't be blank"] }],
  [{ name: ' ' }, { name: ["can't be blank"] }],
  [{ uid: 7 }, { uid: ['must be a string'] }],
  [{ uid: 'u'.repeat(256) }, { uid: ['must have 1 to 255 characters'] }],
  [{ uid: 'bergen-co' }, { uid: ['has already been taken'] }],
  [{ archived: 'perhaps' }, { archived: ['must be true or false'] }],
  [{ id_proofing_status: 'maybe' }, { id_proofing_status: ['is not included in the list'] }],
  [{ attributes: ['a'] }, { attributes: ['must be an object'] }],
  [{ attributes: 'a' }, { attributes: ['must be an object'] }],
  [{ attributes: { nope: 'x' } }, { nope: ['is not the uid of an attribute'] }],
  [{ attributes: { first_name: {} } }, { first_name: ['must be a string or an array of strings'] }],
  [
    { attributes: { first_name: [['a']] } },
    { first_name: ['must be a string or an array of strings'] },
  ],
  [
    { attributes: { notes: 'x'.repeat(10_001) } },
    { notes: ['is too long (maximum is 10000 characters)'] },
  ],
  [{ attributes: { must: '' } }, { must: ["can't be blank"] }],
  [{ attributes: { hours: '1e3' } }, { hours: ['is not a number'] }],
  [{ attributes: { hours: 'many' } }, { hours: ['is not a number'] }],
  [{ attributes: { mail: 'mira at acme' } }, { mail: ['is not an email address'] }],
  [{ attributes: { mail: 'a@b' } }, { mail: ['is not an email address'] }],
  [{ attributes: { start: '2026-02-28' } }, { start: ['must be a date in the form mm/dd/yyyy'] }],
  [{ attributes: { start: '02/30/2026' } }, { start: ['must be a date in the form mm/dd/yyyy'] }],
  [{ attributes: { start: '2/3/2026' } }, { start: ['must be a date in the form mm/dd/yyyy'] }],
  [{ attributes: { start: 20260228 } }, { start: ['must be a date in the form mm/dd/yyyy'] }],
  [{ attributes: { start: ['02/28/2026', '03/01/2026'] } }, { start: ['must be one date'] }],
  [{ attributes: { iso: '02/28/2026' } }, { iso: ['must be a date in the form yyyy-mm-dd'] }],
  [{ attributes: { site: 'Rome' } }, { site: ['"Rome" is not included in the list'] }],
  [{ attributes: { site: 'Oslo,Rome' } }, { site: ['"Rome" is not included in the list'] }],
  [{ attributes: { site: 'Oslo,Bergen' } }, { site: ['takes one selection only'] }],
  [{ attributes: { shift: ['Oslo', 'Bergen'] } }, { shift: ['takes one selection only'] }],
  [{ attributes: { company: 'Bergen Company' } }, { company: ['"Bergen Company" was not found'] }],
  [{ attributes: { company: '$u0' } }, { company: ['"$u0" was not found'] }],
  [{ attributes: { company: '$c0,$c1' } }, { company: ['takes one selection only'] }],
  [{ attributes: { sponsor: '$c0' } }, { sponsor: ['"$c0" was not found'] }],
  [{ attributes: { sponsor: ['$u0', '$u1'] } }, { sponsor: ['takes one selection only'] }],
  [{ attributes: { photo: 'face.png' } }, { photo: ['cannot be written as JSON'] }],
  [
    { status: 'x', archived: 3, attributes: { nope: 1, hours: 'x' } },
    {
      status: ['is not included in the list'],
      archived: ['must be true or false'],
      nope: ['is not the uid of an attribute'],
      hours: ['is not a number'],
    },
  ],
];
for (const [sent, errors] of REFUSED) {
  test(`${JSON.stringify(sent).slice(0, 90)} is refused: ${JSON.stringify(errors)}`, async () => {
    const total = async () =>
      (await call('GET', '/api/profiles?limit=1&metadata=true')).body._metadata.total;
    const before = await total();
    const good = { name: 'x', profile_type_id: world.typeId, status: 'Active' };
    const { status, body } = await call('POST', '/api/profile', {
      profile: { ...good, ...(filled({ ...sent, keep: 1 }) as object), ...undefinedOf(sent) },
    });
    assert.equal(status, 400);
    assert.deepEqual(body, { error: 'The profile failed to create', errors: filled(errors) });
    assert.equal(await total(), before);
  });
}

/** Members that JSON would lose. */
function undefinedOf(sent: object): object {
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value === undefined));
}

const BODIES: readonly [body: string, status: number, error: RegExp][] = [
  ['', 400, /^Invalid JSON syntax\./],
  ['{"profile":', 400, /^Invalid JSON syntax\./],
  ['{}', 400, /^param is missing or the value is empty: profile$/],
  ['[]', 400, /^param is missing or the value is empty: profile$/],
  ['null', 400, /^param is missing or the value is empty: profile$/],
  ['{"profile":{}}', 400, /^param is missing or the value is empty: profile$/],
  ['{"profile":null}', 400, /^param is missing or the value is empty: profile$/],
  ['{"profile":[1]}', 400, /profile must be an object/],
  ['{"profiles":{"status":"Active"}}', 400, /^param is missing or the value is empty: profile$/],
  [`{"profile":{"name":"a\\u0000b"}}`, 400, /^Invalid JSON syntax\./],
  [`{"profile":{"name":"\\ud800"}}`, 400, /^Invalid JSON syntax\./],
  [`{"profile":{"attributes":{"hours":12345678901234567890}}}`, 400, /^Invalid JSON syntax\./],
  [`{"profile":${'['.repeat(200_000)}`, 400, /^Invalid JSON syntax\./],
  [`{"profile":{"name":"${'x'.repeat(1_100_000)}"}}`, 413, /./],
];
for (const [text, status, error] of BODIES) {
  test(`the body ${text.slice(0, 50)} is answered ${status}`, async () => {
    const answer = await call('POST', '/api/profile', text);
    assert.equal(answer.status, status);
    assert.match(answer.body.error, error);
  });
}

test('names that objects have by nature are names like any other', async () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
  const members = names.map((name) => `${JSON.stringify(name)}:"x"`).join();
  const type = JSON.stringify(world.typeId);
  const text = `{"profile":{"name":"x","status":"Active","profile_type_id":${type},"attributes":{${members}}}}`;
  const { status, body } = await call('POST', '/api/profile', text);
  assert.equal(status, 400);
  assert.deepEqual(Object.keys(body.errors), names);
  await call('POST', '/api/ne_attributes', {
    ne_attribute: { uid: '__proto__', label: 'p', data_type: 'text field' },
  });
  const one = text.replace(members, '"__proto__":"x"');
  const made = await call('POST', '/api/profile', one);
  assert.deepEqual(Object.entries(made.body.profile.attributes), [['__proto__', 'x']]);
});

test('members that are read-only or unknown are ignored', async () => {
  const odd = { id: 'mine', created_at: 'x', updated_at: 1, colour: 'blue', __proto__: { a: 1 } };
  const profile = await world.profile({ first_name: 'Eve' }, odd);
  assert.match(profile.id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.match(profile.uid, /^[0-9a-f]{32}$/);
  assert.match(profile.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(profile.updated_at, profile.created_at);
  assert.deepEqual(Object.keys(profile), [
    ...['id', 'uid', 'name', 'profile_type_id', 'status', 'id_proofing_status', 'archived'],
    ...['created_at', 'updated_at', 'attributes'],
  ]);
});

const STATUSES: readonly [sent: unknown, read: string][] = [
  ['Active', 'Active'],
  ['Inactive', 'Inactive'],
  ['On Leave', 'On Leave'],
  ['Terminated', 'Terminated'],
  ['Leave of absence', 'On Leave'],
  [1, 'Active'],
];
for (const [sent, read] of STATUSES) {
  test(`the status ${JSON.stringify(sent)} is ${read}`, async () => {
    assert.equal((await world.profile({}, { name: 'x', status: sent })).status, read);
  });
}

const NAMES: readonly [attributes: object, name: unknown, expected: string][] = [
  [{ first_name: 'Ines', last_name: 'Okafor' }, undefined, 'Ines Okafor'],
  [{ last_name: 'Okafor' }, undefined, 'Okafor'],
  [{ first_name: ' Ines ', last_name: ' ' }, '', 'Ines'],
  [{ first_name: 'Ines' }, null, 'Ines'],
  [{ first_name: 'Ines' }, 'Boss', 'Boss'],
  [{ first_name: 'x'.repeat(300) }, undefined, 'x'.repeat(255)],
  [{ first_name: '\u{1F600}'.repeat(200) }, undefined, '\u{1F600}'.repeat(127)],
];
for (const [attributes, name, expected] of NAMES) {
  test(`the name of ${JSON.stringify({ ...attributes, name }).slice(0, 60)} is ${expected.slice(0, 20)}`, async () => {
    const profile = await world.profile(attributes, { name });
    assert.equal(profile.name, expected);
    const back = await call('PATCH', `/api/profiles/${profile.id}`, { profile });
    assert.deepEqual(back.body, { profile });
  });
}

test('a name is made of what values are read as, and stays when they change', async () => {
  const type = {
    name: 'Site visit',
    profile_type_namings_attributes: [
      { ne_attribute_id: 'cities', order: 1 },
      { ne_attribute_id: 'sponsor', order: 2 },
      { ne_attribute_id: 'start', order: 3 },
    ],
  };
  const { profile_type } = (await call('POST', '/api/profile_type', { profile_type: type })).body;
  const sent = { cities: 'oslo,bergen', sponsor: world.userIds[1], start: '03/01/2026' };
  const { id, name } = await world.profile(sent, { profile_type_id: profile_type.id });
  assert.equal(name, 'Oslo, Bergen Abe Lund (u1@acme.test) 03/01/2026');
  const byUid = await world.profile(sent, { profile_type_id: profile_type.uid });
  assert.equal(byUid.name, name, 'the type is named by its uid');
  const change = async (profile: object) =>
    (await call('PATCH', `/api/profiles/${id}`, { profile })).body;
  assert.equal((await change({ attributes: { cities: '' } })).profile.name, name);
  const renamed = await change({ name: '' });
  assert.equal(renamed.profile.name, 'Abe Lund (u1@acme.test) 03/01/2026');
  const cleared = { name: null, attributes: { sponsor: null, start: '' } };
  assert.deepEqual((await change(cleared)).errors, { name: ["can't be blank"] });
});

test('a change merges: what is not sent stays, null and nothing clear', async () => {
  const { id, ...made } = await world.profile(
    { first_name: 'Ines', notes: 'a', cities: 'Oslo,Bergen', start: '02/28/2026' },
    { uid: 'merge-me' },
  );
  const change = async (profile: object) => {
    const { status, body } = await call('PATCH', '/api/profiles/merge-me', { profile });
    assert.equal(status, 200, JSON.stringify(body));
    return body.profile;
  };
  const first = await change({ attributes: { notes: 'b', cities: 'Århus' } });
  assert.deepEqual(first.attributes, {
    ...{ cities: 'Århus', first_name: 'Ines', notes: 'b', start: '02/28/2026' },
  });
  assert.equal(first.name, made.name);
  assert.equal(first.created_at, made.created_at);
  const second = await change({ attributes: { notes: null, start: '', cities: [] } });
  assert.deepEqual(second.attributes, { first_name: 'Ines' });
  const third = await change({ status: 'Leave of absence', archived: 1, uid: 'other', id: 'x' });
  assert.deepEqual(
    [third.status, third.archived, third.uid, third.id],
    ['On Leave', true, 'merge-me', id],
  );
  const fourth = await change({ id_proofing_status: 'pass' });
  assert.equal(fourth.id_proofing_status, 'pass');
  assert.equal((await change({ id_proofing_status: null })).id_proofing_status, null);
  assert.deepEqual((await call('GET', `/api/profiles/${id}`)).body.profile.attributes, {
    first_name: 'Ines',
  });
});

test('a change that is refused changes nothing, one that changes nothing is no change', async () => {
  const made = await world.profile({ first_name: 'Ines', must: 'x' });
  const path = `/api/profiles/${made.id}`;
  const wrong = { name: 'Other', status: 'Gone', attributes: { first_name: 'Eve', must: '' } };
  const { status, body } = await call('PATCH', path, { profile: wrong });
  assert.equal(status, 400);
  assert.deepEqual(body, {
    error: 'The profile failed to update',
    errors: { status: ['is not included in the list'], must: ["can't be blank"] },
  });
  assert.deepEqual((await call('GET', path)).body.profile, made);
  const same = { status: 'Active', attributes: { first_name: 'Ines' } };
  assert.deepEqual((await call('PATCH', path, { profile: same })).body.profile, made);
});

test('a value that is written as it is stored changes nothing, whatever it is read as', async () => {
  const { cardea } = service;
  const values = filled({
    company: '$c0',
    backups: ['$u0', '$u1'],
    skills: ['Oslo'],
    start: '02/28/2026',
  });
  const made = await world.profile(values as object, { name: 'Same' });
  const sequence = await cardea.store.read.lastSequence();
  const path = `/api/profiles/${made.id}`;
  const again = await call('PATCH', path, { profile: { attributes: values } });
  assert.deepEqual(again.body.profile, made);
  assert.equal(await cardea.store.read.lastSequence(), sequence);
  const other = filled({ company: '$c1', backups: ['$u1'] });
  const changed = await call('PATCH', path, { profile: { attributes: other } });
  assert.equal(changed.body.profile.attributes.company, 'Bergen Company');
  assert.equal(await cardea.store.read.lastSequence(), sequence + 1);
});

test('a unique value is taken by one profile, in any case, until that lets go of it', async () => {
  const first = await world.profile({ badge: 'A-1', iso: '2026-01-01' }, { name: 'one' });
  const taken = async (attributes: object) => {
    const profile = { name: 'two', profile_type_id: world.typeId, status: 'Active', attributes };
    return (await call('POST', '/api/profile', { profile })).body.errors;
  };
  assert.deepEqual(await taken({ badge: ' a-1 ', iso: '2026-01-01' }), {
    badge: ['has already been taken'],
    iso: ['has already been taken'],
  });
  const path = `/api/profiles/${first.id}`;
  const own = { attributes: { badge: 'a-1' } };
  assert.equal((await call('PATCH', path, { profile: own })).status, 200);
  const second = await world.profile({ badge: 'A-2' }, { name: 'two' });
  const steal = { profile: { attributes: { badge: 'A-1' } } };
  assert.equal((await call('PATCH', `/api/profiles/${second.id}`, steal)).status, 400);
  await call('PATCH', path, { profile: { attributes: { badge: null } } });
  assert.equal((await call('PATCH', `/api/profiles/${second.id}`, steal)).status, 200);
});

test('an attribute that its type demands must come with a new profile', async () => {
  const { profile_type } = (
    await call('POST', '/api/profile_type', { profile_type: { name: 'Strict' } })
  ).body;
  const attribute = {
    ...{ uid: 'strict_code', label: 'Code', data_type: 'text field' },
    profile_type_id: profile_type.id,
    validations_attributes: [{ validation_method: 'required' }],
  };
  await call('POST', '/api/ne_attributes', { ne_attribute: attribute });
  const profile = { name: 'x', profile_type_id: profile_type.id, status: 'Active' };
  const missing = await call('POST', '/api/profile', { profile });
  assert.deepEqual(missing.body.errors, { strict_code: ["can't be blank"] });
  const complete = { ...profile, attributes: { strict_code: '1' } };
  const made = await call('POST', '/api/profile', { profile: complete });
  assert.equal(made.status, 200);
  const path = `/api/profiles/${made.body.profile.id}`;
  assert.equal((await call('PATCH', path, { profile: { name: 'y' } })).status, 200);
  // Other types do not know of it.
  await world.profile({}, { name: 'z' });
});

test('a duplicate of a type that tells them is refused with those it resembles', async () => {
  const type = {
    name: 'Guarded',
    profile_type_dup_attributes_attributes: [
      { ne_attribute_id: 'first_name' },
      { ne_attribute_id: 'start' },
      { ne_attribute_id: 'cities' },
    ],
  };
  const { profile_type } = (await call('POST', '/api/profile_type', { profile_type: type })).body;
  const guarded = { name: 'g', profile_type_id: profile_type.id, status: 'Active' };
  const attributes = { first_name: 'Dora', start: '01/02/2026', cities: 'Oslo,Bergen' };
  const post = (values: object, more: object = {}) =>
    call('POST', '/api/profile', { profile: { ...guarded, ...more, attributes: values } });
  const { id } = (await post(attributes)).body.profile;
  const twin = await post({ ...attributes, first_name: ' DORA', cities: 'Bergen,Oslo' });
  assert.equal(twin.status, 400);
  assert.deepEqual(twin.body, {
    error: 'The profile failed to create',
    errors: { possible_duplicates: [[{ id }]] },
  });
  assert.equal((await post({ ...attributes, start: '01/03/2026' })).status, 200);
  assert.equal((await post({ ...attributes, cities: 'Oslo,Århus' })).status, 200);
  assert.equal((await post({ ...attributes, cities: 'Oslo' })).status, 200);
  assert.equal((await post({ first_name: 'Dora', start: '01/02/2026' })).status, 200);
  assert.equal((await post({ first_name: 'Dora', start: '01/02/2026' })).status, 200);
  assert.equal((await post(attributes, { profile_type_id: world.typeId })).status, 200);
  const open = { profile_type: { bypass_dup_protection: true } };
  await call('PATCH', `/api/profile_types/${profile_type.id}`, open);
  assert.equal((await post(attributes)).status, 200);
});

test('names of what a value points to are read afresh, and go with it', async () => {
  const company = await world.profile({}, { name: 'Old Name' });
  const firstId = companies[0]?.id;
  const option = { ne_attribute_id: 'labels', option: 'Doomed' };
  const { ne_attribute_option } = (
    await call('POST', '/api/ne_attribute_option', { ne_attribute_option: option })
  ).body;
  const user = { name: 'Tom', email: 't@x.test', login: 'tom', type: 'NeprofileUser' };
  const { user: tom } = (await call('POST', '/api/user', { user })).body;
  const { id } = await world.profile(
    {
      projects: [company.id, firstId],
      company: company.id,
      labels: 'Doomed,Oslo',
      ...{ sponsor: tom.id, backups: [world.userIds[0], tom.id] },
    },
    { name: 'pointer' },
  );
  const read = async () => (await call('GET', `/api/profiles/${id}`)).body.profile;
  await call('PATCH', `/api/profiles/${company.id}`, { profile: { name: 'New Name' } });
  const before = await read();
  assert.deepEqual(before.attributes, {
    ...{ backups: 'Mira Solano (u0@acme.test), Tom (t@x.test)', company: 'New Name' },
    ...{ labels: 'Doomed, Oslo', projects: 'New Name, Fjord & Sons', sponsor: 'Tom (t@x.test)' },
  });
  const { profile } = (await call('GET', `/api/profiles/${id}?references=true`)).body;
  assert.deepEqual(profile.references, {
    backups: [
      { type: 'user', id: world.userIds[0], text: 'Mira Solano (u0@acme.test)' },
      { type: 'user', id: tom.id, text: 'Tom (t@x.test)' },
    ],
    company: [{ type: 'profile', id: company.id, text: 'New Name' }],
    labels: [
      { type: 'option', id: ne_attribute_option.id, text: 'Doomed' },
      { ...profile.references.labels[1], type: 'option', text: 'Oslo' },
    ],
    projects: [
      { type: 'profile', id: company.id, text: 'New Name' },
      { type: 'profile', id: firstId, text: 'Fjord & Sons' },
    ],
    sponsor: [{ type: 'user', id: tom.id, text: 'Tom (t@x.test)' }],
  });
  assert.equal((await call('GET', `/api/profiles/${id}?references=maybe`)).status, 400);
  assert.equal((await call('DELETE', `/api/profiles/${company.id}`)).status, 204);
  await call('DELETE', `/api/ne_attribute_options/${ne_attribute_option.id}`);
  await call('DELETE', `/api/users/${tom.id}`);
  const left = await read();
  assert.deepEqual(left.attributes, {
    ...{ backups: 'Mira Solano (u0@acme.test)', labels: 'Oslo', projects: 'Fjord & Sons' },
  });
  assert.equal(left.updated_at, before.updated_at);
});

test('a deleted profile is gone with its links', async () => {
  const { id } = await world.profile({ badge: 'gone' }, { name: 'gone', uid: 'gone' });
  const link = { user_id: world.userIds[0], profile_id: id, relationship_type: 'owner' };
  await call('POST', '/api/user_profile', { user_profile: link });
  assert.equal((await call('GET', `/api/user_profiles?profile_id=${id}`)).body.length, 1);
  const answer = await call('DELETE', '/api/profiles/gone');
  assert.deepEqual([answer.status, answer.body], [204, null]);
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const body = method === 'PATCH' ? { profile: { name: 'x' } } : undefined;
    const missing = await call(method, `/api/profiles/${id}`, body);
    assert.equal(missing.status, 404);
    assert.deepEqual(missing.body, { error: 'The requested Profile was not found' });
  }
  assert.deepEqual((await call('GET', `/api/user_profiles?profile_id=${id}`)).body, []);
  await world.profile({ badge: 'gone' }, { name: 'again', uid: 'gone' });
});

test('other paths and methods are answered as such', async () => {
  const { id } = companies[0] ?? { id: '' };
  for (const path of [`/api/profiles/${id}/avatar`, `/api/profiles/${id}/upload`])
    assert.equal((await call('GET', path)).status, 404);
  const wrong = await call('PUT', `/api/profiles/${id}`, {});
  assert.equal(wrong.status, 405);
  assert.equal(wrong.headers.get('allow'), 'DELETE, GET, HEAD, PATCH');
  const typed = { 'content-type': 'text/plain' };
  assert.equal((await call('POST', '/api/profile', 'x', typed)).status, 415);
  assert.equal((await call('GET', `/api/v1/profiles/${id}`)).status, 200);
});
