// suite: slow
// Profile management that was made over HTTP, exported and imported into another tenant: every kind
// of value and record, and references in circles.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TenantExport } from '../../src/export/tenant-export.ts';
import { jsonSource } from '../../src/json/json-source.ts';
import { operatorOf } from '../../src/service/audit/operator-event.ts';
import { type Call, withApiKey } from '../support/api-key.ts';
import { type ProfileWorld, profileWorld } from '../support/profile-world.ts';
import { type RunningService, startService } from '../support/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: records are looked at member by member
type Wire = Record<string, any>;

let source: RunningService;
let target: RunningService;
let from: Call;
let into: Call;
let world: ProfileWorld;
let lines: Wire[];

before(async () => {
  source = await startService();
  target = await startService();
  ({ call: from } = await withApiKey(source));
  ({ call: into } = await withApiKey(target));
  world = await profileWorld(from, {
    profile_type_dup_attributes_attributes: [{ ne_attribute_id: 'badge' }],
  });
  const must = { must: 'x' };
  const one = await world.profile({
    ...must,
    first_name: 'Ada',
    last_name: 'One',
    iso: '2025-06-30',
  });
  const values = {
    site: 'Graz, Styria',
    labels: ['Oslo', 'Århus'],
    start: '01/02/2025',
    hours: '37.5',
  };
  const people = { sponsor: world.userIds[0], backups: world.userIds };
  const two = await world.profile({
    ...must,
    ...values,
    ...people,
    first_name: 'Bob',
    projects: one.id,
  });
  // One refers to two and two to one; three refers to itself.
  const patch = async (id: string, attributes: object) => {
    const { status } = await from('PATCH', `/api/profiles/${id}`, { profile: { attributes } });
    assert.equal(status, 200);
  };
  await patch(one.id, { projects: [two.id] });
  const three = await world.profile(
    { ...must, notes: 'A note, in two\nlines.' },
    { name: 'Three' },
  );
  await patch(three.id, { company: three.id });
  const create = async (path: string, body: object) => {
    const { status, body: created } = await from('POST', `/api/${path}`, body);
    assert.ok(status < 300, JSON.stringify(created));
  };
  const gone = await world.profile({ ...must, first_name: 'Gone' });
  const user = (uid: string, type: string, profile_id: string) => {
    return { uid, name: uid, email: `${uid}@acme.test`, login: uid, type, profile_id };
  };
  await create('users', {
    users: [
      user('del', 'NeaccessUser', one.id),
      user('orphan', 'NeaccessUser', gone.id),
      user('guest', 'NeprofileUser', two.id),
    ],
  });
  await patch(one.id, { sponsor: 'del' });
  assert.equal((await from('DELETE', `/api/profiles/${gone.id}`)).status, 204);
  await create('user_profiles', {
    user_profiles: [
      {
        user_id: world.userIds[1],
        profile_id: two.id,
        relationship_type: 'owner',
        ne_attribute_id: 'sponsor',
      },
    ],
  });
  await changeRules();
  lines = await exported(source);
  await imported(lines);
});
after(async () => {
  await source.stop();
  await target.stop();
});

/** Changes the attributes and the type, so that stored profiles would be refused as new ones. */
async function changeRules(): Promise<void> {
  const change = async (uid: string, ne_attribute: object) => {
    const { status, body } = await from('PATCH', `/api/ne_attributes/${uid}`, { ne_attribute });
    assert.equal(status, 200, JSON.stringify(body));
  };
  const rule = (validation_method: string) => ({ validations_attributes: [{ validation_method }] });
  await change('start', { date_format: 'dd/mm/yyyy' });
  await change('sponsor', { ...rule('required'), profile_type_id: world.typeId });
  await change('must', rule('unique'));
  await change('last_name', rule('numericality'));
  await change('first_name', rule('email_format'));
  await change('backups', { allow_multiple_selections: false });
  await change('cities', { filtering_ne_attribute_id: 'shift', ne_attribute_filter_id: 'shift' });
  assert.equal((await from('DELETE', '/api/ne_attributes/shift')).status, 200);
  const { status } = await from('PATCH', `/api/profile_types/${world.typeId}`, {
    profile_type: {
      profile_type_dup_attributes_attributes: [
        { ne_attribute_id: 'must' },
        { ne_attribute_id: 'badge', _destroy: true },
      ],
    },
  });
  assert.equal(status, 200);
}

async function exported({ cardea, tenantId }: RunningService): Promise<Wire[]> {
  const run = new TenantExport({
    ...{ records: cardea.store.read, tenantId, indexes: [], findMatches: null, anonymiser: null },
  });
  const all: Wire[] = [];
  for await (const { bytes, count } of run.profiles()) {
    const page = Buffer.from(bytes).toString().split('\n').slice(0, -1);
    assert.equal(page.length, count);
    all.push(...page.map((line) => JSON.parse(line)));
  }
  return all;
}

async function imported(values: readonly object[]): Promise<void> {
  async function* bytes() {
    yield Buffer.from(values.map((value) => JSON.stringify(value)).join('\n'));
  }
  const { cardea, tenantId } = target;
  const report = await cardea.documents.importProfiles(operatorOf(tenantId), jsonSource(bytes()));
  assert.deepEqual([report.failed, report.faults], [0, []]);
}

const LISTS = [
  ...['profile_types', 'ne_attributes', 'ne_attribute_options', 'users', 'roles', 'user_roles'],
  ...['user_managers', 'user_profiles', 'risk_levels', 'risk_scores'],
];

for (const list of LISTS) {
  test(`${list} are the same in the other tenant`, async () => {
    const all = async (call: Call) => (await call('GET', `/api/${list}?limit=1000&order=id`)).body;
    const withoutKeysOfItems = (value: unknown) =>
      JSON.parse(JSON.stringify(value), (name, inner) =>
        /_attributes$|namings$/.test(name) && Array.isArray(inner)
          ? inner.map(({ id, uid, ...item }) => item)
          : inner,
      );
    assert.deepEqual(withoutKeysOfItems(await all(into)), withoutKeysOfItems(await all(from)));
  });
}

test('profiles are the same, also those that refer to one another', async () => {
  const all = async (call: Call) => (await call('GET', '/api/profiles?after_id=&limit=500')).body;
  const [before, after]: [Wire[], Wire[]] = [await all(from), await all(into)];
  assert.equal(before.length, 3);
  // A profile in a circle is written twice, so the time of its last change is that of the import.
  const untimed = (profiles: Wire[]) => profiles.map(({ updated_at: _, ...profile }) => profile);
  assert.deepEqual(untimed(after), untimed(before));
});

test('a date is exported in the current format of its attribute', () => {
  const [line] = lines.filter(({ attributes }) => attributes?.start !== undefined);
  assert.equal(line?.['attributes'].start, '02/01/2025');
});

test('users have their profiles in the other tenant, and none that was deleted', async () => {
  const profileOf = async ({ cardea, tenantId }: RunningService, uid: string) =>
    (await cardea.store.read.resource(tenantId, 'user', uid))?.profileId;
  for (const uid of ['del', 'guest']) {
    assert.equal(await profileOf(target, uid), await profileOf(source, uid));
    assert.match((await profileOf(target, uid)) ?? '', /^[0-9a-f-]{36}$/);
  }
  assert.equal(await profileOf(target, 'orphan'), null);
});

test('an attribute is not filtered by one that was deleted, and can be sent back', async () => {
  const { ne_attribute } = (await from('GET', '/api/ne_attributes/cities')).body;
  assert.equal(ne_attribute.filtering_ne_attribute_id, null);
  assert.equal(ne_attribute.ne_attribute_filter_id, null);
  const { status } = await from('PATCH', '/api/ne_attributes/cities', { ne_attribute });
  assert.equal(status, 200);
});

test('records come after those they refer to', () => {
  const seen = new Set<string>();
  for (const line of lines) {
    const [wrapper = ''] = Object.keys(line);
    const record = 'attributes' in line ? line : line[wrapper];
    for (const name of ['profile_type_id', 'ne_attribute_id', 'user_id', 'profile_id']) {
      if (record[name]) assert.ok(seen.has(record[name]), `${wrapper} ${name}`);
    }
    seen.add(record.id);
  }
});
