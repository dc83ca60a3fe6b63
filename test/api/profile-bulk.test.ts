// Many profiles at once over HTTP: all or nothing, complaints by place, the audit trail of it, and deletions that are jobs.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Call, withApiKey } from '../support/api-key.ts';
import { addTenant } from '../support/callers.ts';
import { type ProfileWorld, profileWorld } from '../support/profile-world.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
let call: Call;
let world: ProfileWorld;

before(async () => {
  service = await startService();
  ({ call } = await withApiKey(service));
  world = await profileWorld(call);
});
after(() => service.stop());

const good = (name: string, attributes: object = {}) => ({
  ...{ name, attributes, profile_type_id: world.typeId, status: 'Active' },
});

const total = async (query = '') =>
  (await call('GET', `/api/profiles?limit=1&metadata=true${query}`)).body._metadata.total;

const post = (profiles: unknown) => call('POST', '/api/profiles', { profiles });
const patch = (profiles: unknown) => call('PATCH', '/api/profiles', { profiles });
const remove = (profiles: unknown) => call('DELETE', '/api/profiles', { profiles });

async function makeMany(count: number, name: string): Promise<{ id: string; uid: string }[]> {
  const { status, body } = await post(
    Array.from({ length: count }, (_, n) => good(`${name} ${n}`, { first_name: `${n}` })),
  );
  assert.equal(status, 200, JSON.stringify(body).slice(0, 300));
  return body.profiles;
}

interface SeenEvent {
  readonly technicalName: string;
  readonly target: { readonly name: string };
  readonly attributes: {
    readonly count?: number;
    readonly jobId?: string;
    readonly changed?: readonly string[];
    readonly before?: string;
    readonly after?: string;
  };
}

/** Audit events of profiles since the sequence. */
async function trail(since: number): Promise<SeenEvent[]> {
  const changes = await service.cardea.store.read.changesAfter(since, 10_000);
  return changes
    .filter(({ index }) => index === 'events')
    .map(({ document }) => JSON.parse(new TextDecoder().decode(document?.root)))
    .filter(({ technicalName }) => technicalName.startsWith('PROFILE_'));
}
const lastSequence = () => service.cardea.store.read.lastSequence();

test('many are made, changed and deleted in the order sent', async () => {
  const start = await lastSequence();
  const made = await post([good('b'), good('a', { skills: 'Oslo,Bergen' }), good('c')]);
  assert.deepEqual(
    made.body.profiles.map(({ name }: { name: string }) => name),
    ['b', 'a', 'c'],
  );
  const [b, a, c] = made.body.profiles;
  assert.deepEqual(a.attributes, { skills: 'Oslo, Bergen' });
  const changed = await patch([
    { id: c.id, attributes: { first_name: 'C' } },
    { id: b.uid, status: 'Inactive' },
  ]);
  assert.deepEqual(
    changed.body.profiles.map(({ id, status, attributes }: Record<string, unknown>) => [
      ...[id, status, attributes],
    ]),
    [
      [c.id, 'Active', { first_name: 'C' }],
      [b.id, 'Inactive', {}],
    ],
  );
  const gone = await remove([{ id: a.id }, { id: c.id }, { id: a.uid }]);
  assert.deepEqual(gone.body.profiles, [a, changed.body.profiles[0]]);
  assert.equal(await total('&name=a'), 0);
  const events = await trail(start);
  assert.deepEqual(
    events.map(({ technicalName, target }) => [technicalName, target.name]),
    [
      ...[b, a, c].map(({ name }) => ['PROFILE_CREATE_PASSED', name]),
      ...['c', 'b'].map((name) => ['PROFILE_MODIFY_PASSED', name]),
      ...['a', 'c'].map((name) => ['PROFILE_DELETE_PASSED', name]),
    ],
  );
  // Of attributes the names alone are recorded.
  const [ofC, ofB] = [events[3]?.attributes, events[4]?.attributes];
  assert.deepEqual(ofC?.changed, ['attributes.first_name']);
  assert.deepEqual([ofC?.before, ofC?.after], ['{}', '{}']);
  assert.deepEqual(ofB?.changed, ['status']);
  assert.deepEqual([ofB?.before, ofB?.after], ['{"status":"Active"}', '{"status":"Inactive"}']);
  assert.equal(JSON.parse(events[5]?.attributes.before ?? '').id, a.id);
  assert.ok(events.every(({ attributes }) => !JSON.stringify(attributes).includes('Oslo')));
});

test('one record at fault keeps all of them out, and writes no event', async () => {
  const start = await lastSequence();
  const before = await total();
  const { status, body } = await post([
    good('fine'),
    { ...good('x'), status: 'Gone' },
    good('y', { hours: 'many', nope: 1 }),
    'text',
    null,
  ]);
  assert.equal(status, 400);
  assert.deepEqual(body, {
    error: 'The profiles failed to create',
    errors: { 3: ['must be an object'], 4: ['must be an object'] },
  });
  const again = await post([
    good('fine'),
    { ...good('x'), status: 'Gone' },
    good('y', { nope: 1 }),
  ]);
  assert.deepEqual(again.body, {
    error: 'The profiles failed to create',
    errors: {
      '1.status': ['is not included in the list'],
      '2.nope': ['is not the uid of an attribute'],
    },
  });
  const [one] = await makeMany(1, 'kept');
  const half = await patch([
    { id: one?.id, name: 'changed' },
    { id: 'nobody', name: 'x' },
    { name: 'x' },
    { id: 7 },
    { id: one?.uid, name: 'twice' },
  ]);
  assert.deepEqual(half.body, {
    error: 'The profiles failed to update',
    errors: {
      '1.id': ['was not found'],
      '2.id': ["can't be blank"],
      '3.id': ['was not found'],
      '4.id': ['is there more than once'],
    },
  });
  const refused = await remove([{ id: one?.id }, { id: 'nobody' }]);
  assert.deepEqual(refused.body, {
    error: 'The profiles failed to delete',
    errors: { '1.id': ['was not found'] },
  });
  assert.equal((await call('GET', `/api/profiles/${one?.id}`)).body.profile.name, 'kept 0');
  assert.equal(await total(), before + 1);
  assert.equal((await trail(start)).length, 1);
});

const BODIES: readonly [method: string, body: unknown, error: RegExp][] = [
  ['POST', {}, /^param is missing or the value is empty: profiles$/],
  ['POST', { profiles: [] }, /^param is missing or the value is empty: profiles$/],
  ['PATCH', { profiles: '' }, /^param is missing or the value is empty: profiles$/],
  ['DELETE', { profiles: null }, /^param is missing or the value is empty: profiles$/],
  ['DELETE', { profiles: { id: 'x' } }, /profiles must be an array/],
  ['DELETE', '[', /^Invalid JSON syntax\./],
  ['DELETE', undefined, /./],
  ['POST', { profiles: Array(1001).fill({}) }, /at most 1000 records/],
  ['PATCH', { profiles: Array(1001).fill({ id: 'x' }) }, /at most 1000 records/],
  ['DELETE', { profiles: Array(1001).fill({ id: 'x' }) }, /at most 1000 records/],
];
for (const [method, body, error] of BODIES) {
  test(`${method} profiles ${JSON.stringify(body)?.slice(0, 40)} is refused: ${error}`, async () => {
    const answer = await call(method, '/api/profiles', body);
    assert.ok([400, 415].includes(answer.status));
    assert.match(answer.body.error, error);
    assert.equal(answer.body.errors, undefined);
  });
}

test('records of one call are held against one another', async () => {
  const unique = await post([
    good('a', { badge: 'B-1' }),
    good('b', { badge: ' b-1' }),
    { ...good('c'), uid: 'same' },
    { ...good('d'), uid: 'same' },
  ]);
  assert.deepEqual(unique.body.errors, {
    '1.badge': ['has already been taken'],
    '3.uid': ['has already been taken'],
  });
  const type = {
    name: 'Guarded',
    profile_type_dup_attributes_attributes: [{ ne_attribute_id: 'first_name' }],
  };
  const { profile_type } = (await call('POST', '/api/profile_type', { profile_type: type })).body;
  const guarded = (first: string) => ({
    ...good('g', { first_name: first }),
    profile_type_id: profile_type.id,
  });
  const twins = await post([guarded('Ines'), guarded('Eve'), guarded('INES')]);
  assert.deepEqual(twins.body.errors, { '2.base': ['is a duplicate of the record at 0'] });
  const { id } = (await post([guarded('Eve')])).body.profiles[0];
  const stored = await post([guarded('Ines'), guarded('Eve')]);
  assert.deepEqual(stored.body.errors, { '1.possible_duplicates': [[{ id }]] });
});

test('two profiles may swap a unique value in one call', async () => {
  const { profiles } = (await post([good('a', { badge: 'S-1' }), good('b', { badge: 'S-2' })]))
    .body;
  const [a, b] = profiles;
  const swapped = await patch([
    { id: a.id, attributes: { badge: 'S-2' } },
    { id: b.id, attributes: { badge: 'S-1' } },
  ]);
  assert.equal(swapped.status, 200, JSON.stringify(swapped.body));
  const clash = await patch([{ id: a.id, attributes: { badge: 'S-1' } }]);
  assert.deepEqual(clash.body.errors, { '0.badge': ['has already been taken'] });
});

test('of fifty calls at once that want one unique value, one gets it', async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      call('POST', '/api/profile', { profile: good(`r${n}`, { badge: 'race' }) }),
    ),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
});

test('fifty changes at once are all kept, since each changes its own attribute', async () => {
  const [one] = await makeMany(1, 'busy');
  const uids = ['first_name', 'last_name', 'notes', 'hours', 'must'];
  await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      call('PATCH', `/api/profiles/${one?.id}`, {
        profile: { attributes: { [uids[n % 5] ?? '']: String(n) } },
      }),
    ),
  );
  const { attributes } = (await call('GET', `/api/profiles/${one?.id}`)).body.profile;
  assert.deepEqual(Object.keys(attributes).sort(), [...uids].sort());
  for (const [place, uid] of uids.entries()) assert.equal(Number(attributes[uid]) % 5, place);
});

test('a thousand are made and changed at once, and leave one event each time', async () => {
  const start = await lastSequence();
  const made = await makeMany(1000, 'mass');
  assert.equal(await total('&name=mass%20999'), 1);
  // Without a limit a page has a hundred.
  assert.equal((await call('GET', '/api/profiles')).body.length, 100);
  const everyone = { advanced_search: { condition_rules_attributes: [] } };
  const run = await call('POST', '/api/advanced_search/run', everyone);
  assert.equal(run.body.profiles.length, 100);
  const changed = await patch(made.map(({ id }) => ({ id, status: 'Inactive' })));
  assert.equal(changed.status, 200);
  assert.equal(changed.body.profiles.length, 1000);
  assert.deepEqual(
    (await trail(start)).map(({ technicalName, attributes }) => [
      ...[technicalName, attributes.count],
    ]),
    [
      ['PROFILE_CREATE_PASSED', 1000],
      ['PROFILE_MODIFY_PASSED', 1000],
    ],
  );
});

test('a deletion of more than a hundred is a job that tells what became of each', async () => {
  const made = await makeMany(101, 'doomed');
  const start = await lastSequence();
  const wanted = [
    ...made.map(({ id }) => ({ id })),
    ...[{ id: 'nobody' }, {}, { id: { toString: 1 } }],
  ];
  const { status, body } = await remove(wanted);
  assert.equal(status, 200);
  assert.match(body.job_status.job_id, /^[0-9a-f]{24}$/);
  assert.deepEqual(body, {
    ...{ info: 'job has started', status: 200 },
    job_status: { job_id: body.job_status.job_id, status: 'queued' },
  });
  const path = `/api/job_status?job_id=${body.job_status.job_id}`;
  const job = (await call('GET', path)).body;
  assert.deepEqual(
    [job.uid, job.status, job.job_type],
    [body.job_status.job_id, 'complete', 'import'],
  );
  assert.equal(job.job_data.length, 104);
  assert.deepEqual(job.job_data.slice(0, 1), [{ id: made[0]?.id, errors: [] }]);
  assert.deepEqual(job.job_data.slice(101), [
    { id: 'nobody', errors: ['was not found'] },
    { id: '', errors: ['was not found'] },
    { id: '', errors: ['was not found'] },
  ]);
  assert.equal(await total('&name=doomed%2050'), 0);
  const [event, ...others] = await trail(start);
  assert.equal(others.length, 0);
  assert.deepEqual(
    [event?.technicalName, event?.attributes.count, event?.attributes.jobId],
    ['PROFILE_DELETE_PASSED', 101, job.uid],
  );
  const rival = await withApiKey(service, (await addTenant(service, 'rival')).tenantId);
  const theirs = await rival.call('GET', path);
  assert.equal(theirs.status, 404);
  assert.deepEqual(theirs.body, { error: 'The requested Job was not found' });
});

test('a hundred are deleted at once and answered as they were', async () => {
  const made = await makeMany(100, 'short');
  const { body } = await remove(made.map(({ id }) => ({ id })));
  assert.deepEqual(body.profiles, made);
});

test('a job that is not named or not known is no job', async () => {
  const unnamed = await call('GET', '/api/job_status');
  assert.deepEqual(
    [unnamed.status, unnamed.body],
    [400, { error: 'param is missing or the value is empty: job_id' }],
  );
  const unknown = await call('GET', '/api/job_status?job_id=64f0c1d2e3b4a59687766554');
  assert.deepEqual(
    [unknown.status, unknown.body],
    [404, { error: 'The requested Job was not found' }],
  );
});

interface Link {
  readonly id: string;
  readonly uid: string;
}

/** Makes links of the first user to that many new profiles. */
async function makeLinks(count: number, name: string): Promise<Link[]> {
  const profiles = await makeMany(count, name);
  const links = profiles.map(({ id }) => ({
    ...{ user_id: world.userIds[0], profile_id: id, relationship_type: 'owner' },
  }));
  const { status, body } = await call('POST', '/api/user_profiles', { user_profiles: links });
  assert.equal(status, 200, JSON.stringify(body).slice(0, 300));
  return body.user_profiles;
}

const unlink = (links: unknown) => call('DELETE', '/api/user_profiles', { user_profiles: links });
const linkTotal = async () =>
  (await call('GET', '/api/user_profiles?limit=1&metadata=true')).body._metadata.total;

/** Audit events of links since the sequence. */
async function linkTrail(since: number): Promise<SeenEvent[]> {
  const changes = await service.cardea.store.read.changesAfter(since, 10_000);
  return changes
    .filter(({ index }) => index === 'events')
    .map(({ document }) => JSON.parse(new TextDecoder().decode(document?.root)))
    .filter(({ technicalName }) => technicalName.startsWith('USER_PROFILE_'));
}

test('links of users to profiles are deleted many at once and answered as they were', async () => {
  const links = await makeLinks(3, 'linked');
  const [start, before] = [await lastSequence(), await linkTotal()];
  const [first, second, third] = links;
  const { status, body } = await unlink([
    { id: second?.id },
    { id: first?.uid },
    { id: second?.uid },
  ]);
  assert.equal(status, 200);
  assert.deepEqual(body, { user_profiles: [second, first] });
  assert.equal(await linkTotal(), before - 2);
  assert.equal((await call('GET', `/api/user_profiles/${third?.id}`)).status, 200);
  const events = await linkTrail(start);
  assert.deepEqual(
    events.map(({ technicalName }) => technicalName),
    ['USER_PROFILE_DELETE_PASSED', 'USER_PROFILE_DELETE_PASSED'],
  );
});

test('one link at fault keeps all of them, and writes no event', async () => {
  const [link] = await makeLinks(1, 'spared');
  const [start, before] = [await lastSequence(), await linkTotal()];
  const refused = await unlink([{ id: link?.id }, { id: 'nobody' }, {}, { id: 7 }, 'text']);
  assert.equal(refused.status, 400);
  assert.deepEqual(refused.body, {
    error: 'The user profiles failed to delete',
    errors: {
      '1.id': ['was not found'],
      '2.id': ["can't be blank"],
      '3.id': ['must be a string'],
      4: ['must be an object'],
    },
  });
  const empty = await unlink([]);
  assert.deepEqual(
    [empty.status, empty.body],
    [400, { error: 'param is missing or the value is empty: user_profiles' }],
  );
  const rival = await withApiKey(service, (await addTenant(service, 'stranger')).tenantId);
  const theirs = { user_profiles: [{ id: link?.id }] };
  assert.equal((await rival.call('DELETE', '/api/user_profiles', theirs)).status, 400);
  assert.equal(await linkTotal(), before);
  assert.deepEqual(await linkTrail(start), []);
});

test('deleting more than a hundred links is a job that tells what became of each', async () => {
  const links = await makeLinks(101, 'many links');
  const [start, before] = [await lastSequence(), await linkTotal()];
  const { status, body } = await unlink([...links.map(({ id }) => ({ id })), { id: 'nobody' }, {}]);
  assert.equal(status, 200);
  const { job_id: jobId } = body.job_status;
  assert.deepEqual(body, {
    ...{ info: 'job has started', status: 200 },
    job_status: { job_id: jobId, status: 'queued' },
  });
  const job = (await call('GET', `/api/job_status?job_id=${jobId}`)).body;
  assert.deepEqual([job.uid, job.status, job.job_type], [jobId, 'complete', 'import']);
  assert.deepEqual(job.job_data, [
    ...links.map(({ id }) => ({ id, errors: [] })),
    { id: 'nobody', errors: ['was not found'] },
    { id: '', errors: ["can't be blank"] },
  ]);
  assert.equal(await linkTotal(), before - 101);
  const [event, ...others] = await linkTrail(start);
  assert.equal(others.length, 0);
  assert.deepEqual(
    [event?.technicalName, event?.attributes.count, event?.attributes.jobId],
    ['USER_PROFILE_DELETE_PASSED', 101, jobId],
  );
});
