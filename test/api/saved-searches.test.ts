// Saved and scheduled searches over HTTP: what they may be, who sees them, what a run leaves, and what is in the trail.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { publicPrefixes } from '../../src/http/requests/path-versions.ts';
import { cause, type Json, json } from '../support/answers.ts';
import { addTenant, addUser, type Party } from '../support/callers.ts';
import { eventually } from '../support/eventually.ts';
import { type RunningService, startService } from '../support/service.ts';

const PEOPLE = Array.from({ length: 12 }, (_, n) => ({
  ...{ _type: 'identity', id: `p${String(n).padStart(2, '0')}`, name: `person.${n}` },
  ...{ displayName: n === 3 ? '=SUM(1)' : `Person, ${n}`, inactive: n % 2 === 1 },
  attributes: { department: n < 6 ? 'Sales' : 'Finance', phone: '+47 22 33' },
  accounts: [
    { id: `a${n}`, name: `one${n}`, accountId: 'x', source: { id: 's', name: 'AD' } },
    { id: `b${n}`, name: `two${n}`, accountId: 'y', source: { id: 't', name: 'HR' } },
  ],
}));
const SALES = {
  ...{ name: 'Sales', indices: ['identities'], query: 'attributes.department:Sales' },
  columns: { identity: [{ field: 'displayName', header: 'Name' }, { field: 'inactive' }] },
};
const DAILY = { type: 'DAILY', hours: { type: 'LIST', values: ['9'] } };

let service: RunningService;
let reporter: Party;
let other: Party;
before(async () => {
  service = await startService();
  await service.addDocuments([
    ...PEOPLE,
    { _type: 'role', id: 'r1', name: 'Sales clerk', description: 'Sells "things"\nabroad' },
  ]);
  reporter = await addUser(service, { capabilities: ['REPORT_ADMIN'] });
  other = await addUser(service, { capabilities: ['REPORT_ADMIN'] });
});
after(() => service.stop());

type Call = RunningService['call'];

const SAVED = '/v2024/saved-searches';
const SCHEDULED = '/v2024/scheduled-searches';
const save = (body: object = SALES, call: Call = service.call): Promise<Json> =>
  json(call('POST', SAVED, body), 201);
const identity = (id: string) => ({ type: 'IDENTITY', id });
const scheduleBody = (savedSearchId: string, changed: object = {}) => ({
  ...{ savedSearchId, schedule: DAILY, recipients: [identity('p00')], ...changed },
});
const plan = (savedSearchId: string, changed: object = {}, call: Call = service.call) =>
  json(call('POST', SCHEDULED, scheduleBody(savedSearchId, changed)), 201);

for (const [n, savedPath] of publicPrefixes('/saved-searches').entries()) {
  const paths = [savedPath, publicPrefixes('/scheduled-searches')[n]];
  test(`${paths[0]} and ${paths[1]} serve a search from its creation to its end`, async () => {
    const [saved, scheduled] = paths as [string, string];
    const made = await json(service.call('POST', saved, SALES), 201);
    assert.deepEqual(
      { ...made, id: '', created: '', modified: '' },
      {
        ...{ id: '', created: '', modified: '', owner: identity(service.adminId) },
        ...{ ownerId: service.adminId, public: false, shared: false, description: null, ...SALES },
        columns: {
          identity: [
            { field: 'displayName', header: 'Name' },
            { field: 'inactive', header: null },
          ],
        },
        ...{ fields: null, sort: null, orderBy: null, filters: null },
      },
    );
    assert.deepEqual(await json(service.call('GET', `${saved}/${made.id}`)), made);
    const planned = await json(service.call('POST', scheduled, scheduleBody(made.id)), 201);
    assert.deepEqual(await json(service.call('GET', `${scheduled}/${planned.id}`)), planned);
    assert.deepEqual(planned.recipients, [identity('p00')]);
    assert.equal(planned.enabled, false);
    // Clients send back what they have read, with changes.
    const changed = { ...made, name: 'renamed', ownerId: 'x', owner: identity('x'), public: true };
    const replaced = await json(service.call('PUT', `${saved}/${made.id}`, changed));
    assert.deepEqual([replaced.name, replaced.ownerId], ['renamed', service.adminId]);
    const enabled = { ...planned, enabled: true };
    const again = await json(service.call('PUT', `${scheduled}/${planned.id}`, enabled));
    assert.deepEqual(again, { ...enabled, modified: again.modified });
    const body = identity('p00');
    const left = await service.call('POST', `${scheduled}/${planned.id}/unsubscribe`, body);
    assert.equal(left.status, 204);
    const after = await json(service.call('GET', `${scheduled}/${planned.id}`));
    assert.deepEqual(after.recipients, []);
    await json(service.call('POST', `${scheduled}/${planned.id}/unsubscribe`, body), 404);
    await json(
      service.call('POST', `${saved}/${made.id}/execute`, { scheduleId: planned.id }),
      202,
    );
    assert.equal((await service.call('DELETE', `${saved}/${made.id}`)).status, 204);
    for (const path of [`${saved}/${made.id}`, `${scheduled}/${planned.id}`]) {
      for (const method of ['GET', 'DELETE']) await json(service.call(method, path), 404);
    }
    await json(service.call('PUT', `${saved}/${made.id}`, SALES), 404);
  });
}

const REFUSED_SEARCHES: readonly (readonly [change: object | string, cause: RegExp])[] = [
  ['[]', /^400 400\.0.*object/],
  [{ indices: undefined }, /^400 400\.1.*indices: at least one/],
  [{ indices: [] }, /indices: at least one/],
  [{ indices: ['people'] }, /indices\[0\]: "people" is none of/],
  [{ indices: 'identities' }, /^400 400\.0.*indices: expected an array/],
  [{ query: ' ' }, /query: a query string is needed/],
  [{ query: '(name:a' }, /offset/],
  [{ query: 'created:[2020 TO' }, /offset/],
  [{ filters: { inactive: { type: 'NONE' } } }, /filters\.inactive\.type/],
  [{ filters: { created: { type: 'RANGE' } } }, /filters\.created\.range/],
  [{ filters: [] }, /filters: expected an object/],
  [{ sort: ['nowhere'] }, /sort\[0\]: nowhere is not a sortable field/],
  [{ orderBy: { identity: ['nowhere'] } }, /orderBy\.identity\[0\]: nowhere/],
  [{ orderBy: { person: ['name'] } }, /orderBy\.person: "person" is no document type/],
  [{ columns: { person: [] } }, /columns\.person/],
  [{ columns: { identity: [{ header: 'x' }] } }, /columns\.identity\[0\]\.field/],
  [{ columns: { identity: 'name' } }, /columns\.identity: expected an array/],
  [{ name: 'n'.repeat(256) }, /name: at most 255/],
  [{ name: 7 }, /name: expected a string/],
];
for (const [change, reason] of REFUSED_SEARCHES) {
  const body = typeof change === 'string' ? change : { ...SALES, ...change };
  test(`a search with ${JSON.stringify(change).slice(0, 60)} is refused`, async () => {
    assert.match(await cause(service.call('POST', SAVED, body)), reason);
    const { id } = await save();
    assert.match(await cause(service.call('PUT', `${SAVED}/${id}`, body)), reason);
    assert.equal((await json(service.call('GET', `${SAVED}/${id}`))).name, 'Sales');
  });
}

const hours = DAILY.hours;
const list = (...values: unknown[]) => ({ type: 'LIST', values });
const REFUSED_SCHEDULES: readonly (readonly [schedule: object | null, cause: RegExp])[] = [
  [null, /schedule: a schedule is needed/],
  [{ hours }, /schedule\.type: must be one of DAILY/],
  [{ type: 'HOURLY', hours }, /schedule\.type/],
  [{ type: 'DAILY' }, /schedule\.hours: a LIST or RANGE/],
  [
    { type: 'DAILY', hours: list('24') },
    /schedule\.hours\.values\[0\]: "24" is not a whole number/,
  ],
  [{ type: 'DAILY', hours: list() }, /at least one value/],
  [{ type: 'DAILY', hours: list(9) }, /400\.0.*expected an array of strings/],
  [{ type: 'DAILY', hours: { type: 'RANGE', values: ['9'] } }, /first and a last/],
  [{ type: 'DAILY', hours: { type: 'RANGE', values: ['18', '9'] } }, /comes before the last/],
  [{ type: 'DAILY', hours: { ...hours, interval: 0 } }, /interval: a whole number/],
  [{ type: 'DAILY', hours, days: list('MON') }, /days/],
  [{ type: 'WEEKLY', hours }, /schedule\.days: a schedule of the type WEEKLY needs days/],
  [{ type: 'WEEKLY', hours, days: list('Mon') }, /"Mon" is not one of MON/],
  [{ type: 'MONTHLY', hours, days: list('32') }, /"32" is not a day/],
  [{ type: 'MONTHLY', hours, days: list('1'), months: list('1') }, /has no months/],
  [{ type: 'ANNUALLY', hours, days: list('1') }, /needs months/],
  [{ type: 'ANNUALLY', hours, days: list('30'), months: list('2') }, /no year has such a day/],
  [{ type: 'CALENDAR', hours, days: list('2026-02-30') }, /is not a date/],
  [
    { type: 'CALENDAR', hours, days: { type: 'RANGE', values: ['2000-01-01', '2030-01-01'] } },
    /3660/,
  ],
  [{ ...DAILY, expiration: 'tomorrow' }, /schedule\.expiration: a time such as/],
  [{ ...DAILY, expiration: '2038-01-19T03:14:08Z' }, /at most 2038/],
  [{ ...DAILY, timeZoneId: 'Oslo' }, /timeZoneId: "Oslo" is no time zone/],
];
for (const [schedule, reason] of REFUSED_SCHEDULES) {
  test(`the schedule ${JSON.stringify(schedule)} is refused`, async () => {
    const { id } = await save();
    assert.match(
      await cause(service.call('POST', SCHEDULED, scheduleBody(id, { schedule }))),
      reason,
    );
  });
}

test('a schedule is stored as it was sent, with the expiration as an instant', async () => {
  const { id } = await save();
  const schedule = {
    ...{ type: 'ANNUALLY', months: list('1'), days: list('1', 'L'), timeZoneId: 'Europe/Oslo' },
    ...{ hours: { type: 'RANGE', values: ['9', '18'], interval: 3 } },
    expiration: '2038-01-19T03:14:07+0000',
  };
  const planned = await plan(id, { schedule });
  assert.deepEqual(planned.schedule, {
    ...schedule,
    months: { ...schedule.months, interval: null },
    days: { ...schedule.days, interval: null },
    expiration: '2038-01-19T03:14:07.000Z',
  });
});

test('a schedule needs a saved search that its owner sees, and recipients', async () => {
  const { id } = await save();
  const refused = (changed: object, call: Call = service.call) =>
    cause(call('POST', SCHEDULED, scheduleBody(id, changed)));
  assert.match(await refused({ savedSearchId: 'none' }), /no such saved search/);
  assert.match(await refused({}, reporter.call), /no such saved search/);
  assert.match(await refused({ recipients: undefined }), /recipients: a list/);
  assert.match(
    await refused({ recipients: [{ type: 'GROUP', id: 'x' }] }),
    /recipients\[0\]\.type/,
  );
  assert.match(await refused({ recipients: [identity('')] }), /recipients\[0\]\.id/);
  const many = Array.from({ length: 101 }, (_, n) => identity(`p${n}`));
  assert.match(await refused({ recipients: many }), /at most 100/);
});

test('a saved search has at most ten schedules', async () => {
  const { id } = await save();
  for (let n = 0; n < 10; n += 1) await plan(id);
  const eleventh = service.call('POST', SCHEDULED, scheduleBody(id));
  assert.match(await cause(eleventh), /^400 400\.1 .*has 10 schedules already/);
  const elsewhere = await plan((await save()).id);
  const moved = service.call('PUT', `${SCHEDULED}/${elsewhere.id}`, scheduleBody(id));
  assert.match(await cause(moved), /has 10 schedules already/);
});

test('owners see their own searches, administrators all of their tenant', async () => {
  const mine = await save(SALES, reporter.call);
  const planned = await plan(mine.id, {}, reporter.call);
  const stranger = await addTenant(service, 'strangers');
  for (const { call } of [other, stranger]) {
    for (const [method, path, body] of [
      ['GET', `${SAVED}/${mine.id}`],
      ['PUT', `${SAVED}/${mine.id}`, SALES],
      ['DELETE', `${SAVED}/${mine.id}`],
      ['GET', `${SAVED}/${mine.id}/runs`],
      ['GET', `${SAVED}/${mine.id}/deliveries`],
      ['POST', `${SAVED}/${mine.id}/execute`, { scheduleId: planned.id }],
      ['GET', `${SCHEDULED}/${planned.id}`],
      ['PUT', `${SCHEDULED}/${planned.id}`, scheduleBody(mine.id)],
      ['DELETE', `${SCHEDULED}/${planned.id}`],
      ['POST', `${SCHEDULED}/${planned.id}/unsubscribe`, identity('p00')],
    ] as const) {
      await json(call(method, path, body), 404);
    }
    for (const path of [SAVED, SCHEDULED]) {
      const listed = await json(call('GET', path));
      assert.ok(listed.every(({ ownerId }: Json) => ownerId !== reporter.userId));
    }
  }
  assert.deepEqual(await json(service.call('GET', `${SAVED}/${mine.id}`)), mine);
  const changed = await json(service.call('PUT', `${SAVED}/${mine.id}`, { ...mine, name: 'x' }));
  assert.equal(changed.ownerId, reporter.userId);
});

test('a shared search is read by all who may search, and changed by its owner and administrators', async () => {
  const mine = await save({ ...SALES, shared: true }, reporter.call);
  const planned = await plan(mine.id, {}, reporter.call);
  const path = `${SAVED}/${mine.id}`;
  assert.deepEqual(await json(other.call('GET', path)), mine);
  const listed = await json(other.call('GET', SAVED));
  assert.deepEqual(
    listed.filter(({ ownerId }: Json) => ownerId === reporter.userId),
    [mine],
  );
  for (const [method, below, body] of [
    ['PUT', '', SALES],
    ['DELETE', ''],
    ['GET', '/runs'],
    ['GET', '/deliveries'],
    ['POST', '/execute', { scheduleId: planned.id }],
    ['POST', '/execute', { owner: identity(other.userId), recipients: [] }],
  ] as const) {
    await json(other.call(method, `${path}${below}`, body), 403);
  }
  await json(other.call('POST', SCHEDULED, scheduleBody(mine.id)), 403);
  await json(other.call('GET', `${SCHEDULED}/${planned.id}`), 404);
  const stranger = await addTenant(service, 'unrelated');
  await json(stranger.call('GET', path), 404);
  assert.equal((await json(service.call('PUT', path, { ...mine, name: 'x' }))).name, 'x');
  // Clients of the public API do not know the member.
  assert.equal((await json(reporter.call('PUT', path, SALES))).shared, true);
  assert.equal((await json(reporter.call('PUT', path, { ...SALES, shared: false }))).shared, false);
  await json(other.call('GET', path), 404);
  await json(reporter.call('DELETE', path), 204);
});

test('lists have pages, counts and filters', async () => {
  const user = await addUser(service, { capabilities: ['REPORT_ADMIN'] });
  const made: Json[] = [];
  for (const name of ['a', 'b', 'c']) made.push(await save({ ...SALES, name }, user.call));
  const planned = [await plan(made[0].id, {}, user.call), await plan(made[1].id, {}, user.call)];
  const get = async (path: string, call: Call = user.call) => {
    const answer = await call('GET', path);
    const items = (await answer.json()) as Json[];
    return {
      names: items.map(({ name, id }) => name ?? id),
      total: answer.headers.get('x-total-count'),
    };
  };
  const mine = `filters=${encodeURIComponent(`owner.id eq "${user.userId}"`)}`;
  assert.deepEqual(await get(SAVED), { names: ['a', 'b', 'c'], total: null });
  assert.deepEqual(await get(`${SAVED}?offset=1&limit=1&count=true`), { names: ['b'], total: '3' });
  assert.deepEqual(await get(`${SAVED}?limit=0&count=true`), { names: [], total: '3' });
  assert.deepEqual(await get(`${SAVED}?offset=3&limit=250`), { names: [], total: null });
  assert.deepEqual(await get(`${SAVED}?${mine}&count=true`, service.call), {
    ...{ names: ['a', 'b', 'c'], total: '3' },
  });
  assert.deepEqual(await get(`${SAVED}?${mine}&count=true`, other.call), { names: [], total: '0' });
  const of = encodeURIComponent(`savedSearchId eq "${made[1].id}"`);
  assert.deepEqual((await get(`${SCHEDULED}?filters=${of}`)).names, [planned[1].id]);
  const both = encodeURIComponent(
    ` savedSearchId eq "${made[1].id}" and owner.id eq "${user.userId}"`,
  );
  assert.deepEqual((await get(`${SCHEDULED}?filters=${both}&count=true`)).total, '1');
  assert.deepEqual((await get(`${SCHEDULED}?filters=${both}`, other.call)).names, []);
  for (const bad of [
    ...['limit=251', 'limit=x', 'offset=-1', 'count=maybe'],
    ...[
      'name eq "a"',
      'owner.id co "a"',
      'owner.id eq "a" or owner.id eq "b"',
      'owner.id eq',
      'owner.id eq a',
    ].map((filter) => `filters=${encodeURIComponent(filter)}`),
    `filters=${encodeURIComponent('owner.id eq "a" and owner.id eq "a"')}`,
  ]) {
    for (const path of [SAVED, SCHEDULED]) {
      assert.match(await cause(user.call('GET', `${path}?${bad}`)), /^400 400\.1/, bad);
    }
  }
});

for (const [n, savedPath] of publicPrefixes('/saved-searches').entries()) {
  const scheduledPath = publicPrefixes('/scheduled-searches')[n] ?? '';
  test(`${savedPath} and ${scheduledPath} list the rest to administrators who ask for an owner`, async () => {
    const [user, peer, admin] = [
      await addUser(service, { capabilities: ['REPORT_ADMIN'] }),
      await addUser(service, { capabilities: ['REPORT_ADMIN'] }),
      await addUser(service, { capabilities: ['ORG_ADMIN'] }),
    ];
    const names = new Map<string, string>();
    for (const [party, name, shared] of [
      [user, 'u private', false],
      [user, 'u shared', true],
      [peer, 'p private', false],
      [admin, 'a private', false],
    ] as const) {
      const { id } = await save({ ...SALES, name, shared }, party.call);
      names.set(id, name).set((await plan(id, {}, party.call)).id, name);
    }
    const privateId = [...names].find(([, name]) => name === 'u private')?.[0] ?? '';
    const ofUser = `owner.id eq "${user.userId}"`;
    // By caller and filter: the saved searches and the schedules of this test.
    const cases: readonly (readonly [Party, string, string, string])[] = [
      [user, '', 'u private, u shared', 'u private, u shared'],
      [peer, '', 'p private, u shared', 'p private'],
      [admin, '', 'a private, u shared', 'a private'],
      [admin, ofUser, 'u private, u shared', 'u private, u shared'],
      [admin, `owner.id eq "${admin.userId}"`, 'a private', 'a private'],
      [admin, 'owner.id eq "nobody"', '', ''],
      [peer, ofUser, 'u shared', ''],
      [user, ofUser, 'u private, u shared', 'u private, u shared'],
    ];
    for (const [{ call }, filters, ...expected] of cases) {
      for (const [at, path] of [savedPath, scheduledPath].entries()) {
        const query = `?count=true${filters && `&filters=${encodeURIComponent(filters)}`}`;
        const answer = await call('GET', path + query);
        const items = (await answer.json()) as Json[];
        assert.equal(answer.headers.get('x-total-count'), String(items.length));
        const listed = items.flatMap(({ id }) => names.get(id) ?? []).sort();
        assert.equal(listed.join(', '), expected[at], `${path} ${filters}`);
      }
    }
    const ofSearch = encodeURIComponent(`savedSearchId eq "${privateId}"`);
    for (const [{ call }, count] of [
      [admin, 1],
      [user, 1],
      [peer, 0],
    ] as const) {
      const listed = await json(call('GET', `${scheduledPath}?filters=${ofSearch}`));
      assert.equal(listed.length, count);
    }
    for (const [{ call }, status] of [
      [admin, 200],
      [peer, 404],
    ] as const) {
      await json(call('GET', `${savedPath}/${privateId}`), status);
    }
  });
}

const MANAGE = ['sp:saved-search:manage', 'sp:scheduled-search:manage'];
const RIGHTS: readonly (readonly [capabilities: string[], scope: string[], statuses: string])[] = [
  [['ORG_ADMIN'], ['sp:scopes:all'], '200 201 200 201 200'],
  [['REPORT_ADMIN'], ['sp:scopes:all'], '200 201 200 201 404'],
  [['REPORT_ADMIN'], ['sp:saved-search:read'], '200 403 403 403 404'],
  [['REPORT_ADMIN'], ['sp:saved-search:manage'], '200 201 403 403 404'],
  [['REPORT_ADMIN'], MANAGE, '200 201 200 403 404'],
  [['REPORT_ADMIN'], [...MANAGE, 'sp:search:read'], '200 201 200 201 404'],
  [['REPORT_ADMIN'], ['idn:scheduled-search:read'], '403 403 200 403 404'],
  [['REPORT_ADMIN'], ['sp:search:read'], '403 403 403 403 404'],
  [['HELPDESK'], ['sp:scopes:all'], '403 403 403 403 404'],
  [[], ['sp:scopes:all'], '403 403 403 403 404'],
];
for (const [capabilities, scope, statuses] of RIGHTS) {
  test(`levels "${capabilities}" with the scope ${scope} get ${statuses}`, async () => {
    const planned = await plan((await save()).id);
    const { call, userId } = await addUser(service, { capabilities, scope });
    const own = await addUser(service, { capabilities });
    assert.notEqual(own.userId, userId);
    const calls = [call('GET', SAVED), call('POST', SAVED, SALES), call('GET', SCHEDULED)];
    const [, saved] = await Promise.all(calls.map(async (answer) => (await answer).clone().json()));
    const id = (saved as Json).id ?? 'none';
    const create = call('POST', SCHEDULED, scheduleBody(id));
    const read = call('GET', `${SCHEDULED}/${planned.id}`);
    const answers = await Promise.all([...calls, create, read]);
    assert.equal(answers.map(({ status }) => status).join(' '), statuses);
  });
}

test('recipients end their own subscription with any token, and no other', async () => {
  const user = await addUser(service, { capabilities: [], scope: ['sp:scopes:default'] });
  const recipients = [identity(user.userId), identity('p01')];
  const planned = await plan((await save()).id, { recipients });
  const path = `${SCHEDULED}/${planned.id}/unsubscribe`;
  await json(user.call('POST', path, identity('p01')), 403);
  await json(user.call('POST', path, identity(user.userId)), 204);
  await json(user.call('POST', path, identity(user.userId)), 404);
  assert.match(await cause(user.call('POST', path, { id: 'x' })), /type: must be IDENTITY/);
  const left = await json(service.call('GET', `${SCHEDULED}/${planned.id}`));
  assert.deepEqual(left.recipients, [identity('p01')]);
});

/** Requests a test run, and waits for its end. */
async function ran(id: string, call: Call = service.call, owner = service.adminId): Promise<Json> {
  const body = { owner: identity(owner), recipients: [] };
  await json(call('POST', `${SAVED}/${id}/execute`, body), 202);
  let run: Json;
  await eventually(async () => {
    [run] = await json(call('GET', `${SAVED}/${id}/runs`));
    assert.ok(!['WAITING', 'RUNNING'].includes(run?.state), run?.state);
  });
  return run;
}

const csvOf = async (id: string, run: string, type = '', call: Call = service.call) => {
  const answer = await call('GET', `${SAVED}/${id}/runs/${run}/results.csv${type}`);
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return text;
};

test('a run keeps its count, preview and CSV, in the order and with the columns of the search', async () => {
  const { id } = await save({
    ...{ ...SALES, sort: ['-name'] },
    columns: {
      identity: [
        { field: 'displayName', header: 'Name' },
        ...[{ field: '@accounts.name' }, { field: 'attributes.phone' }, { field: 'nowhere' }],
      ],
    },
  });
  const run = await ran(id);
  assert.equal(run.state, 'COMPLETED', run.reason);
  const [result] = run.results;
  assert.deepEqual(
    [result.type, result.count, result.rows, result.truncated],
    ['identity', 6, 6, false],
  );
  assert.deepEqual(result.preview[1], ['Person, 5', 'one5; two5', '+47 22 33', '']);
  const lines = (await csvOf(id, run.id)).split('\r\n');
  assert.equal(lines[0], 'Name,accounts.name,attributes.phone,nowhere');
  assert.equal(lines[1], `"Person, 5","one5; two5",'+47 22 33,`);
  assert.equal(lines[3], `'=SUM(1),"one3; two3",'+47 22 33,`);
  assert.deepEqual([lines.length, lines.at(-1)], [8, '']);
  assert.deepEqual(await json(service.call('GET', `${SAVED}/${id}/runs/${run.id}`)), run);
  await json(service.call('GET', `${SAVED}/${id}/runs/none`), 404);
  await json(service.call('GET', `${SAVED}/${(await save()).id}/runs/${run.id}`), 404);
});

test('a run of a search without columns has those of rows, by what the documents have', async () => {
  const { id } = await save({ ...SALES, columns: undefined });
  const run = await ran(id);
  assert.equal(run.state, 'COMPLETED', run.reason);
  const [heads = ''] = (await csvOf(id, run.id)).split('\r\n');
  const body = { indices: ['identities'], query: { query: SALES.query } };
  const rows = await service.call('POST', '/v2024/search/rows?format=csv', body);
  assert.equal(heads, (await rows.text()).split('\r\n')[0]);
  assert.equal(heads, 'displayName,attributes.department');
  assert.deepEqual(run.results[0].preview[0], heads.split(','));
});

test('a run walks through pages, also where documents lack the field that sorts them', async () => {
  await service.addDocuments(
    Array.from({ length: 251 }, (_, n) => ({
      ...{ _type: 'entitlement', id: `e${String(n).padStart(3, '0')}`, name: 'walk' },
      ...(n % 3 === 0 ? { displayName: `same ${n % 2}` } : {}),
    })),
  );
  const columns = { entitlement: [{ field: 'id' }] };
  const search = { indices: ['entitlements'], query: 'name:walk', columns };
  for (const sort of [[], ['displayName'], ['-displayName', '-id'], ['_score']]) {
    const { id } = await save({ ...search, sort });
    const run = await ran(id);
    assert.deepEqual([run.state, run.reason, run.results[0]?.count], ['COMPLETED', null, 251]);
    const ids = (await csvOf(id, run.id)).split('\r\n').slice(1, -1);
    assert.equal(new Set(ids).size, 251, sort.join());
    assert.equal(ids.length, 251);
  }
});

test('a search of several types has a CSV for each, in the order of each', async () => {
  const { id } = await save({
    ...{ indices: ['roles', 'identities'], query: 'Sales', sort: ['displayName'] },
    ...{ orderBy: { role: ['name'], identity: ['-id'] }, filters: { id: { type: 'EXISTS' } } },
    columns: { identity: [{ field: 'id' }], account: [{ field: 'x' }] },
  });
  const run = await ran(id);
  assert.deepEqual(
    run.results.map(({ type, count }: Json) => [type, count]),
    [
      ['identity', 6],
      ['role', 1],
    ],
  );
  const identities = await csvOf(id, run.id, '?type=identity');
  assert.equal(identities, ['id', 'p05', 'p04', 'p03', 'p02', 'p01', 'p00', ''].join('\r\n'));
  const roles = await csvOf(id, run.id, '?type=role');
  assert.equal(roles, 'name,description\r\nSales clerk,"Sells ""things""\nabroad"\r\n');
  for (const type of ['', '?type=event']) {
    const path = `${SAVED}/${id}/runs/${run.id}/results.csv${type}`;
    assert.match(await cause(service.call('GET', path)), /type: expected one of identity, role/);
  }
});

test('a run may be of a schedule or a test, and nothing else', async () => {
  const { id } = await save(SALES, reporter.call);
  const planned = await plan((await save()).id);
  const refused = (body: object) => cause(reporter.call('POST', `${SAVED}/${id}/execute`, body));
  assert.match(await refused({}), /^400 400\.1.*scheduleId: needed, unless owner and recipients/);
  assert.match(await refused({ owner: identity(reporter.userId) }), /scheduleId: needed/);
  assert.match(await refused({ scheduleId: planned.id }), /no such scheduled search of this/);
  assert.match(await refused({ owner: identity('p00'), recipients: [] }), /owner\.id: must be/);
  assert.match(await refused({ owner: {}, recipients: [] }), /owner\.type/);
});

test('results need the right to search as well, also by e-mail', async () => {
  const user = await addUser(service, { capabilities: ['ORG_ADMIN'], scope: MANAGE });
  const { id } = await save(SALES, user.call);
  const run = { owner: identity(user.userId), recipients: [] };
  await json(user.call('POST', `${SAVED}/${id}/execute`, run), 202);
  for (const path of ['runs', 'runs/x', 'runs/x/results.csv', 'deliveries']) {
    await json(user.call('GET', `${SAVED}/${id}/${path}`), 403);
  }
  const recipients = [identity(user.userId)];
  const silent = await plan(id, { recipients: [] });
  await json(user.call('PUT', `${SAVED}/${id}`, SALES), 200);
  await service.call('DELETE', `${SCHEDULED}/${silent.id}`);
  const planned = await plan(id, { recipients: [identity('p01')] });
  for (const [method, path, body] of [
    ['PUT', `${SAVED}/${id}`, SALES],
    ['POST', `${SAVED}/${id}/execute`, { ...run, recipients }],
    ['POST', `${SAVED}/${id}/execute`, { scheduleId: planned.id }],
    ['POST', SCHEDULED, scheduleBody(id, { recipients })],
    ['PUT', `${SCHEDULED}/${planned.id}`, scheduleBody(id, { recipients })],
  ] as const) {
    await json(user.call(method, path, body), 403);
  }
  await json(service.call('PUT', `${SAVED}/${id}`, SALES), 200);
});

test('an owner who was disabled, deleted or has lost the level runs nothing', async () => {
  const admin = '/admin/v1/auth-users';
  const cases: [string, (id: string) => Promise<Response>, RegExp][] = [
    [
      'disabled',
      (id) => service.call('PATCH', `${admin}/${id}`, { enabled: false }),
      /owner is disabled/,
    ],
    ['deleted', (id) => service.call('DELETE', `${admin}/${id}`), /no auth user/],
    [
      'demoted',
      (id) =>
        service.call(
          ...(['PATCH', `/v3/auth-users/${id}`] as const),
          [{ op: 'replace', path: '/capabilities', value: ['HELPDESK'] }],
          { 'content-type': 'application/json-patch+json' },
        ),
      /no user level that may search/,
    ],
  ];
  for (const [name, act, reason] of cases) {
    const user = await addUser(service, { capabilities: ['REPORT_ADMIN'] });
    const { id } = await save({ ...SALES, name }, user.call);
    const planned = await plan(id, {}, user.call);
    assert.ok((await act(user.userId)).ok);
    await json(service.call('POST', `${SAVED}/${id}/execute`, { scheduleId: planned.id }), 202);
    await eventually(async () => {
      const [run] = await json(service.call('GET', `${SAVED}/${id}/runs`));
      assert.equal(run.state, 'REFUSED', name);
      assert.match(run.reason, reason);
      await json(service.call('GET', `${SAVED}/${id}/runs/${run.id}/results.csv`), 404);
    });
    assert.deepEqual(await json(service.call('GET', `${SAVED}/${id}/deliveries`)), []);
  }
});

test('each change and run is an event of the audit trail', async () => {
  const { id } = await save({ ...SALES, name: 'Audited' });
  await json(service.call('PUT', `${SAVED}/${id}`, { ...SALES, name: 'Audited', query: 'name:*' }));
  const planned = await plan(id, { name: 'Audited' });
  const run = await ran(id);
  await json(service.call('DELETE', `${SCHEDULED}/${planned.id}`), 204);
  await json(service.call('DELETE', `${SAVED}/${id}`), 204);
  const body = { indices: ['events'], query: { query: 'target.name.exact:Audited' }, sort: ['id'] };
  await eventually(async () => {
    const events = await json(service.call('POST', '/v2024/search', body));
    const names = events.map(({ technicalName }: Json) => technicalName).sort();
    assert.deepEqual(names, [
      ...['SAVED_SEARCH_COMPLETE_PASSED', 'SAVED_SEARCH_CREATE_PASSED'],
      ...['SAVED_SEARCH_DELETE_PASSED', 'SAVED_SEARCH_EXECUTE_PASSED'],
      ...['SAVED_SEARCH_UPDATE_PASSED', 'SUBSCRIPTION_CREATE_PASSED'],
      'SUBSCRIPTION_DELETE_PASSED',
    ]);
    const of = (name: string) =>
      events.find(({ technicalName }: Json) => technicalName === `SAVED_SEARCH_${name}_PASSED`)
        .attributes;
    assert.deepEqual(of('UPDATE').changed, ['query']);
    assert.match(of('UPDATE').before, /Sales/);
    const completion = of('COMPLETE');
    assert.equal(completion.fileName, 'Audited.csv');
    assert.equal(completion.query, 'name:*');
    assert.equal(completion.searchName, 'Audited');
    assert.equal(completion.searchResults, '{"Identity":{"count":12,"noun":"identities"}}');
    assert.ok(
      completion.signedS3Url.endsWith(`/v2024/saved-searches/${id}/runs/${run.id}/results.csv`),
    );
  });
});

test('a run that finds nothing has an event only if empty results are wanted', async () => {
  const { id } = await save({ ...SALES, name: 'Nothing', query: 'name:nobodyatall' });
  const silent = await plan(id, { name: 'Silent' });
  const wanted = await plan(id, { name: 'Wanted', emailEmptyResults: true });
  const test = { owner: identity(service.adminId), recipients: [] };
  const requests = [
    ...[{ scheduleId: silent.id }, { scheduleId: wanted.id }, test],
    { ...test, emailEmptyResults: true },
  ];
  for (const body of requests) {
    await json(service.call('POST', `${SAVED}/${id}/execute`, body), 202);
  }
  await eventually(async () => {
    const runs = await json(service.call('GET', `${SAVED}/${id}/runs`));
    assert.equal(runs.filter(({ state }: Json) => state === 'COMPLETED').length, 4);
  });
  const query = `attributes.savedSearchId:${id} AND technicalName:SAVED_SEARCH_COMPLETE_PASSED`;
  await eventually(async () => {
    const body = { indices: ['events'], query: { query } };
    const events = await json(service.call('POST', '/v2024/search', body));
    const schedules = events.map(({ attributes }: Json) => attributes.scheduledSearchId ?? null);
    assert.deepEqual(schedules.sort(), [null, wanted.id].sort());
  });
});

test('the last ten runs of a search are kept', async () => {
  const { id } = await save();
  const body = { owner: identity(service.adminId), recipients: [] };
  for (let n = 0; n < 12; n += 1) {
    await json(service.call('POST', `${SAVED}/${id}/execute`, body), 202);
  }
  await eventually(async () => {
    const answer = await service.call('GET', `${SAVED}/${id}/runs?count=true&limit=2&offset=1`);
    assert.equal(answer.headers.get('x-total-count'), '10');
    const runs = (await answer.json()) as Json[];
    assert.deepEqual(
      runs.map(({ state }) => state),
      ['COMPLETED', 'COMPLETED'],
    );
  });
});
