// The token endpoint takes its parameters from wherever clients put them.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { InjectOptions } from 'fastify';
import { pino } from 'pino';
import { ServiceError } from '../../src/errors.ts';
import { fakeApp, json } from './fakes.ts';

const app = fakeApp();
after(() => app.close());

const wanted = { grant_type: 'client_credentials', client_id: 'id', client_secret: 's e+c&ret' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const encoded = new URLSearchParams(wanted).toString();
const basic = `Basic ${Buffer.from('id:s:c').toString('base64')}`;

function multipart(fields: Record<string, string>, file = ''): Omit<InjectOptions, 'url'> {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return {
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    payload: `${parts.join('')}${file}--b--\r\n`,
  };
}

const FORMS: readonly [string, string, Omit<InjectOptions, 'url'>][] = [
  ['a form', '', { headers: form, payload: encoded }],
  ['a multipart form', '', multipart(wanted)],
  ['JSON', '', { payload: wanted }],
  [
    'query and form mixed',
    '?grant_type=client_credentials',
    {
      headers: form,
      payload: new URLSearchParams({ ...wanted, grant_type: 'client_credentials' }).toString(),
    },
  ],
  [
    'a query and a body that wins over it',
    '?client_id=other&grant_type=x',
    { headers: form, payload: encoded },
  ],
  [
    'the last of a repeated parameter',
    '',
    { headers: form, payload: `client_id=other&${encoded}` },
  ],
  [
    'the query, but for the secret',
    '?grant_type=client_credentials&client_id=id',
    {
      headers: form,
      payload: new URLSearchParams({ client_secret: wanted.client_secret }).toString(),
    },
  ],
];
for (const [name, query, options] of FORMS) {
  test(`parameters come from ${name}`, async () => {
    const response = await app.inject({ method: 'POST', url: `/oauth/token${query}`, ...options });
    assert.equal(response.statusCode, 200, response.body);
    assert.deepEqual(response.json().echo, { ...wanted, basic: null });
    assert.equal(response.headers['cache-control'], 'no-store');
    assert.equal(response.headers['pragma'], 'no-cache');
  });
}

for (const name of ['client_secret', 'refresh_token']) {
  test(`a ${name} in the query is refused, whatever the body holds`, async () => {
    const response = await app.inject({
      method: 'POST',
      url: `/oauth/token?${name}=planted`,
      headers: form,
      payload: encoded,
    });
    assert.equal(response.statusCode, 400);
    assert.equal(response.json().error, 'invalid_request');
    assert.match(
      response.json().error_description,
      new RegExp(`^${name} must not be in the query`),
    );
    assert.doesNotMatch(response.body, /planted/);
  });
}

const WHERE_SECRETS_ARE: readonly [string, string, Omit<InjectOptions, 'url'>, object][] = [
  ['the query alone', `?${encoded}`, {}, {}],
  ['the query with an empty JSON body', `?${encoded}`, { headers: json, payload: '' }, {}],
  ['the query with an empty form', `?${encoded}`, { headers: form, payload: '' }, {}],
  [
    'the query and a form, which wins',
    `?${encoded}`,
    { headers: form, payload: 'client_secret=from%20the%20body' },
    { client_secret: 'from the body' },
  ],
  [
    'the query beside an id in the form',
    '?grant_type=client_credentials&client_secret=s+e%2Bc%26ret',
    { headers: form, payload: 'client_id=id' },
    {},
  ],
];
for (const [name, query, options, changed] of WHERE_SECRETS_ARE) {
  test(`a secret is taken from ${name}, with a warning, where the settings say so`, async (t) => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const lenient = fakeApp({}, { secretsInQuery: true, log });
    t.after(() => lenient.close());
    const ask = () => lenient.inject({ method: 'POST', url: `/oauth/token${query}`, ...options });
    const response = await ask();
    assert.equal(response.statusCode, 200, response.body);
    assert.deepEqual(response.json().echo, { ...wanted, ...changed, basic: null });
    const warning = String(response.headers['warning']);
    assert.match(warning, /^299 - "client_secret is in the query, .* HTTP Basic\."$/);
    await ask();
    // One line for each client: some programs ask for a token with every request.
    assert.equal(lines.length, 1);
    const { client, parameter, msg } = JSON.parse(lines[0] ?? '');
    assert.deepEqual(
      [client, parameter, msg],
      ['id', 'client_secret', 'A client sends a secret in the query'],
    );
  });
}

test('a secret in the query that is wrong, and one in the body, earn no warning', async (t) => {
  const refusing = fakeApp(
    { tokens: { issue: () => Promise.reject(new ServiceError('oauth_invalid_client', 'No.')) } },
    { secretsInQuery: true },
  );
  t.after(() => refusing.close());
  const wrong = await refusing.inject({ method: 'POST', url: `/oauth/token?${encoded}` });
  assert.deepEqual([wrong.statusCode, wrong.headers['warning']], [401, undefined]);
  const lenient = fakeApp({}, { secretsInQuery: true });
  t.after(() => lenient.close());
  const body = { method: 'POST', url: '/oauth/token', headers: form, payload: encoded } as const;
  assert.equal((await lenient.inject(body)).headers['warning'], undefined);
});

const SCOPES: readonly [string, string, Omit<InjectOptions, 'url'>, string | undefined][] = [
  ['a form', '', { headers: form, payload: 'scope=a+b' }, 'a b'],
  ['a form that repeats it', '', { headers: form, payload: 'scope=a&scope=b' }, 'a b'],
  ['a multipart form', '', multipart({ scope: 'a c' }), 'a c'],
  ['JSON', '', { payload: { scope: 'a b' } }, 'a b'],
  ['a list in JSON', '', { payload: { scope: ['a', 'b'] } }, 'a b'],
  ['null in JSON', '', { payload: { scope: null } }, undefined],
  ['the query', '?scope=a%20b', {}, 'a b'],
  ['a query that repeats it', '?scope=a&scope=b', {}, 'a b'],
  ['a body, which wins over the query', '?scope=c', { headers: form, payload: 'scope=a' }, 'a'],
];
for (const [name, query, options, scope] of SCOPES) {
  test(`the requested scopes come from ${name}`, async () => {
    const response = await app.inject({ method: 'POST', url: `/oauth/token${query}`, ...options });
    assert.equal(response.statusCode, 200, response.body);
    assert.equal(response.json().echo.scope, scope);
  });
}

test('a scope of another type is refused, as leaving it out means all scopes', async () => {
  for (const scope of [1, true, {}, ['a', 1]]) {
    const response = await app.inject({
      ...{ method: 'POST', url: '/oauth/token', payload: { scope } },
    });
    assert.equal(response.statusCode, 400);
    assert.equal(response.json().error, 'invalid_request');
  }
});

for (const type of [
  'application/json',
  'multipart/form-data',
  'application/x-www-form-urlencoded',
]) {
  test(`an empty body of ${type} is a form without fields`, async () => {
    const response = await app.inject({
      method: 'POST',
      url: '/oauth/token?grant_type=client_credentials',
      headers: { 'content-type': type, authorization: basic },
      payload: '',
    });
    assert.equal(response.statusCode, 200, response.body);
    assert.deepEqual(response.json().echo.basic, { id: 'id', secret: 's:c' });
  });
}

test('id and secret may come as HTTP Basic', async () => {
  const response = await app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { ...form, authorization: basic },
    payload: 'grant_type=client_credentials',
  });
  assert.deepEqual(response.json().echo.basic, { id: 'id', secret: 's:c' });
});

test('files and long forms are refused in the dialect of OAuth', async () => {
  const file = '--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nx\r\n';
  for (const options of [multipart({}, file), multipart({ a: 'x'.repeat(20_000) })]) {
    const response = await app.inject({ method: 'POST', url: '/oauth/token', ...options });
    assert.ok([400, 413].includes(response.statusCode), response.body);
    assert.equal(response.json().error, 'invalid_request');
  }
});

const BROKEN: readonly [string, string, string][] = [
  ['no boundary', 'multipart/form-data', 'x'],
  ['an empty boundary', 'multipart/form-data; boundary=', 'x'],
  ['no part', 'multipart/form-data; boundary=b', 'x'],
  ['a cut header', 'multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-da'],
  [
    'a cut value',
    'multipart/form-data; boundary=b',
    '--b\r\nContent-Disposition: form-data; name="grant_type"\r\n\r\nclient',
  ],
  [
    'a part without a name',
    'multipart/form-data; boundary=b',
    '--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n',
  ],
];
for (const [name, type, payload] of BROKEN) {
  test(`a multipart form with ${name} is no fault of the service`, async () => {
    const response = await app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': type },
      payload,
    });
    assert.ok(response.statusCode < 500, response.body);
    if (response.statusCode !== 200) assert.equal(response.json().error, 'invalid_request');
  });
}

const FAULTS: readonly [ServiceError, number, string][] = [
  [new ServiceError('oauth_invalid_client', 'No.'), 401, 'invalid_client'],
  [new ServiceError('oauth_invalid_request', 'No.'), 400, 'invalid_request'],
  [new ServiceError('oauth_invalid_grant', 'No.'), 400, 'invalid_grant'],
  [new ServiceError('oauth_unauthorized_client', 'No.'), 400, 'unauthorized_client'],
  [new ServiceError('oauth_unsupported_grant_type', 'No.'), 400, 'unsupported_grant_type'],
  [new ServiceError('oauth_invalid_scope', 'No.'), 400, 'invalid_scope'],
  [new ServiceError('unavailable', 'No.'), 503, 'temporarily_unavailable'],
  [new ServiceError('internal', 'No.'), 500, 'server_error'],
];
for (const [fault, status, error] of FAULTS) {
  test(`${fault.code} is ${status} ${error}`, async () => {
    const failing = fakeApp({ tokens: { issue: () => Promise.reject(fault) } });
    const response = await failing.inject({ method: 'POST', url: '/oauth/token' });
    assert.equal(response.statusCode, status);
    assert.deepEqual(response.json(), { error, error_description: 'No.' });
    await failing.close();
  });
}

test('too many guesses are told when to come back', async () => {
  const guarded = fakeApp({
    tokens: {
      issue: () =>
        Promise.reject(new ServiceError('rate_limited', 'Too many.', { retryAfterSeconds: 9 })),
    },
  });
  const response = await guarded.inject({ method: 'POST', url: '/oauth/token' });
  assert.equal(response.statusCode, 429);
  assert.equal(response.headers['retry-after'], '9');
  assert.deepEqual(response.json(), { message: 'Rate Limit Exceeded' });
  await guarded.close();
});

test('the endpoints are told as the client reached them, or as set', async () => {
  const info = await app.inject({ url: '/oauth/info', headers: { host: 'id.example:8080' } });
  assert.equal(info.json().tokenEndpoint, 'http://id.example:8080/oauth/token');
  const set = fakeApp({}, { publicUrl: 'https://id.example' });
  const answer = await set.inject('/oauth/info');
  assert.equal(answer.json().tokenEndpoint, 'https://id.example/oauth/token');
  await set.close();
});
