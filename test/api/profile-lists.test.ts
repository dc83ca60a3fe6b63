// Lists of profiles over HTTP: what profiles have beyond the conventions of all collections, pages that follow by id, and
// walks that see every record exactly once while others come and go.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Call, withApiKey } from '../support/api-key.ts';
import { addTenant, addUser } from '../support/callers.ts';
import { type ProfileWorld, profileWorld } from '../support/profile-world.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
let call: Call;
let world: ProfileWorld;
/** Uids are the places. */
let made: { id: string; uid: string; updated_at: string }[];

const NAMES = ['cleo', 'Abe', 'bea', 'abe', 'Öz', 'dan', 'eve'];
const STATUSES = ['Active', 'Active', 'On Leave', 'Inactive', 'Active', 'Terminated', 'Active'];

before(async () => {
  service = await startService();
  ({ call } = await withApiKey(service));
  world = await profileWorld(call, { uid: 'contractor' });
  made = [];
  const further: Readonly<Record<number, object>> = {
    1: { start: '02/28/2026', iso: '2026-03-01', site: 'Graz, Styria', sponsor: world.userIds[0] },
    2: { company: 'p1', projects: ['p0', 'p1'], badge: 'B 7', hours: '7.50' },
    5: { cities: ['Oslo', 'Graz, Styria'], notes: 'Two lines' },
  };
  for (const [n, name] of NAMES.entries()) {
    const more = { name, uid: `p${n}`, status: STATUSES[n], archived: n === 6 };
    const values = { first_name: name, skills: 'Oslo,Bergen', ...further[n] };
    made.push(await world.profile(values, more));
  }
});
after(() => service.stop());

const places = (profiles: readonly { uid: string }[]) =>
  profiles.map(({ uid }) => uid.slice(1)).join('');

const LISTS: readonly [query: string, expected: string][] = [
  ['', '012345'],
  ['?limit=2&offset=3', '34'],
  ['?limit=500', '012345'],
  ['?offset=6', ''],
  ['?order=created_at', '012345'],
  ['?order=uid&limit=3', '012'],
  ['?order=name&name=ABE&limit=2', '13'],
  ['?name=abe&status=Inactive', '3'],
  ['?name=%20Abe%20&order=uid', '13'],
  ['?name=ab', ''],
  ['?uid=p3', '3'],
  ['?uid=P3', ''],
  ['?uid=p9', ''],
  ['?uid=p6', ''],
  ['?uid=p6&archived=true', '6'],
  ['?id=p3', '3'],
  ['?id=none', ''],
  ['?uid=p3&exclude_attributes=true', '3'],
  ['?uid=p3&status=Active', ''],
  ['?uid=p3&id=p2', ''],
  ['?query[uid]=p3&query[order]=status&query[limit]=5', '3'],
  ['?id_proofing_status=pass', ''],
  ['?created_at=2020-01-01', ''],
  ['?updated_at=2020-01-01T09:30Z', ''],
  ['?name_contains=B', '123'],
  ['?name_contains=%C3%B6', '4'],
  ['?name_contains=b&status=Active', '1'],
  ['?name_contains=b&order=status', '123'],
  ['?name_contains=%25', ''],
  ['?name_contains=_', ''],
  ['?name_contains=', '012345'],
  ['?status=active', '014'],
  ['?status=On%20Leave', '2'],
  ['?status=Leave%20of%20absence', '2'],
  ['?status=Active&status=Terminated', '5'],
  ['?status=Active&profile_type_id=contractor', '014'],
  ['?profile_type_id=none', ''],
  ['?profile_type_id=', '012345'],
  ['?archived=true', '6'],
  ['?archived=false&status=Active', '014'],
  ['?archived=', '012345'],
  ['?archived=1&status=Inactive', ''],
  ['?updated_after=2020-01-01', '012345'],
  ['?updated_after=2999-01-01', ''],
  ['?updated_after=2020-01-01T00:00:00%2B02:00&status=Terminated', '5'],
  ['?updated_after=', '012345'],
  ['?updated_after=2999-01-01&archived=true', ''],
  // Attributes of the tenant, by their uid.
  ['?first_name=abe', '13'],
  ['?first_name=%20ABE%20&order=name', '13'],
  ['?first_name=ab', ''],
  ['?first_name=%C3%B6z', '4'],
  ['?first_name=%25', ''],
  ['?first_name=', '012345'],
  ['?first_name=&badge=b%207', '2'],
  ['?first_name=abe&uid=p3', '3'],
  ['?first_name=abe&id=p3&name=abe', '3'],
  ['?first_name=abe&status=Active', '1'],
  ['?first_name=abe&first_name=bea', '2'],
  ['?query[first_name]=bea&query[limit]=1', '2'],
  ['?first_name=eve', ''],
  ['?first_name=eve&archived=true', '6'],
  ['?first_name=eve&archived=true&uid=p6', '6'],
  ['?first_name=dan&name_contains=A', '5'],
  ['?first_name=dan&created_at=2020-01-01', ''],
  ['?first_name=dan&updated_after=2020-01-01', '5'],
  ['?first_name=dan&updated_after=2999-01-01', ''],
  ['?FIRST_NAME=abe', '012345'],
  ['?last_name=abe', ''],
  ['?notes=TWO%20LINES', '5'],
  ['?hours=7.5', ''],
  ['?hours=7.50', '2'],
  ['?skills=oslo', '012345'],
  ['?skills=oslo&limit=2&offset=3', '34'],
  ['?skills=bergen&order=uid&limit=3', '012'],
  ['?skills=oslo&status=Active&profile_type_id=contractor', '014'],
  ['?skills=oslo&profile_type_id=none', ''],
  ['?skills=Graz', ''],
  ['?skills=nowhere', ''],
  ['?site=graz,%20styria', '1'],
  ['?cities=Oslo', '5'],
  ['?start=02/28/2026', '1'],
  ['?start=2026-02-28', '1'],
  ['?start=02/28/2025', ''],
  ['?iso=2026-03-01', '1'],
  ['?company=p1', '2'],
  ['?company=p2', ''],
  ['?company=none', ''],
  ['?projects=p0', '2'],
];
for (const [query, expected] of LISTS) {
  test(`profiles${query} are ${expected === '' ? 'none' : expected}`, async () => {
    const { status, body } = await call('GET', `/api/profiles${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal([...places(body)].sort().join(''), expected);
    if (!query.includes('name')) assert.equal(places(body), expected);
  });
}

const ORDERS = ['id', 'uid', 'name', 'status', 'profile_type_id', 'created_at', 'updated_at'];
for (const order of ORDERS) {
  test(`profiles are ordered by ${order}, ties by id, and pages follow one another`, async () => {
    const all = (await call('GET', `/api/profiles?order=${order}`)).body;
    const key = (profile: Record<string, string>) =>
      `${profile[order]?.toLowerCase()} ${profile['id']}`;
    assert.deepEqual(all.map(key), all.map(key).sort(byCodePoint));
    const paged = [];
    for (let offset = 0; offset < 8; offset += 2) {
      const path = `/api/profiles?order=${order}&limit=2&offset=${offset}&exclude_attributes=1`;
      paged.push(...(await call('GET', path)).body);
    }
    assert.deepEqual(
      paged.map(({ uid }) => uid),
      all.map(({ uid }: { uid: string }) => uid),
    );
  });
}

function byCodePoint(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

test('attributes come with a list unless they are excluded', async () => {
  const [first] = (await call('GET', '/api/profiles?limit=1')).body;
  assert.deepEqual(first.attributes, { first_name: 'cleo', skills: 'Oslo, Bergen' });
  const [bare] = (await call('GET', '/api/profiles?limit=1&exclude_attributes=true')).body;
  assert.ok(!('attributes' in bare));
  const rest = (await call('GET', '/api/profiles?limit=1&exclude_attributes=false')).body;
  assert.deepEqual(rest, [first]);
});

test('an attribute that refers to users is a filter by their id', async () => {
  const list = (id: string) => call('GET', `/api/profiles?sponsor=${id}&metadata=true`);
  const { body } = await list(world.userIds[0] ?? '');
  assert.deepEqual([places(body.profiles), body._metadata.total], ['1', 1]);
  const other = await list(world.userIds[1] ?? '');
  assert.deepEqual([other.body.profiles, other.body._metadata.total], [[], 0]);
});

test('pages of a filter by an attribute follow one another, and keep the filter', async () => {
  const path = '/api/profiles?skills=Oslo&order=name&limit=2&metadata=true&exclude_attributes=1';
  const all = (await call('GET', '/api/profiles?order=name')).body;
  const walked: { uid: string }[] = [];
  for (let next = path; next !== ''; ) {
    const { body } = await call('GET', next);
    assert.equal(body._metadata.total, 6);
    assert.ok(body.profiles.every((profile: object) => !('attributes' in profile)));
    walked.push(...body.profiles);
    next = body._metadata.next;
  }
  assert.equal(places(walked), places(all));
});

const WARNED: readonly [query: string, warning: RegExp | null][] = [
  ['first_name=abe', null],
  ['first_name=&query[start]=', null],
  ['first_name=abe&nope=1', /^299 cardea "Ignored unknown parameters \\"nope\\"; known are limit/],
  ['first-name=abe', /unknown parameters \\"first-name\\"/],
];
for (const [query, warning] of WARNED) {
  test(`profiles?${query} ${warning === null ? 'carries no Warning' : 'names what is unknown'}`, async () => {
    for (const path of [`profiles?${query}`, `profiles?metadata=1&${query}`]) {
      const { status, headers } = await call('GET', `/api/${path}`);
      assert.equal(status, 200);
      const value = headers.get('warning');
      if (warning === null) assert.equal(value, null);
      else assert.match(String(value), warning);
    }
  });
}

test('metadata counts what the filters leave', async () => {
  const { body } = await call('GET', '/api/profiles?limit=2&metadata=true&status=Active');
  assert.deepEqual(body._metadata, {
    ...{ limit: 2, offset: 0, total: 3 },
    next: '/api/profiles?offset=2&limit=2&metadata=true&status=Active',
    previous: '',
  });
  const next = (await call('GET', body._metadata.next)).body;
  assert.deepEqual([places(next.profiles), next._metadata.next], ['4', '']);
});

test('updated_after means later than that instant', async () => {
  const third = made[3]?.updated_at ?? '';
  const { body } = await call('GET', `/api/profiles?updated_after=${third}&limit=500`);
  assert.ok(!body.some(({ updated_at }: { updated_at: string }) => updated_at <= third));
  assert.ok(body.length >= 2);
  const before = new Date(Date.parse(third) - 1).toISOString();
  const from = (await call('GET', `/api/profiles?updated_after=${before}`)).body;
  assert.ok(places(from).includes('3'));
});

test('with after_id, all profiles follow one another by id, archived ones too', async () => {
  const ids = made.map(({ id }) => id).sort();
  const seen: string[] = [];
  let path = '/api/profiles?after_id=&limit=3&metadata=true';
  let pages = 0;
  while (path !== '') {
    const { body } = await call('GET', path);
    const page = body.profiles.map(({ id }: { id: string }) => id);
    seen.push(...page);
    assert.equal(body._metadata.total, 7);
    assert.equal(body._metadata.after_id, page.at(-1) ?? null);
    path = body._metadata.next;
    pages++;
  }
  assert.deepEqual(seen, ids);
  assert.equal(pages, 3);
  const past = `/api/profiles?metadata=true&after_id=${ids.at(-1)}`;
  const { body } = await call('GET', path === '' ? past : path);
  assert.deepEqual([body.profiles, body._metadata.after_id], [[], null]);
  const plain = await call('GET', `/api/profiles?after_id=${ids[4]}&exclude_attributes=true`);
  assert.deepEqual(
    plain.body.map(({ id }: { id: string }) => id),
    ids.slice(5),
  );
});

const AFTER: readonly [query: string, places: number][] = [
  ['after_id=', 7],
  ['after_id=&profile_type_id=contractor', 7],
  ['after_id=&profile_type_id=none', 0],
  ['after_id=&updated_after=2020-01-01', 7],
  ['after_id=&updated_after=2999-01-01&metadata=true', 0],
  ['after_id=&offset=0&name=&status=&archived=', 7],
  ['after_id=zzzz', 0],
  ["after_id='%20or%201=1", 7],
];
for (const [query, expected] of AFTER) {
  test(`profiles?${query} are ${expected}`, async () => {
    const { status, body } = await call('GET', `/api/profiles?${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal((body.profiles ?? body).length, expected);
  });
}

const REFUSED: readonly [query: string, error: string][] = [
  ['limit=0', 'limit must be an integer from 1 to 500'],
  ['limit=-1', 'limit must be an integer from 1 to 500'],
  ['limit=501', 'limit must be an integer from 1 to 500'],
  ['limit=10001', 'limit must be an integer from 1 to 500'],
  ['limit=abc', 'limit must be an integer from 1 to 500'],
  ['offset=-1', 'offset must be an integer from 0 on'],
  ['order=attributes', 'order must be one of id, uid, name,'],
  ['order=-name', 'order must be one of id, uid, name,'],
  ['status=Gone', 'status must be one of Active, Inactive, On Leave, Terminated'],
  ['archived=maybe', 'archived must be true or false'],
  ['exclude_attributes=yes', 'exclude_attributes must be true or false'],
  ['updated_after=yesterday', 'updated_after must be a date (yyyy-mm-dd)'],
  ['updated_after=02/28/2026', 'updated_after must be a date (yyyy-mm-dd)'],
  ['updated_after=2026-02-30', 'updated_after must be a date (yyyy-mm-dd)'],
  ['updated_after=2026-13-01', 'updated_after must be a date (yyyy-mm-dd)'],
  ['updated_after=2026-02-28T25:00:00Z', 'updated_after must be a date (yyyy-mm-dd)'],
  ['after_id=&offset=1', 'after_id cannot be combined with an offset'],
  ['after_id=&query[offset]=1', 'after_id cannot be combined with an offset'],
  ['after_id=x&order=id', 'after_id cannot be combined with order'],
  ['after_id=x&name=a', 'after_id cannot be combined with name'],
  ['after_id=&status=Active', 'after_id cannot be combined with status'],
  ['after_id=&uid=p3', 'after_id cannot be combined with uid'],
  ['query[after_id]=&query[created_at]=2026-01-01', 'after_id cannot be combined with created_at'],
  ['attributes=x', 'attributes cannot be a filter'],
  ['id_proofing_status=maybe', 'id_proofing_status must be one of pending, pass, fail'],
  ['after_id=&archived=false', 'after_id cannot be combined with archived'],
  ['after_id=&first_name=abe', 'after_id cannot be combined with first_name'],
  ['start=yesterday', 'start must be a date in the form mm/dd/yyyy'],
  ['iso=03/01/2026', 'iso must be a date in the form yyyy-mm-dd'],
  ['photo=x', 'photo cannot be a filter, as attachments are not stored'],
];
for (const [query, error] of REFUSED) {
  test(`profiles?${query} is refused: ${error}`, async () => {
    const { status, body } = await call('GET', `/api/profiles?${query}`);
    assert.equal(status, 400);
    assert.deepEqual(Object.keys(body), ['error']);
    assert.ok(body.error.startsWith(error), body.error);
  });
}

for (const path of [
  'profiles?name=%zz',
  'profiles/%ff',
  'profiles/a%0d%0ab',
  'profiles?after_id=%00',
]) {
  test(`${path} is refused in the words of this area`, async () => {
    const { status, body } = await call('GET', `/api/${path}`);
    assert.equal(status, 400);
    assert.deepEqual(Object.keys(body), ['error']);
  });
}

const WALKS = {
  'by offset': (page: number) => `order=name&limit=7&offset=${page * 7}`,
  'by after_id': (_page: number, last: string) => `limit=7&after_id=${last}`,
};
for (const [way, query] of Object.entries(WALKS)) {
  test(`a walk ${way} sees every untouched profile once while others come and go`, async () => {
    // Offsets hold while what changes sorts behind what was read; ids hold whatever changes.
    const own = await world.profile({}, { name: `walk ${way}` });
    const name = (n: number) => `a ${String(n).padStart(3, '0')} ${way}`;
    const bulk = Array.from({ length: 60 }, (_, n) => ({
      ...{ name: name(n), profile_type_id: world.typeId, status: 'Active' },
    }));
    const { profiles } = (await call('POST', '/api/profiles', { profiles: bulk })).body;
    const untouched = new Set<string>([own.id, ...profiles.map(({ id }: { id: string }) => id)]);
    const doomed: string[] = [];
    const seen: string[] = [];
    let last = '';
    for (let page = 0; ; page++) {
      const rows = (await call('GET', `/api/profiles?${query(page, last)}`)).body;
      if (rows.length === 0) break;
      seen.push(...rows.map(({ id }: { id: string }) => id));
      last = rows.at(-1).id;
      const gone = doomed.pop();
      if (gone !== undefined) await call('DELETE', `/api/profiles/${gone}`);
      const { id } = await world.profile({}, { name: `zzz ${page}` });
      if (page < 8) doomed.push(id);
    }
    for (const id of untouched) assert.equal(seen.filter((one) => one === id).length, 1);
  });
}

test('another tenant sees nothing of it, whatever it asks', async () => {
  const other = await addTenant(service, 'rival');
  const rival = await withApiKey(service, other.tenantId);
  const { id, uid } = await world.profile(
    { badge: 'secret-badge' },
    { name: 'planted', uid: 'planted' },
  );
  for (const query of [
    '',
    '?name=planted',
    '?archived=true',
    '?after_id=',
    `?profile_type_id=${world.typeId}`,
  ]) {
    const text = JSON.stringify((await rival.call('GET', `/api/profiles${query}`)).body);
    assert.equal(text, '[]');
  }
  for (const key of [id, uid, 'no-such-one']) {
    const change = { profile: { name: 'x' } };
    const gone = { profiles: [{ id: key }] };
    for (const [method, path, body] of [
      ['GET', `profiles/${key}`],
      ['PATCH', `profiles/${key}`, change],
      ['DELETE', `profiles/${key}`],
      ['PATCH', 'profiles', { profiles: [{ id: key, name: 'x' }] }],
      ['DELETE', 'profiles', gone],
    ] as const) {
      const { status, body: answer } = await rival.call(method, `/api/${path}`, body);
      assert.equal(status, path.includes('/') ? 404 : 400);
      const faults = { '0.id': ['was not found'] };
      assert.deepEqual(
        answer.errors ?? answer.error,
        path.includes('/') ? 'The requested Profile was not found' : faults,
      );
    }
  }
  const own = await profileWorld(rival.call);
  const sent = { name: 'x', profile_type_id: own.typeId, status: 'Active' };
  const post = (profile: object) => rival.call('POST', '/api/profile', { profile });
  // Neither references nor types of another tenant exist; its unique values and uids are free.
  const pointing = await post({ ...sent, attributes: { company: id } });
  assert.deepEqual(pointing.body.errors, { company: [`"${id}" was not found`] });
  const typed = await post({ ...sent, profile_type_id: world.typeId });
  assert.deepEqual(typed.body.errors, { profile_type_id: ['was not found'] });
  const same = await post({ ...sent, uid: 'planted', attributes: { badge: 'secret-badge' } });
  assert.equal(same.status, 200);
  assert.equal((await call('GET', '/api/profiles/planted')).body.profile.id, id);
});

test('who may read profiles and who may write them', async () => {
  const [reader, nobody] = [
    await addUser(service, { capabilities: ['HELPDESK'] }),
    await addUser(service, { capabilities: ['CERT_ADMIN'] }),
  ];
  const profile = { name: 'x', profile_type_id: world.typeId, status: 'Active' };
  const statuses = async (party: typeof reader) =>
    Promise.all([
      party.call('GET', '/api/profiles?limit=1').then(({ status }) => status),
      party.call('GET', '/api/profiles/p1').then(({ status }) => status),
      party.call('GET', '/api/job_status?job_id=1').then(({ status }) => status),
      party.call('POST', '/api/profile', { profile }).then(({ status }) => status),
      party
        .call('DELETE', '/api/profiles', { profiles: [{ id: 'x' }] })
        .then(({ status }) => status),
    ]);
  assert.deepEqual(await statuses(reader), [200, 200, 404, 403, 403]);
  assert.deepEqual(await statuses(nobody), [403, 403, 403, 403, 403]);
  const unknown = await fetch(`${service.url}/api/profiles`);
  assert.equal(unknown.status, 401);
});
