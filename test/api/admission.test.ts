// Which fault wins when a request has several, and what a refusal costs: nothing of the body is read before the
// caller is known to be let in.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { InjectOptions } from 'fastify';
import { LocalCounter } from '../../src/auth/window-counter.ts';
import { ServiceError } from '../../src/errors.ts';
import { asAdmin, fakeApp, json, USER_ID } from './fakes.ts';

const app = fakeApp();
after(() => app.close());

const broken = '{"a":';
const patchType = { 'content-type': 'application/json-patch+json' };
const CASES: readonly [string, number, InjectOptions][] = [
  ['no route before no token', 404, { method: 'POST', url: '/v3/nothing', payload: broken }],
  ['wrong method before no token', 405, { method: 'DELETE', url: '/v3/search' }],
  ['no token before a broken body', 401, { method: 'POST', url: '/v3/search', payload: broken }],
  [
    'no right before the wrong type',
    403,
    {
      method: 'POST',
      url: '/v3/search',
      headers: { authorization: 'Bearer nobody', 'content-type': 'text/plain' },
      payload: broken,
    },
  ],
  [
    'a wrong type before a broken body',
    415,
    {
      method: 'POST',
      url: '/v3/search',
      headers: { ...asAdmin, 'content-type': 'text/plain' },
      payload: broken,
    },
  ],
  [
    'a broken body before an unknown user',
    400,
    {
      method: 'PATCH',
      url: '/v3/auth-users/stranger',
      headers: { ...asAdmin, ...patchType },
      payload: broken,
    },
  ],
];
for (const [name, status, options] of CASES) {
  test(name, async () => assert.equal((await app.inject(options)).statusCode, status));
}

const RIGHTS: readonly [string, string, string, number][] = [
  ['nobody', 'GET', `/v3/auth-users/${USER_ID}`, 200],
  ['nobody', 'GET', '/v3/auth-users/stranger', 403],
  ['nobody', 'GET', '/v3/personal-access-tokens?owner-id=me', 200],
  ['nobody', 'GET', '/v3/personal-access-tokens', 403],
  ['nobody', 'GET', '/v3/search/identities/i-1', 403],
  ['narrow', 'GET', '/v3/search/identities/i-1', 200],
  ['narrow', 'GET', `/v3/auth-users/${USER_ID}`, 403],
  ['narrow', 'DELETE', '/admin/v1/documents/identities/i-1', 403],
  ['app', 'GET', `/v3/auth-users/${USER_ID}`, 403],
  ['app', 'GET', '/v3/search/identities/i-1', 200],
  ['app', 'GET', '/v3/oauth-clients', 403],
  ['narrow', 'GET', '/v3/oauth-clients', 403],
  ['nobody', 'GET', '/v3/oauth-clients/stranger', 403],
  ['admin', 'GET', '/v3/oauth-clients/stranger', 404],
  ['admin', 'GET', '/v3/auth-users/stranger', 404],
];
for (const [who, method, url, status] of RIGHTS) {
  test(`${who}: ${method} ${url} is ${status}`, async () => {
    const headers = { authorization: `Bearer ${who}` };
    const response = await app.inject({ method: method as 'GET', url, headers });
    assert.equal(response.statusCode, status);
  });
}

test('a token that is not valid is told in one member and challenged', async () => {
  const response = await app.inject({
    url: '/v3/auth-users/x',
    headers: { authorization: 'Bearer x' },
  });
  assert.equal(response.statusCode, 401);
  assert.deepEqual(Object.keys(response.json()), ['error']);
  assert.equal(response.headers['www-authenticate'], 'Bearer');
});

test('the methods a path does take are named', async () => {
  const response = await app.inject({ method: 'PUT', url: `/v3/auth-users/${USER_ID}` });
  assert.equal(response.headers['allow'], 'GET, HEAD, PATCH');
});

test('a refused import does not touch the use case', async () => {
  let called = false;
  const refusing = fakeApp({
    documents: {
      importDocuments: async () => {
        called = true;
        throw new Error('must not be called');
      },
    },
  });
  const response = await refusing.inject({
    method: 'POST',
    url: '/admin/v1/documents',
    headers: { ...json, authorization: 'Bearer nobody' },
    payload: '{}',
  });
  assert.equal(response.statusCode, 403);
  assert.equal(called, false);
  await refusing.close();
});

test('the limit lets exactly so many of a client pass in a window, over all versions', async () => {
  const clock = { ms: 20_000, now: () => clock.ms };
  const limited = fakeApp({}, { rateLimit: { requests: 3, windowSeconds: 10 }, clock });
  const get = async (url: string, who = 'admin') => {
    const response = await limited.inject({ url, headers: { authorization: `Bearer ${who}` } });
    return { status: response.statusCode, headers: response.headers, body: response.body };
  };
  const url = '/v3/search/identities/i-1';
  clock.ms = 23_500;
  for (const version of ['v3', 'v2024', 'beta']) {
    assert.equal((await get(url.replace('v3', version))).status, 200);
  }
  const refused = await get(url);
  assert.equal(refused.status, 429);
  assert.equal(refused.headers['retry-after'], '7');
  assert.equal(refused.body, '{"message":"Rate Limit Exceeded"}');
  assert.equal((await get('/api/profiles')).status, 429, 'another area');
  assert.equal((await get(url, 'other')).status, 200, 'another client');
  assert.equal((await get(url, 'nobody')).status, 429, 'counted before the right is judged');
  clock.ms += 7_000;
  assert.equal((await get(url)).status, 200, 'waiting as told is enough');
  await limited.close();
});

test('a count that is kept elsewhere is waited for', async () => {
  let count = 0;
  const rateCounter = {
    add: async () => ({ count: ++count, leftMs: 4_000 }),
    read: async () => ({ count, leftMs: 4_000 }),
  };
  const rateLimit = { requests: 2, windowSeconds: 10 };
  const limited = fakeApp({}, { rateLimit, rateCounter });
  const get = (who: string) =>
    limited.inject({
      url: '/v3/search/identities/i-1',
      headers: { authorization: `Bearer ${who}` },
    });
  assert.equal((await get('admin')).statusCode, 200);
  assert.equal((await get('nobody')).statusCode, 403, 'the right is judged after the count');
  const refused = await get('admin');
  assert.equal(refused.statusCode, 429);
  assert.equal(refused.headers['retry-after'], '4');
  await limited.close();
});

/** Requests that show no valid token, key or secret, and their statuses while the limit is not reached. */
const UNIDENTIFIED: readonly [name: string, status: number, options: InjectOptions][] = [
  ['no token', 401, { url: '/v3/search/identities/i-1' }],
  ['a garbage token', 401, { url: '/v2024/auth-users/x', headers: { authorization: 'Bearer x' } }],
  ['another scheme', 401, { url: '/admin/v1/status', headers: { authorization: 'Basic eDp5' } }],
  ['no API key', 401, { url: '/api/profiles' }],
  [
    'a wrong API key',
    401,
    { url: '/api/v1/users', headers: { authorization: `Bearer ne-${'0'.repeat(32)}` } },
  ],
  ['a refused token request', 401, { method: 'POST', url: '/oauth/token?client_id=stranger' }],
];

/** Token requests of `stranger` are refused. */
const refusing = {
  tokens: {
    issue: async ({ client_id: id }: Readonly<Record<string, string>>) => {
      if (id === 'stranger') throw new ServiceError('oauth_invalid_client', 'Unknown client.');
      return { access_token: 'a.b.c' };
    },
  },
};

for (const [name, status, options] of UNIDENTIFIED) {
  test(`exactly so many requests with ${name} are answered in a window, then 429`, async () => {
    const clock = { ms: 23_500, now: () => clock.ms };
    const limited = fakeApp(refusing, { rateLimit: { requests: 3, windowSeconds: 10 }, clock });
    for (let n = 0; n < 3; n++) assert.equal((await limited.inject(options)).statusCode, status);
    const refused = await limited.inject(options);
    assert.equal(refused.statusCode, 429);
    assert.equal(refused.headers['retry-after'], '7');
    assert.equal(refused.json().message, 'Rate Limit Exceeded');
    const others = { ...options, remoteAddress: '192.0.2.9' };
    assert.equal((await limited.inject(others)).statusCode, status, 'another address');
    clock.ms += 7_000;
    assert.equal((await limited.inject(options)).statusCode, status, 'waiting as told is enough');
    await limited.close();
  });
}

test('requests without a valid token count together, whatever they lack', async () => {
  const limited = fakeApp(refusing, {
    rateLimit: { requests: UNIDENTIFIED.length, windowSeconds: 1_000_000 },
  });
  for (const [name, status, options] of UNIDENTIFIED) {
    assert.equal((await limited.inject(options)).statusCode, status, name);
  }
  for (const [name, , options] of UNIDENTIFIED) {
    assert.equal((await limited.inject(options)).statusCode, 429, name);
  }
  await limited.close();
});

test('nodes that share a counter let exactly so many requests of an address pass together', async () => {
  const clock = { now: () => 1_000 };
  const local = new LocalCounter(clock, { windowMs: 10_000, start: 'clock' });
  const shared = { add: async (key: string) => local.add(key), read: async () => local.read('') };
  const options = { rateLimit: { requests: 4, windowSeconds: 10 }, addressCounter: shared, clock };
  const nodes = [fakeApp({}, options), fakeApp({}, options), fakeApp({}, options)];
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) => nodes[n % 3]?.inject('/v3/search/identities/i-1')),
  );
  const statuses = answers.map((answer) => answer?.statusCode);
  assert.equal(statuses.filter((status) => status === 401).length, 4);
  assert.equal(statuses.filter((status) => status === 429).length, 8);
  for (const node of nodes) await node.close();
});

test('an address over the limit still gets in with a token, gets tokens, and sees the status', async () => {
  const limited = fakeApp(refusing, { rateLimit: { requests: 2, windowSeconds: 1_000_000 } });
  for (let n = 0; n < 4; n++) await limited.inject('/v3/search/identities/i-1');
  assert.equal((await limited.inject('/v3/search/identities/i-1')).statusCode, 429);
  const valid = await limited.inject({ url: '/v3/search/identities/i-1', headers: asAdmin });
  assert.equal(valid.statusCode, 200);
  for (let n = 0; n < 5; n++) {
    for (const url of ['/', '/health', '/ready', '/health_check']) {
      assert.equal((await limited.inject(url)).statusCode, 200, url);
    }
    const token = await limited.inject({ method: 'POST', url: '/oauth/token?client_id=known' });
    assert.equal(token.statusCode, 200);
    assert.equal((await limited.inject('/v3/nothing')).statusCode, 404);
  }
  await limited.close();
});

for (const url of ['/oauth/info', '/oauth/jwks']) {
  test(`exactly so many requests of an address to ${url} are answered in a window`, async () => {
    const limited = fakeApp({}, { rateLimit: { requests: 2, windowSeconds: 1_000_000 } });
    for (let n = 0; n < 2; n++) assert.equal((await limited.inject(url)).statusCode, 200);
    assert.equal((await limited.inject(url)).statusCode, 429);
    const other = await limited.inject({ url, remoteAddress: '192.0.2.9' });
    assert.equal(other.statusCode, 200);
    const refused = await limited.inject('/v3/search/identities/i-1');
    assert.equal(refused.statusCode, 401, 'counted apart from requests without a token');
    await limited.close();
  });
}

test('without a rate limit, requests without a valid token are not counted', async () => {
  for (let n = 0; n < 150; n++) {
    assert.equal((await app.inject('/v3/search/identities/i-1')).statusCode, 401);
  }
});
