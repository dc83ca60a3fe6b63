// What pages of other origins may do: nothing unless their origin is set; then preflights are answered without a token, and
// every answer, faults too, may be read.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { InjectOptions } from 'fastify';
import { startService } from '../support/service.ts';
import { asAdmin, fakeApp, json } from './fakes.ts';

const ORIGIN = 'https://app.example.org';
const OTHER = 'http://localhost:3000';
const STRANGER = 'https://evil.example';

const off = fakeApp();
const some = fakeApp({}, { corsOrigins: [ORIGIN, OTHER] });
const any = fakeApp({}, { corsOrigins: ['*'] });
const limited = fakeApp(
  {},
  { corsOrigins: [ORIGIN], rateLimit: { requests: 1, windowSeconds: 1_000_000 } },
);
after(async () => {
  for (const app of [off, some, any, limited]) await app.close();
});

const preflight = (url: string, method: string, origin = ORIGIN): InjectOptions => ({
  method: 'OPTIONS',
  url,
  headers: {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization,content-type,if-match',
  },
});

const PREFLIGHTS: readonly [url: string, method: string][] = [
  ['/v3/search', 'POST'],
  ['/search/v1/count', 'POST'],
  ['/v2024/auth-users/x', 'PATCH'],
  ['/v2026/personal-access-tokens/x', 'DELETE'],
  ['/oauth/token', 'POST'],
  ['/api/profiles', 'DELETE'],
  ['//api//users', 'GET'],
  ['/admin/v1/documents', 'POST'],
];
for (const [url, method] of PREFLIGHTS) {
  test(`a preflight of ${method} ${url} is answered without a token`, async () => {
    const { statusCode, headers, body } = await some.inject(preflight(url, method));
    assert.deepEqual([statusCode, body], [204, '']);
    assert.equal(headers['access-control-allow-origin'], ORIGIN);
    assert.equal(headers['vary'], 'Origin');
    assert.ok(String(headers['access-control-allow-methods']).split(', ').includes(method));
    const allowed = String(headers['access-control-allow-headers']).toLowerCase().split(', ');
    for (const name of ['authorization', 'content-type', 'if-match', 'x-sailpoint-sdk']) {
      assert.ok(allowed.includes(name), name);
    }
    assert.equal(headers['access-control-max-age'], '7200');
    assert.equal(headers['access-control-allow-credentials'], undefined);
    assert.match(String(headers['slpt-request-id']), /^[0-9a-f]{32}$/);
  });
}

const search = { method: 'POST', url: '/v3/search', headers: { ...asAdmin, ...json } } as const;

/** Answers of every kind: ready-made bytes, a total alone, Fastify's own, and faults of each stage. */
const ANSWERS: readonly [status: number, options: InjectOptions][] = [
  [200, { ...search, payload: {} }],
  [204, { ...search, url: '/v3/search/count', payload: {} }],
  [200, { ...search, url: '/v3/search/aggregate', payload: {} }],
  [200, { url: '/v3/search/identities/i-1', headers: asAdmin }],
  [200, { url: '/api/profiles', headers: asAdmin }],
  [200, { url: '/ready' }],
  [302, { url: '/', headers: { accept: 'text/html' } }],
  [400, { ...search, payload: '{' }],
  [400, { url: '/v3/search/identities/%zz', headers: asAdmin }],
  [401, { ...search, headers: json, payload: {} }],
  [401, { url: '/api/users' }],
  [403, { url: '/v3/auth-users/x', headers: { authorization: 'Bearer nobody' } }],
  [404, { url: '/v3/nothing' }],
  [405, { method: 'DELETE', url: '/v3/search' }],
  [405, { method: 'OPTIONS', url: '/v3/search' }],
  [413, { ...search, payload: `"${'x'.repeat(2 ** 20)}"` }],
  [415, { ...search, headers: { ...asAdmin, 'content-type': 'text/plain' }, payload: 'x' }],
];
for (const [status, options] of ANSWERS) {
  const { method = 'GET', url } = options;
  test(`a page of an allowed origin may read the ${status} of ${method} ${url}, others may not`, async () => {
    const ask = (app: typeof some, origin: string) =>
      app.inject({ ...options, headers: { ...options.headers, origin } });
    for (const origin of [ORIGIN, OTHER]) {
      const { statusCode, headers } = await ask(some, origin);
      assert.equal(statusCode, status);
      assert.equal(headers['access-control-allow-origin'], origin);
      assert.match(
        String(headers['access-control-expose-headers']),
        /^ETag, Retry-After, SLPT-Request-ID, X-Total-Count, Warning$/,
      );
      assert.equal(headers['vary'], 'Origin');
      assert.equal(headers['access-control-allow-credentials'], undefined);
    }
    for (const origin of [STRANGER, 'null', `${ORIGIN}:8443`, `${ORIGIN}.evil.example`, '*']) {
      const { statusCode, headers } = await ask(some, origin);
      assert.equal(statusCode, status);
      assert.equal(headers['access-control-allow-origin'], undefined, origin);
      assert.equal(headers['vary'], 'Origin');
    }
    const open = await ask(any, STRANGER);
    assert.deepEqual(
      [open.statusCode, open.headers['access-control-allow-origin'], open.headers['vary']],
      [status, '*', undefined],
    );
    const closed = await ask(off, ORIGIN);
    assert.deepEqual(
      [closed.headers['access-control-allow-origin'], closed.headers['vary']],
      [undefined, undefined],
    );
  });
}

test('a preflight of an origin that is not set, or where none is, is a 405 without permission', async () => {
  for (const [app, origin] of [
    [some, STRANGER],
    [off, ORIGIN],
  ] as const) {
    const { statusCode, headers } = await app.inject(preflight('/v3/search', 'POST', origin));
    assert.equal(statusCode, 405);
    for (const name of ['origin', 'methods', 'headers']) {
      assert.equal(headers[`access-control-allow-${name}`], undefined);
    }
  }
});

test('preflights are not counted, and a page may read a 429', async () => {
  for (let n = 0; n < 5; n++) {
    assert.equal((await limited.inject(preflight('/v3/search', 'POST'))).statusCode, 204);
  }
  for (const headers of [{ ...asAdmin, origin: ORIGIN }, { origin: ORIGIN }]) {
    await limited.inject({ url: '/v3/search/identities/i-1', headers });
    const refused = await limited.inject({ url: '/v3/search/identities/i-1', headers });
    assert.equal(refused.statusCode, 429);
    assert.equal(refused.headers['access-control-allow-origin'], ORIGIN);
    assert.match(String(refused.headers['retry-after']), /^[1-9]\d*$/);
    assert.match(String(refused.headers['access-control-expose-headers']), /\bRetry-After\b/);
  }
});

test('over real HTTP a page of a set origin gets a token, searches and reads the documentation', async () => {
  const service = await startService({ CARDEA_CORS_ORIGINS: `${OTHER},${ORIGIN}` });
  try {
    await service.addDocuments([{ _type: 'role', id: 'r1', name: 'Auditor' }]);
    const origin = { origin: ORIGIN };
    const response = await service.call(
      'POST',
      '/v3/search?count=true',
      { indices: ['roles'], query: { query: 'auditor' } },
      origin,
    );
    const token = await fetch(`${service.url}/oauth/token`, {
      method: 'POST',
      headers: origin,
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: service.clientId,
        client_secret: service.clientSecret,
      }),
    });
    const pages = ['/docs', '/openapi.yaml', '/docs/nothing'];
    const others = pages.map((path) => fetch(`${service.url}${path}`, { headers: origin }));
    for (const answer of [response, token, ...(await Promise.all(others))]) {
      assert.equal(answer.headers.get('access-control-allow-origin'), ORIGIN, answer.url);
      assert.match(answer.headers.get('vary') ?? '', /\bOrigin\b/);
      await answer.arrayBuffer();
    }
    assert.equal(response.headers.get('x-total-count'), '1');
    assert.equal(response.headers.get('vary'), 'Origin');
  } finally {
    await service.stop();
  }
});
