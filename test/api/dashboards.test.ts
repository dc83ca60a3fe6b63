// Dashboards over HTTP: what they may hold, who sees and changes them, and what is in the trail.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { cause, type Json, json } from '../support/answers.ts';
import { addTenant, addUser, type Party } from '../support/callers.ts';
import { eventually } from '../support/eventually.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
let owner: Party;
let reader: Party;
before(async () => {
  service = await startService();
  owner = await addUser(service, { capabilities: ['REPORT_ADMIN'] });
  reader = await addUser(service, { capabilities: ['CERT_ADMIN'] });
});
after(() => service.stop());

type Call = RunningService['call'];

const PATH = '/admin/v1/dashboards';
const SEARCH = { indices: ['identities'], query: 'inactive:true' };
const NUMBER = { title: 'Inactive', kind: 'number', width: 1, alarmAbove: 0, search: SEARCH };
const BODY = { name: 'Leavers', tiles: [NUMBER] };

const create = (body: object = BODY, call: Call = owner.call): Promise<Json> =>
  json(call('POST', PATH, body), 201);
const saveSearch = async (call: Call, query = 'inactive:true'): Promise<Json> =>
  json(call('POST', '/v2024/saved-searches', { ...SEARCH, name: `Saved ${query}`, query }), 201);

test('a dashboard is created, read, listed, replaced and deleted', async () => {
  const created = await create();
  assert.deepEqual(
    { ...created, id: '', created: '', modified: '', owner: '' },
    {
      ...{ id: '', created: '', modified: '', owner: '', name: 'Leavers', shared: false },
      ...{ tileCount: 1, mayChange: true },
      tiles: [
        {
          ...{ title: 'Inactive', kind: 'number', width: 1, savedSearchId: null, field: null },
          ...{ size: null, alarmAbove: 0, savedSearchName: null },
          search: {
            ...{ ...SEARCH, columns: {}, fields: null, sort: null, orderBy: null, filters: null },
          },
        },
      ],
    },
  );
  assert.equal(created.owner.id, owner.userId);
  assert.equal(created.owner.name, owner.userId);
  assert.deepEqual(await json(owner.call('GET', `${PATH}/${created.id}`)), created);
  const { tiles, ...summary } = created;
  assert.deepEqual(await json(owner.call('GET', PATH)), [summary]);
  // Clients send back what they have read, with changes.
  const changed = { ...created, name: 'Renamed', owner: { id: 'x' }, tiles: [...tiles, ...tiles] };
  const replaced = await json(owner.call('PUT', `${PATH}/${created.id}`, changed));
  assert.deepEqual([replaced.name, replaced.tileCount], ['Renamed', 2]);
  assert.deepEqual(replaced.owner, created.owner);
  await json(owner.call('DELETE', `${PATH}/${created.id}`), 204);
  for (const method of ['GET', 'DELETE']) {
    await json(owner.call(method, `${PATH}/${created.id}`), 404);
  }
  await json(owner.call('PUT', `${PATH}/${created.id}`, BODY), 404);
});

const tile = (change: object) => ({ ...BODY, tiles: [NUMBER, { ...NUMBER, ...change }] });
const REFUSED: readonly (readonly [body: object, cause: RegExp])[] = [
  [[], /^400 400\.0.*object/],
  [{ ...BODY, name: ' ' }, /^400 400\.1 .*name: a name is needed/],
  [{ ...BODY, name: 'n'.repeat(121) }, /name: at most 120/],
  [{ ...BODY, shared: 'yes' }, /^400 400\.0.*shared: expected true or false/],
  [{ ...BODY, tiles: {} }, /tiles: expected an array/],
  [{ ...BODY, tiles: ['x'] }, /tiles\[0\]: expected an object|tiles\[0\] must be|tiles\[0\]/],
  [{ ...BODY, tiles: Array(25).fill(NUMBER) }, /^400 400\.1\.4.*tiles: at most 24/],
  [
    {
      ...BODY,
      tiles: Array(24).fill(
        tile({ search: { ...SEARCH, query: `a${' OR a'.repeat(900)}` } }).tiles[1],
      ),
    },
    /400\.1\.4.*tiles: at most 65536 characters/,
  ],
  [tile({ kind: 'pie' }), /tiles\[1\]\.kind: must be number, values, time or rows/],
  [tile({ width: 3 }), /tiles\[1\]\.width: must be 1, 2 or 4/],
  [tile({ title: null }), /tiles\[1\]\.title: needed/],
  [tile({ search: null }), /tiles\[1\]\.search: needed, unless savedSearchId/],
  [tile({ search: { ...SEARCH, indices: [] } }), /tiles\[1\]\.search: indices: at least one/],
  [tile({ search: { ...SEARCH, query: '(name:a' } }), /^400 400\.1 .*tiles\[1\]\.search: .*offset/],
  [tile({ search: { ...SEARCH, sort: ['nowhere'] } }), /tiles\[1\]\.search: sort\[0\]: nowhere/],
  [tile({ kind: 'values' }), /tiles\[1\]\.field: the field/],
  [
    tile({ kind: 'values', field: 'name', size: 51 }),
    /tiles\[1\]\.size: a whole number from 1 to 50/,
  ],
  [tile({ alarmAbove: -1 }), /tiles\[1\]\.alarmAbove: a whole number from 0 on/],
  [tile({ savedSearchId: 'nowhere' }), /tiles\[1\]\.savedSearchId: there is no such saved search/],
];
for (const [body, reason] of REFUSED) {
  test(`refuses ${JSON.stringify(body).slice(-90)}`, async () => {
    assert.match(await cause(owner.call('POST', PATH, body)), reason);
  });
}

test('a private dashboard is seen by its owner alone, a shared one by all who may search', async () => {
  const own = await create({ ...BODY, name: 'private' });
  const shared = await create({ ...BODY, name: 'shared', shared: true });
  const read = (party: { call: Call }, id: string) => party.call('GET', `${PATH}/${id}`);
  for (const party of [reader, service]) {
    await json(read(party, own.id), 404);
    const names = (await json(party.call('GET', PATH))).map(({ name }: Json) => name);
    assert.ok(names.includes('shared') && !names.includes('private'), names.join());
  }
  assert.equal((await json(read(reader, shared.id))).mayChange, false);
  const refused = await cause(reader.call('PUT', `${PATH}/${shared.id}`, BODY));
  assert.match(refused, /^403 .*belongs to another user/);
  await json(reader.call('DELETE', `${PATH}/${shared.id}`), 403);
  const clerk = await addUser(service, { capabilities: ['HELPDESK'] });
  await json(clerk.call('GET', PATH), 403);
  await json(clerk.call('POST', PATH, BODY), 403);
  // Administrators change what is shared; the owner stays.
  const mine = await json(service.call('PUT', `${PATH}/${shared.id}`, { ...shared, name: 'new' }));
  assert.deepEqual([mine.name, mine.owner.id, mine.mayChange], ['new', owner.userId, true]);
  const counted = await owner.call('GET', `${PATH}?count=true&limit=1`);
  assert.equal(counted.headers.get('x-total-count'), '2');
  assert.equal(((await counted.json()) as Json[]).length, 1);
  await json(service.call('DELETE', `${PATH}/${shared.id}`), 204);
});

test('no tenant sees the dashboards of another', async () => {
  const shared = await create({ ...BODY, shared: true });
  const stranger = await addTenant(service, 'stranger');
  assert.deepEqual(await json(stranger.call('GET', PATH)), []);
  for (const [method, body] of [['GET'], ['PUT', BODY], ['DELETE']] as const) {
    await json(stranger.call(method, `${PATH}/${shared.id}`, body), 404);
  }
});

test('a tile shows a saved search as it is now, also to the readers of a shared dashboard', async () => {
  const saved = await saveSearch(owner.call);
  const shown = { kind: 'rows', savedSearchId: saved.id };
  const { id } = await create({ name: 'Saved', shared: true, tiles: [shown] });
  const seen = async (party: { call: Call }) =>
    (await json(party.call('GET', `${PATH}/${id}`))).tiles[0];
  assert.equal((await seen(reader)).search.query, 'inactive:true');
  assert.equal((await seen(reader)).savedSearchName, 'Saved inactive:true');
  await json(owner.call('PUT', `/v2024/saved-searches/${saved.id}`, { ...saved, query: 'name:a' }));
  assert.equal((await seen(reader)).search.query, 'name:a');
  await json(owner.call('DELETE', `/v2024/saved-searches/${saved.id}`), 204);
  const left = await json(owner.call('GET', `${PATH}/${id}`));
  assert.deepEqual([left.tiles[0].search, left.tiles[0].savedSearchName], [null, null]);
  const renamed = await json(owner.call('PUT', `${PATH}/${id}`, { ...left, name: 'still there' }));
  assert.equal(renamed.tiles[0].savedSearchId, saved.id);
});

test('a saved search of another user cannot be used, nor seen through an administrator', async () => {
  const foreign = await saveSearch(owner.call, 'name:b');
  const body = { name: 'x', shared: true, tiles: [{ kind: 'number', savedSearchId: foreign.id }] };
  assert.match(await cause(reader.call('POST', PATH, body)), /no such saved search/);
  const { id } = await create(body, service.call);
  const tiles = async (party: { call: Call }) =>
    (await json(party.call('GET', `${PATH}/${id}`))).tiles;
  assert.equal((await tiles(service))[0].search.query, 'name:b');
  assert.equal((await tiles(owner))[0].search.query, 'name:b');
  assert.equal((await tiles(reader))[0].search, null);
  await json(service.call('DELETE', `${PATH}/${id}`), 204);
});

test('If-Match refuses a change of what has changed since', async () => {
  const created = await owner.call('POST', PATH, BODY);
  const etag = created.headers.get('etag') ?? '';
  const { id } = (await created.json()) as Json;
  const put = (name: string, tag: string) =>
    owner.call('PUT', `${PATH}/${id}`, { ...BODY, name }, { 'if-match': tag });
  const first = await put('first', etag);
  assert.equal(first.status, 200);
  const next = first.headers.get('etag') ?? '';
  assert.notEqual(next, etag);
  await json(put('second', etag), 412);
  await json(owner.call('DELETE', `${PATH}/${id}`, undefined, { 'if-match': etag }), 412);
  assert.equal((await json(owner.call('GET', `${PATH}/${id}`))).name, 'first');
  await json(owner.call('DELETE', `${PATH}/${id}`, undefined, { 'if-match': next }), 204);
});

test('the ETag is the same for every reader, and stays when a saved search in it changes', async () => {
  const saved = await saveSearch(owner.call, 'name:c');
  const tiles = [{ kind: 'number', savedSearchId: saved.id }];
  const { id } = await create({ name: 'Tagged', shared: true, tiles });
  const tagFor = async ({ call }: { call: Call }) =>
    (await call('GET', `${PATH}/${id}`)).headers.get('etag') ?? '';
  const tag = await tagFor(owner);
  assert.equal(await tagFor(service), tag);
  await json(owner.call('PUT', `/v2024/saved-searches/${saved.id}`, { ...saved, query: 'name:d' }));
  assert.equal(await tagFor(reader), tag);
  await json(owner.call('PUT', `${PATH}/${id}`, { name: 'x', tiles }, { 'if-match': tag }));
  await json(owner.call('DELETE', `${PATH}/${id}`), 204);
});

test('a user has at most a hundred dashboards', async () => {
  const many = await addUser(service, { capabilities: ['REPORT_ADMIN'] });
  for (let n = 0; n < 100; n++) await create({ name: `n${n}` }, many.call);
  assert.match(await cause(many.call('POST', PATH, BODY)), /^400 400\.1\.4 .*at most 100/);
});

test('each change is in the audit trail with what it changed', async () => {
  const { id } = await create({ name: 'Audited' });
  await json(owner.call('PUT', `${PATH}/${id}`, { name: 'Audited again' }));
  await json(owner.call('DELETE', `${PATH}/${id}`), 204);
  const body = {
    ...{ indices: ['events'], query: { query: `attributes.dashboardId:"${id}"` } },
    sort: ['created', 'id'],
  };
  let events: Json[] = [];
  await eventually(async () => {
    events = await json(service.call('POST', '/v2024/search', body));
    assert.equal(events.length, 3);
  });
  const names = events.map(({ technicalName }: Json) => technicalName).sort();
  assert.deepEqual(names, [
    'DASHBOARD_CREATE_PASSED',
    'DASHBOARD_DELETE_PASSED',
    'DASHBOARD_MODIFY_PASSED',
  ]);
  const modified = events.find(({ operation }: Json) => operation === 'MODIFY');
  assert.equal(modified.attributes.before, '{"name":"Audited"}');
  assert.equal(modified.attributes.after, '{"name":"Audited again"}');
  assert.equal(modified.attributes.actorId, owner.userId);
});
