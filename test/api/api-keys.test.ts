// Who gets into profile management: API keys under either scheme, and access tokens by level and scope.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { deleteCredential } from '../../src/service/credentials/credentials.ts';
import { caller, withApiKey } from '../support/api-key.ts';
import { addUser } from '../support/callers.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
let key: string;

before(async () => {
  service = await startService();
  ({ key } = await withApiKey(service));
});
after(() => service.stop());

const HEADERS: readonly [what: string, authorization: () => string | null, status: number][] = [
  ['a key as bearer', () => `Bearer ${key}`, 200],
  ['a key as bearer in any case', () => `bearer ${key}`, 200],
  ['a key by the older scheme', () => `Token token=${key}`, 200],
  ['a key by the older scheme, in quotes', () => `Token token="${key}"`, 200],
  ['a key by the older scheme, in any case', () => `TOKEN Token=${key}`, 200],
  ['a key without its scheme', () => key, 401],
  ['a key by the older scheme without a name', () => `Token ${key}`, 401],
  ['a key with one quote', () => `Token token="${key}`, 401],
  ['a key that is cut off', () => `Bearer ${key.slice(0, -1)}`, 401],
  ['a key in other letters', () => `Bearer ${key.toUpperCase()}`, 401],
  ['another key', () => `Bearer ne-${'0'.repeat(32)}`, 401],
  ['no key', () => 'Bearer ', 401],
  ['no header', () => null, 401],
  ['something like a token', () => 'Bearer a.b.c', 401],
  ['something with one dot', () => 'Bearer a.b', 401],
  ['quotes that would be SQL', () => `Bearer '--`, 401],
  ['a token by the older scheme', () => 'Token token=a.b.c', 401],
];
for (const [what, authorization, expected] of HEADERS) {
  test(`${what} is ${expected}`, async () => {
    const call = caller(service.url, authorization());
    const { status, body, headers } = await call('GET', '/api/users?limit=1');
    assert.equal(status, expected);
    if (expected === 200) return;
    assert.deepEqual(Object.keys(body), ['error']);
    assert.equal(headers.get('www-authenticate'), 'Bearer');
    assert.ok(!JSON.stringify(body).includes(key.slice(3)));
  });
}

test('a key looks as clients want it, and is kept as its hash alone', async () => {
  assert.match(key, /^ne-[0-9A-Za-z]+$/);
  const stored = await service.cardea.store.read.credentialsOf(service.tenantId, 'key');
  assert.ok(!JSON.stringify(stored).includes(key.slice(3)));
});

test('a key opens profile management and nothing else', async () => {
  const call = (path: string, method = 'GET') =>
    fetch(`${service.url}${path}`, { method, headers: { authorization: `Bearer ${key}` } });
  assert.equal((await call('/v3/personal-access-tokens?owner-id=me')).status, 401);
  assert.equal((await call(`/v2024/auth-users/${service.adminId}`)).status, 401);
  assert.equal((await call('/admin/v1/documents/identities/x', 'DELETE')).status, 401);
  assert.equal((await call('/admin/v1/api-keys')).status, 401);
});

test('a key that is deleted opens nothing more, at once', async () => {
  const other = await withApiKey(service);
  assert.equal((await other.call('GET', '/api/roles')).status, 200);
  await deleteCredential(service.cardea.store, service.tenantId, 'key', other.id);
  assert.equal((await other.call('GET', '/api/roles')).status, 401);
  await assert.rejects(
    deleteCredential(service.cardea.store, service.tenantId, 'key', other.id),
    /no API key/,
  );
});

test('an administrator makes, lists and deletes keys over HTTP, and each deed is in the trail', async () => {
  const made = await service.call('POST', '/admin/v1/api-keys', { name: ' nightly script ' });
  assert.equal(made.status, 201);
  const { apiKey, ...shown } = (await made.json()) as Record<string, unknown>;
  assert.equal(shown['name'], 'nightly script');
  const call = caller(service.url, `Bearer ${apiKey}`);
  assert.equal((await call('GET', '/api/roles')).status, 200);
  const listed = await (await service.call('GET', '/admin/v1/api-keys')).text();
  const used = (JSON.parse(listed) as Record<string, unknown>[]).find(
    ({ id }) => id === shown['id'],
  );
  assert.deepEqual({ ...used, lastUsed: null }, shown);
  assert.match(String(used?.['lastUsed']), /^\d{4}-/, 'it was used for the list of roles');
  assert.deepEqual(shown['owner'], { id: service.adminId, name: 'test.admin' });
  assert.ok(!listed.includes(String(apiKey).slice(3)));
  const gone = await service.call('DELETE', `/admin/v1/api-keys/${shown['id']}`);
  assert.equal(gone.status, 204);
  assert.equal((await call('GET', '/api/roles')).status, 401);
  const again = await service.call('DELETE', `/admin/v1/api-keys/${shown['id']}`);
  assert.equal(again.status, 404);
  const { status } = service.cardea.services;
  await status.waitUntilSearchable(await status.lastSequence(), 60_000);
  const trail = await service.call('POST', '/v2024/search', {
    indices: ['events'],
    query: { query: `attributes.keyId:"${shown['id']}"` },
    sort: ['created'],
  });
  const events = (await trail.json()) as { technicalName: string; actor: { name: string } }[];
  assert.deepEqual(
    events.map(({ technicalName, actor }) => [technicalName, actor.name]),
    [
      ['API_KEY_CREATE_PASSED', 'test.admin'],
      ['API_KEY_DELETE_PASSED', 'test.admin'],
    ],
  );
});

const BAD_KEYS: readonly [body: unknown, detail: RegExp][] = [
  ['{', /400\.0/],
  [[], /must be an object/],
  [{}, /name: a string/],
  [{ name: 7 }, /name: a string/],
  [{ name: ' ' }, /1 to 255/],
  [{ name: 'x'.repeat(256) }, /1 to 255/],
  [{ name: 'a\nb' }, /1 to 255/],
  [{ name: 'x', scope: 'write' }, /scope: one of read, manage/],
  [{ name: 'x', scope: ['read'] }, /scope: one of read, manage/],
  [{ name: 'x', expires: 'soon' }, /expires: an ISO 8601/],
  [{ name: 'x', expires: 5 }, /expires: an ISO 8601/],
  [{ name: 'x', expires: '2020-01-01T00:00:00Z' }, /expires: must lie in the future/],
];
for (const [body, detail] of BAD_KEYS) {
  test(`a key is not made of ${JSON.stringify(body).slice(0, 40)}`, async () => {
    const answer = await service.call('POST', '/admin/v1/api-keys', body);
    assert.equal(answer.status, 400);
    assert.match(await answer.text(), detail);
  });
}

test('who is no administrator, or has not the scope, neither sees nor makes keys', async () => {
  for (const who of [
    { capabilities: ['HELPDESK'] },
    { capabilities: ['ORG_ADMIN'], scope: ['sp:search:read'] },
  ]) {
    const party = await addUser(service, who);
    assert.equal((await party.call('GET', '/admin/v1/api-keys')).status, 403);
    assert.equal((await party.call('POST', '/admin/v1/api-keys', { name: 'x' })).status, 403);
    assert.equal((await party.call('DELETE', '/admin/v1/api-keys/x')).status, 403);
  }
});

const LEVELS: readonly [
  capabilities: readonly string[],
  scope: readonly string[],
  read: number,
  write: number,
][] = [
  [['ORG_ADMIN'], ['sp:scopes:all'], 200, 200],
  [['ORG_ADMIN'], ['sp:search:read'], 403, 403],
  [['ORG_ADMIN'], ['cardea:profiles:read'], 200, 403],
  [['ORG_ADMIN'], ['cardea:profiles:manage'], 200, 200],
  [['HELPDESK'], ['cardea:profiles:manage'], 200, 403],
  [['ORG_ADMIN'], ['sp:scopes:default'], 403, 403],
  [['ORG_ADMIN'], ['idn:scopes:default'], 403, 403],
  [['HELPDESK'], ['sp:scopes:all'], 200, 403],
  [['REPORT_ADMIN'], ['sp:scopes:all'], 200, 403],
  [['ROLE_ADMIN'], ['sp:scopes:all'], 403, 403],
  [[], ['sp:scopes:all'], 403, 403],
];
for (const [capabilities, scope, read, write] of LEVELS) {
  test(`the level ${capabilities} with ${scope} reads ${read} and writes ${write}`, async () => {
    const party = await addUser(service, { capabilities, scope });
    assert.equal((await party.call('GET', '/api/roles')).status, read);
    const answer = await party.call('POST', '/api/role', { role: { name: 'made by a token' } });
    assert.equal(answer.status, write);
    const body = (await answer.json()) as { error?: string };
    if (write === 403) assert.equal(typeof body.error, 'string');
  });
}

test('requests are counted by key, under both prefixes together', async () => {
  const limited = await startService({ CARDEA_RATE_LIMIT: '3/3600' });
  try {
    const one = await withApiKey(limited);
    const other = await withApiKey(limited);
    for (const path of ['/api/users', '/api/v1/users', '/api/roles/x']) {
      assert.notEqual((await one.call('GET', path)).status, 429);
    }
    const { status, body, headers } = await one.call('GET', '/api/v1/roles');
    assert.equal(status, 429);
    assert.deepEqual(body, { error: 'Rate Limit Exceeded', message: 'Rate Limit Exceeded' });
    assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.equal((await other.call('GET', '/api/users')).status, 200);
  } finally {
    await limited.stop();
  }
});
