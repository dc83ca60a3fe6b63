// Which fault wins when a request has several, and what a refusal costs: nothing of the body is read before the
// caller is known to be let in.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { InjectOptions } from 'fastify';
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

test('the limit lets exactly so many of a client and version pass in a window', async () => {
  const clock = { ms: 20_000, now: () => clock.ms };
  const limited = fakeApp({}, { rateLimit: { requests: 3, windowSeconds: 10 }, clock });
  const get = async (url: string, who = 'admin') => {
    const response = await limited.inject({ url, headers: { authorization: `Bearer ${who}` } });
    return { status: response.statusCode, headers: response.headers, body: response.body };
  };
  const url = '/v3/search/identities/i-1';
  clock.ms = 23_500;
  for (let i = 0; i < 3; i++) assert.equal((await get(url)).status, 200);
  const refused = await get(url);
  assert.equal(refused.status, 429);
  assert.equal(refused.headers['retry-after'], '7');
  assert.equal(refused.body, '{"message":"Rate Limit Exceeded"}');
  assert.equal((await get(url.replace('v3', 'v2024'))).status, 200, 'another version');
  assert.equal((await get(url, 'other')).status, 200, 'another client');
  assert.equal((await get(url, 'nobody')).status, 429, 'counted before the right is judged');
  clock.ms += 7_000;
  assert.equal((await get(url)).status, 200, 'waiting as told is enough');
  await limited.close();
});

test('a request that is not let in by its token is not counted', async () => {
  const limited = fakeApp({}, { rateLimit: { requests: 1, windowSeconds: 10 } });
  for (let i = 0; i < 3; i++) {
    assert.equal((await limited.inject('/v3/search/identities/i-1')).statusCode, 401);
  }
  await limited.close();
});
