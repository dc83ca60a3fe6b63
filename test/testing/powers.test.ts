// suite: slow
// What a tenant for tests can do: faults, the journal, advice, reset, snapshots. All through
// `cardea/testing` and with its HTTP routes beside it.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { startServer, type TestServer, type TestTenant } from '../../src/testing/index.ts';
import { TestClient } from './client.ts';

const ROLE = { _type: 'role', id: 'r1', name: 'Night shift' };
const SEARCH = { indices: ['identities'], query: { query: '*' }, sort: ['id'] };

let server: TestServer;
let tenant: TestTenant;
let other: TestTenant;
let client: TestClient;

before(async () => {
  server = await startServer({ rateLimit: '40/3600' });
  tenant = await server.createTenant({ identities: 20 });
  other = await server.createTenant({ identities: 0 });
  client = new TestClient(tenant);
  await client.call('GET', '/admin/v1/clock');
});
after(() => server.close());
beforeEach(() => Promise.all([tenant.reset(), other.reset()]));

test('answers with the faults that a tenant sets, in the format of the route, and no other tenant', async () => {
  await tenant.faults.set([
    { match: { path: '/v2024/search', first: 1 }, then: { status: 429, retryAfter: 7 } },
    { match: { path: '/v2024/search', first: 2 }, then: { status: 503 } },
    { match: { path: '/api/*' }, then: { status: 502 } },
  ]);
  const limited = await client.call('POST', '/v2024/search', SEARCH);
  assert.equal(limited.status, 429);
  assert.equal(limited.headers.get('retry-after'), '7');
  assert.deepEqual(await limited.json(), { message: 'Rate Limit Exceeded' });
  assert.equal((await client.call('POST', '/v2024/search', SEARCH)).status, 503);
  assert.equal((await client.call('POST', '/v2024/search', SEARCH)).status, 200);
  const counted = (await tenant.faults.list()).map(({ matched, injected }) => [matched, injected]);
  assert.deepEqual(counted, [
    [3, 1],
    [3, 1],
    [0, 0],
  ]);
  const profiles = await fetch(`${tenant.baseUrl}/api/profiles`, {
    headers: { authorization: `Bearer ${tenant.credentials.apiKey}` },
  });
  assert.equal(profiles.status, 502);
  assert.equal(typeof ((await profiles.json()) as { error: unknown }).error, 'string');
  assert.equal((await new TestClient(other).call('POST', '/v2024/search', SEARCH)).status, 200);
});

test('closes connections before and in the middle of an answer', async () => {
  const path = '/v2024/search';
  await tenant.faults.set([{ match: { path, first: 1 }, then: { drop: true } }]);
  await assert.rejects(client.call('POST', path, SEARCH), /fetch failed/);
  for (const truncate of [0, 1, 1_000]) {
    await tenant.faults.set([{ match: { path }, then: { truncate } }]);
    await assert.rejects(client.call('POST', path, SEARCH), `${truncate} bytes`);
  }
  await tenant.faults.set([{ match: { path }, then: { truncate: 10_000_000 } }]);
  assert.equal((await client.call('POST', path, SEARCH)).status, 200);
  const seen = (await tenant.requests()).map(({ status, fault }) => [status, fault]);
  assert.deepEqual(seen, [...Array(4).fill([null, true]), [200, true]]);
});

test('faults the token endpoint of the client of the tenant', async () => {
  await tenant.faults.set([{ match: { path: '/oauth/token' }, then: { status: 500 } }]);
  await assert.rejects(new TestClient(tenant).newToken(), /500/);
  await new TestClient(other).newToken();
  await tenant.faults.clear();
  await new TestClient(tenant).newToken();
});

test('rejects faults that are wrong, naming each mistake', async () => {
  const answer = await client.call('PUT', '/admin/v1/faults', [
    { match: { path: 'search', every: 2, first: 1 }, then: { status: 200, drop: true } },
    { then: {} },
    { match: { verb: 'GET' } },
  ]);
  assert.equal(answer.status, 400);
  const { causes } = (await answer.json()) as { causes: { text: string }[] };
  assert.deepEqual(
    causes.map(({ text }) => text),
    [
      'faults[0].match.path: must be a path such as /v2024/search or */search',
      'faults[0].then.status: must be a whole number from 400 to 599',
      'faults[0].match: only one of probability, every, first',
      'faults[0].then: only one of status, drop, truncate',
      'faults[1].then: needs one of status, delayMs, drop, truncate',
      'faults[2].then: must say what happens, such as {"status": 503}',
    ],
  );
});

test('records requests without bodies, secrets or its own routes', async () => {
  await client.call('POST', '/v2024/search?limit=20&offset=3', {
    ...SEARCH,
    query: { query: 'name:secret' },
    searchAfter: ['x'],
  });
  await client.call('GET', '/admin/v1/requests');
  await client.call('POST', '/v2024/search', SEARCH, { 'cardea-test': 'setup' });
  await new TestClient(tenant).newToken();
  const [search, token, ...more] = await tenant.requests();
  assert.deepEqual(more, []);
  assert.deepEqual(
    { ...search, at: '', ms: 0 },
    {
      ...{ number: 1, at: '', ms: 0, client: tenant.credentials.clientId, method: 'POST' },
      ...{ path: '/v2024/search', status: 400, limit: 20, offset: 3 },
      search: { indices: ['identities'], sort: ['id'], limit: 20, offset: 3, searchAfter: true },
    },
  );
  assert.equal(token?.path, '/oauth/token');
  const answer = await client.call('GET', '/admin/v1/requests');
  const text = await answer.text();
  assert.equal((JSON.parse(text) as { total: number }).total, 2);
  assert.doesNotMatch(text, new RegExp(`secret|${tenant.credentials.clientSecret}`));
  assert.deepEqual(await other.requests(), []);
});

test('records requests that were refused before their body was read, and forgets rates at a reset', async () => {
  for (let n = 0; n < 41; n += 1) await client.call('POST', '/v2024/search', SEARCH);
  const last = (await tenant.requests()).at(-1);
  assert.equal(last?.status, 429);
  assert.ok((last?.retryAfter ?? 0) >= 1);
  await tenant.reset();
  assert.equal((await client.call('POST', '/v2024/search', SEARCH)).status, 200);
});

test('advises about what would go wrong elsewhere', async () => {
  const search = (query: string, body: object) =>
    client.call('POST', `/v2024/search${query}`, { ...SEARCH, ...body });
  await search('?limit=250', {});
  assert.deepEqual(await tenant.advice(), []);
  await search('?limit=251', {});
  await search('?limit=250&offset=9900', {});
  await search('', { sort: ['name'], searchAfter: ['x'] });
  await client.call('POST', '/v3/search', SEARCH);
  await client.call('POST', '/v2024/search/explain', SEARCH);
  await search('', { size: 1 });
  const answer = await client.call('GET', '/admin/v1/advice');
  assert.deepEqual(await answer.json(), await tenant.advice());
  assert.deepEqual(
    (await tenant.advice()).map(({ rule, requests }) => [rule, ...requests]),
    [
      ['offset-window', 3],
      ['search-after-ties', 4],
      ['warning', 7],
      ['page-size', 2],
      ['extension', 6],
      ['old-path', 5],
    ],
  );
});

test('reset restores records, documents and what searches find', async () => {
  const ids = await client.ids('identities', '*');
  const [first = '', second = ''] = ids;
  const user = await (await client.call('GET', `/v2024/auth-users/${first}`)).json();
  await tenant.seed([ROLE, { _type: 'identity', id: first, name: 'changed' }]);
  const removed = `/admin/v1/documents/identities/${second}?refresh=wait`;
  assert.equal((await client.call('DELETE', removed)).status, 204);
  const patch = [{ op: 'add', path: '/capabilities/-', value: 'HELPDESK' }];
  const headers = { 'content-type': 'application/json-patch+json' };
  const path = `/v2024/auth-users/${first}`;
  assert.equal((await client.call('PATCH', path, patch, headers)).status, 200);
  assert.equal((await client.ids('identities', '*')).length, ids.length - 1);
  await tenant.reset();
  assert.deepEqual(await client.ids('identities', '*'), ids);
  assert.deepEqual(await client.ids('roles', 'name:"Night shift"'), []);
  assert.deepEqual(await client.ids('identities', 'name:changed'), []);
  assert.deepEqual(await (await client.call('GET', path)).json(), user);
});

test('reset forgets the types of fields that a test added', async () => {
  const withField = (value: unknown) => ({
    ...{ _type: 'identity', id: 'i1', name: 'one' },
    attributes: { badge: value },
  });
  await tenant.seed([withField('2024-01-01T00:00:00Z')]);
  assert.deepEqual(await client.ids('identities', 'attributes.badge:[2023-01-01 TO now]'), ['i1']);
  await tenant.reset();
  await tenant.seed([withField('green door')]);
  assert.deepEqual(await client.ids('identities', 'attributes.badge:"green door"'), ['i1']);
});

test('restores snapshots in any order, each as it was', async () => {
  const empty = await tenant.snapshot();
  await tenant.seed([ROLE]);
  const one = await tenant.snapshot();
  assert.equal(one.documents, empty.documents + 1);
  await tenant.seed([{ ...ROLE, id: 'r2' }]);
  const nights = () => client.ids('roles', 'name:"Night shift"');
  for (const [snapshot, expected] of [
    [empty, []],
    [one, ['r1']],
    [empty, []],
    [one, ['r1']],
  ] as const) {
    await tenant.restore(snapshot);
    assert.deepEqual(await nights(), expected);
  }
  await assert.rejects(other.restore(one), /no such snapshot/);
  assert.equal((await client.call('POST', '/admin/v1/snapshots/x/restore')).status, 404);
  assert.equal((await client.call('DELETE', `/admin/v1/snapshots/${one.id}`)).status, 204);
  await assert.rejects(tenant.restore(one), /no such snapshot/);
});

test('keeps the clock for a server with one tenant', async () => {
  await assert.rejects(tenant.setNow('+1d'), /clock belongs to all tenants/);
});

test('says on /ready what is on', async () => {
  await tenant.faults.set([{ then: { delayMs: 1 } }]);
  const { warnings } = (await (await fetch(`${tenant.baseUrl}/ready`)).json()) as {
    warnings: string[];
  };
  assert.match(warnings.join(), /powers for tests are on.*,Faults are injected by 1 rule\./);
});
