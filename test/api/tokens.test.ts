// Access tokens over real HTTP: what opens nothing, and what opens too little. How fast a door shuts is asked in at-once.test.ts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addUser } from '../support/callers.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
let token: string;

before(async () => {
  service = await startService();
  token = await service.token();
});
after(() => service.stop());

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

function search(authorization: string | null): Promise<Response> {
  return fetch(`${service.url}/v2024/search`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(authorization === null ? {} : { authorization }),
    },
    body: '{"query":{"query":"*"}}',
  });
}

/** The token with other things in its header or payload; the signature stays. */
function forged(header: object, claims: object = {}): string {
  const [head = '', payload = '', signature] = token.split('.');
  const parsed = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as object;
  return [
    base64({ ...parsed(head), ...header }),
    base64({ ...parsed(payload), ...claims }),
    signature,
  ].join('.');
}

const NO_TOKENS: readonly (readonly [what: string, authorization: () => string | null])[] = [
  ['no header', () => null],
  ['an empty one', () => 'Bearer '],
  ['garbage', () => 'Bearer garbage'],
  ['three parts of garbage', () => 'Bearer a.b.c'],
  ['another scheme', () => `Token ${token}`],
  ['a token that is cut off', () => `Bearer ${token.slice(0, -10)}`],
  ['other claims under the same signature', () => `Bearer ${forged({}, { exp: 4e9 })}`],
  ['no algorithm', () => `Bearer ${forged({ alg: 'none' })}`],
  [
    'no algorithm and no signature',
    () => `Bearer ${forged({ alg: 'none' }).replace(/[^.]+$/, '')}`,
  ],
  ['a shared secret', () => `Bearer ${forged({ alg: 'HS256' })}`],
  ['a key of its own', () => `Bearer ${forged({ jwk: { kty: 'EC' } })}`],
  ['a key from elsewhere', () => `Bearer ${forged({ jku: 'http://127.0.0.1:1/keys' })}`],
  ['a certificate from elsewhere', () => `Bearer ${forged({ x5u: 'http://127.0.0.1:1/cert' })}`],
  ['a key id that is a path', () => `Bearer ${forged({ kid: '../../etc/passwd' })}`],
  ['a key id that is SQL', () => `Bearer ${forged({ kid: "' or 1=1 --" })}`],
  ['extensions nobody knows', () => `Bearer ${forged({ crit: ['x'] })}`],
  ['a type that has no text', () => `Bearer ${forged({ typ: { toString: 1 } })}`],
];
for (const [what, authorization] of NO_TOKENS) {
  test(`${what} is 401 with one member and a challenge`, async () => {
    const answer = await search(authorization());
    assert.equal(answer.status, 401);
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
    const text = await answer.text();
    assert.deepEqual(Object.keys(JSON.parse(text) as object), ['error']);
    assert.doesNotMatch(text, /at .*:\d+|node_modules|\.ts|\.js/);
  });
}

test('the right token is taken, by any case of the scheme', async () => {
  assert.equal((await search(`bearer ${token}`)).status, 200);
});

test('a token that has run out is 401', { timeout: 120_000 }, async () => {
  const { store } = service.cardea;
  const party = await addUser(service, { capabilities: ['ROLE_ADMIN'] });
  const token = await store.read.credentialById(party.clientId);
  assert.ok(token);
  const body = { query: { query: '*' } };
  assert.equal((await party.call('POST', '/v2024/search', body)).status, 200);
  const expires = new Date(Date.now() + 400).toISOString();
  await store.write((records) => records.updateCredential(party.tenantId, { ...token, expires }));
  const status = await lastStatus(() => party.call('POST', '/v2024/search', body), 200, 60_000);
  assert.equal(status, 401);
});

const RIGHTS: readonly (readonly [
  capabilities: readonly string[],
  scope: readonly string[],
  search: number,
  readOther: number,
  admin: number,
])[] = [
  [[], ['sp:scopes:all'], 403, 403, 403],
  [['HELPDESK'], ['sp:scopes:all'], 403, 200, 403],
  [['ROLE_ADMIN'], ['sp:search:read'], 200, 403, 403],
  [['ROLE_ADMIN'], ['sp:scopes:default'], 403, 403, 403],
  [['ORG_ADMIN'], ['sp:search:read'], 200, 403, 403],
  [['ORG_ADMIN'], ['sp:auth-user:read'], 403, 200, 403],
  [['ORG_ADMIN'], ['idn:scopes:all'], 200, 200, 200],
];
for (const [capabilities, scope, searching, readOther, admin] of RIGHTS) {
  test(`the level ${capabilities} with the scope ${scope} opens what it should`, async () => {
    const party = await addUser(service, { capabilities, scope });
    const statusOf = async (...call: Parameters<typeof party.call>) =>
      (await party.call(...call)).status;
    assert.equal(await statusOf('POST', '/v2024/search', { query: { query: '*' } }), searching);
    assert.equal(await statusOf('GET', `/v2024/auth-users/${service.adminId}`), readOther);
    const ndjson = { 'content-type': 'application/x-ndjson' };
    assert.equal(await statusOf('POST', '/admin/v1/documents', '', ndjson), admin);
  });
}

test('who guesses at a secret is told to wait, and who has a right one is not', async () => {
  const party = await addUser(service, {});
  const ask = (clientSecret: string) =>
    fetch(`${service.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: party.clientId,
        client_secret: clientSecret,
      }),
    });
  const answers: Response[] = [];
  while (answers.at(-1)?.status !== 429 && answers.length < 100) answers.push(await ask('wrong'));
  assert.equal(answers.at(-1)?.status, 429);
  assert.match(answers.at(-1)?.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.equal((await ask(party.clientSecret)).status, 200, 'behind the same address');
});

test('a secret stands nowhere in the store', async () => {
  const token = await service.cardea.store.read.credentialById(service.clientId);
  assert.doesNotMatch(JSON.stringify(token), new RegExp(service.clientSecret));
});

/** Asks until the status is another one, or the time is over. */
async function lastStatus(
  ask: () => Promise<Response>,
  first: number,
  ms: number,
): Promise<number> {
  const until = Date.now() + ms;
  let status = first;
  while (status === first && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    ({ status } = await ask());
  }
  return status;
}
