// Refresh tokens of API clients: who gets one, what each use does, and what ends it.

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { auditTrail, callerOf, type TestTenant, testTenant } from '../../../test/support/tenant.ts';
import { ServiceError } from '../../errors.ts';
import { createTenant } from '../accounts/provisioning.ts';
import { byOperator } from '../audit/operator-event.ts';
import { ForwardingStore } from '../ports/forwarding-store.ts';
import type { OAuthClient } from '../ports/store.ts';
import { Credentials, createCredential, deleteCredential } from './credentials.ts';
import { issueRefreshToken, MAX_PER_CLIENT } from './refresh-tokens.ts';
import { TokenService } from './tokens.ts';

let setting: TestTenant;
let tokens: TokenService;

beforeEach(async () => {
  setting = await testTenant();
  tokens = setting.tokens;
});

interface Party {
  readonly client: OAuthClient;
  readonly secret: string;
}

const BOTH = ['CLIENT_CREDENTIALS', 'REFRESH_TOKEN'];
const DAY = 86_400;

async function party(members: object = {}, tenantId = setting.tenant.id): Promise<Party> {
  const { store, clock } = setting;
  const body = { name: 'app', scope: ['sp:search:read'], grantTypes: BOTH, ...members };
  const change = byOperator(clock);
  const made = await createCredential(store, tenantId, 'client', body, { change });
  return { client: made.credential, secret: made.secret };
}

function issue({ client, secret }: Party, parameters: Record<string, string>) {
  return tokens.issue(parameters, { id: client.id, secret }, '::1');
}

const first = async (who: Party) => (await tokensOf(who)).refresh;

/** The tokens of a new family. */
async function tokensOf(who: Party): Promise<{ access: string; refresh: string }> {
  const answer = await issue(who, { grant_type: 'client_credentials' });
  return { access: String(answer['access_token']), refresh: String(answer['refresh_token']) };
}

async function refresh(who: Party, refresh_token: string): Promise<string> {
  const answer = await issue(who, { grant_type: 'refresh_token', refresh_token });
  await tokens.verify(`Bearer ${answer['access_token']}`);
  return String(answer['refresh_token']);
}

const refused = (work: Promise<unknown>, code = 'oauth_invalid_grant') =>
  assert.rejects(work, (error) => error instanceof ServiceError && error.code === code);

const events = async (name: string) =>
  (await auditTrail(setting)).filter(({ technicalName }) => technicalName === name);

test('a client with both grants gets a refresh token, and each use returns the next one', async () => {
  const who = await party({ accessTokenValiditySeconds: 750, accessType: 'ONLINE' });
  const one = await first(who);
  const answer = await issue(who, { grant_type: 'refresh_token', refresh_token: one });
  assert.equal(answer['expires_in'], 750);
  assert.equal(answer['scope'], 'sp:search:read');
  assert.equal(answer['accessType'], 'ONLINE');
  const caller = await tokens.verify(`Bearer ${answer['access_token']}`);
  assert.equal(caller.identityId, null);
  assert.equal(caller.clientId, who.client.id);
  const next = String(answer['refresh_token']);
  assert.notEqual(next, one);
  await refresh(who, next);
  assert.equal(
    (await setting.store.read.refreshTokensOf(setting.tenant.id, who.client.id)).length,
    1,
  );
});

test('a client without the grant gets no refresh token and can use none', async () => {
  const who = await party({ grantTypes: ['CLIENT_CREDENTIALS'] });
  assert.equal(await first(who), 'undefined');
  await refused(refresh(who, 'x'), 'oauth_unauthorized_client');
});

test('reusing a token ends its family with all access tokens, and the audit trail records it', async () => {
  const who = await party();
  const [begun, other] = [await tokensOf(who), await tokensOf(who)];
  const stolen = begun.refresh;
  const later = await issue(who, { grant_type: 'refresh_token', refresh_token: stolen });
  await refused(refresh(who, stolen));
  await refused(refresh(who, String(later['refresh_token'])));
  for (const access of [begun.access, later['access_token']]) {
    await refused(tokens.verify(`Bearer ${access}`), 'token_invalid');
  }
  const [event] = await events('REFRESH_TOKEN_REVOKE_PASSED');
  const { id } = who.client;
  assert.deepEqual(event?.['attributes'], {
    ...{ actorId: id, clientId: id, reason: 'used twice', remoteAddress: '::1', requestId: '' },
  });
  await tokens.verify(`Bearer ${other.access}`);
  await refresh(who, other.refresh);
});

test('one of two concurrent uses succeeds, and the other ends what it got', async () => {
  const who = await party();
  const refresh_token = await first(who);
  const use = () => issue(who, { grant_type: 'refresh_token', refresh_token });
  const outcomes = await Promise.allSettled([use(), use()]);
  const answers = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  assert.equal(answers.length, 1);
  await refused(tokens.verify(`Bearer ${answers[0]?.['access_token']}`), 'token_invalid');
});

test('no token from before its client was disabled is accepted once it is enabled', async () => {
  const who = await party();
  const before = await tokensOf(who);
  const cases = new Credentials('client', setting.store, { clock: setting.clock });
  const admin = callerOf(setting.tenant, setting.admin);
  for (const value of [false, true]) {
    await cases.patch(admin, who.client.id, [{ op: 'replace', path: '/enabled', value }]);
    await refused(tokens.verify(`Bearer ${before.access}`), 'token_invalid');
  }
  setting.clock.pass(1);
  await refused(refresh(who, before.refresh));
  await refresh(who, await first(who));
});

test('a refresh token expires when unused, and each use renews its lifetime', async () => {
  const who = await party({ refreshTokenValiditySeconds: 10 * DAY });
  let token = await first(who);
  for (let n = 0; n < 3; n++) {
    setting.clock.pass(10 * DAY - 1);
    token = await refresh(who, token);
  }
  setting.clock.pass(10 * DAY);
  await refused(refresh(who, token));
});

test("rejects another client's refresh token, which stays usable by its own client", async () => {
  const [one, other] = [await party(), await party()];
  const token = await first(one);
  await refused(refresh(other, token));
  await refresh(one, token);
});

test("another tenant's client cannot use it either", async () => {
  const { store, clock } = setting;
  const { id } = await createTenant(store, { name: 'other' }, byOperator(clock));
  const foreign = await party({}, id);
  const mine = await party();
  const token = await first(mine);
  await refused(refresh(foreign, token));
  await refresh(mine, token);
});

const MALFORMED = [
  'x',
  '',
  ' ',
  '.',
  `${'a'.repeat(32)}.${'b'.repeat(64)}`,
  'a'.repeat(100_000),
  '\0',
];
for (const value of MALFORMED) {
  test(`${JSON.stringify(value.slice(0, 40))} is not a refresh token`, async () => {
    const code = value === '' ? 'oauth_invalid_request' : 'oauth_invalid_grant';
    await refused(refresh(await party(), value), code);
  });
}

const ENDS: readonly (readonly [
  string,
  (client: OAuthClient) => Promise<unknown>,
  string,
  string,
])[] = [
  [
    'was deleted',
    ({ id }) => deleteCredential(setting.store, setting.tenant.id, 'client', id),
    ...(['oauth_invalid_client', 'token_invalid'] as const),
  ],
  [
    'was disabled',
    (client) => change({ ...client, enabled: false }),
    ...(['oauth_invalid_client', 'token_invalid'] as const),
  ],
  [
    'lost the grant',
    (client) => change({ ...client, grantTypes: ['CLIENT_CREDENTIALS'] }),
    ...(['oauth_unauthorized_client', ''] as const),
  ],
];
for (const [what, end, code, access] of ENDS) {
  test(`rejects the tokens of a client that ${what}`, async () => {
    const who = await party();
    const answer = await issue(who, { grant_type: 'client_credentials' });
    await end(who.client);
    await refused(refresh(who, String(answer['refresh_token'])), code);
    const verified = tokens.verify(`Bearer ${answer['access_token']}`);
    if (access === '') await verified;
    else await refused(verified, access);
  });
}

const change = (client: OAuthClient) =>
  setting.store.write((records) => records.updateCredential(setting.tenant.id, client));

const MEANWHILE: readonly (readonly [string, (client: OAuthClient) => Promise<unknown>, string])[] =
  [
    [
      'is deleted',
      ({ id }) => deleteCredential(setting.store, setting.tenant.id, 'client', id),
      'oauth_invalid_client',
    ],
    ['is disabled', (client) => change({ ...client, enabled: false }), 'oauth_invalid_client'],
    [
      'loses the grant',
      (client) => change({ ...client, grantTypes: ['CLIENT_CREDENTIALS'] }),
      'oauth_invalid_grant',
    ],
  ];
for (const [what, happen, code] of MEANWHILE) {
  test(`a client that ${what} while its token request waits for the store gets no refresh token`, async () => {
    const { store, clock } = setting;
    const who = await party();
    const token = await first(who);
    let done = false;
    const late = new ForwardingStore(store, {
      async write(work) {
        if (!done) await happen(who.client);
        done = true;
        return store.write(work);
      },
    });
    tokens = new TokenService(late, { clock });
    await refused(refresh(who, token), code);
    await change(who.client);
    done = false;
    if (code === 'oauth_invalid_grant') assert.equal(await first(who), 'undefined');
    else await refused(first(who), 'oauth_invalid_client');
  });
}

test('a refreshed token stays as narrow as the first request asked', async () => {
  const who = await party({ scope: ['sp:search:read', 'sp:saved-search:manage'] });
  const { refresh_token: one, scope } = await issue(who, {
    ...{ grant_type: 'client_credentials', scope: 'sp:saved-search:read unknown' },
  });
  assert.equal(scope, 'sp:saved-search:read');
  const ask = (refresh_token: unknown, more: Record<string, string> = {}) =>
    issue(who, { grant_type: 'refresh_token', refresh_token: String(refresh_token), ...more });
  const again = await ask(one);
  assert.equal(again['scope'], 'sp:saved-search:read');
  const caller = await tokens.verify(`Bearer ${again['access_token']}`);
  assert.deepEqual(caller.scopes, ['sp:saved-search:read']);
  const described = await tokens.introspect({
    parameters: { token: String(again['refresh_token']) },
    basic: { id: who.client.id, secret: who.secret },
    ...{ bearer: undefined, origin: { address: '::1', requestId: 'r' } },
  });
  assert.equal(described['scope'], 'sp:saved-search:read');
  // A request beyond it leaves the refresh token valid, and one for everything gets no more.
  await refused(ask(again['refresh_token'], { scope: 'sp:search:read' }), 'oauth_invalid_scope');
  const all = await ask(again['refresh_token'], { scope: 'sp:scopes:all' });
  assert.equal(all['scope'], 'sp:saved-search:read');
});

test('a narrower refresh does not narrow the ones after it', async () => {
  const who = await party({ scope: ['sp:search:read', 'sp:saved-search:read'] });
  const one = await first(who);
  const narrow = await issue(who, {
    ...{ grant_type: 'refresh_token', refresh_token: one, scope: 'sp:search:read' },
  });
  assert.equal(narrow['scope'], 'sp:search:read');
  const wide = await issue(who, {
    ...{ grant_type: 'refresh_token', refresh_token: String(narrow['refresh_token']) },
  });
  assert.equal(wide['scope'], 'sp:search:read sp:saved-search:read');
});

test('limits the refresh tokens per client: drops expired ones, then the oldest', async () => {
  const { store, tenant, clock } = setting;
  const { client } = await party({ refreshTokenValiditySeconds: DAY });
  const add = (count: number) =>
    store.write(async (records) => {
      const issuing = {
        now: clock.now(),
        random: (size: number) => new Uint8Array(size).fill(++seed),
      };
      for (let n = 0; n < count; n++) {
        await issueRefreshToken(records, tenant.id, client, null, issuing);
      }
    });
  let seed = 0;
  await add(3);
  const oldest = await store.read.refreshTokensOf(tenant.id, client.id);
  clock.pass(DAY);
  await add(1);
  assert.equal((await store.read.refreshTokensOf(tenant.id, client.id)).length, 1);
  clock.pass(1);
  await add(MAX_PER_CLIENT - 1);
  const full = await store.read.refreshTokensOf(tenant.id, client.id);
  assert.equal(full.length, MAX_PER_CLIENT);
  await add(1);
  const left = await store.read.refreshTokensOf(tenant.id, client.id);
  assert.equal(left.length, MAX_PER_CLIENT);
  assert.equal(
    left.some(({ id }) => id === full[0]?.id || id === oldest[0]?.id),
    false,
  );
});

test('the value of a refresh token is not in the store', async () => {
  const who = await party();
  const [, secret = ''] = (await first(who)).split('.');
  const storedTokens = await setting.store.read.refreshTokensOf(setting.tenant.id, who.client.id);
  assert.equal(secret.length, 64);
  assert.doesNotMatch(JSON.stringify(storedTokens), new RegExp(secret));
});

test('updates the last use of a client at most once a day, by either grant', async () => {
  const { store, clock } = setting;
  const who = await party();
  const lastUsed = async () => (await store.read.credentialById(who.client.id))?.lastUsed;
  assert.equal(await lastUsed(), null);
  const start = clock.now();
  let token = await first(who);
  assert.equal(await lastUsed(), new Date(start).toISOString());
  clock.pass(DAY - 1);
  token = await refresh(who, token);
  assert.equal(await lastUsed(), new Date(start).toISOString());
  clock.pass(1);
  await refresh(who, token);
  assert.equal(await lastUsed(), new Date(start + DAY * 1000).toISOString());
});

test('clients get an access token but no refresh token while the store is read-only', async () => {
  const { store, clock } = setting;
  const who = await party();
  await first(who);
  const full = new ForwardingStore(store, {
    write: () => Promise.reject(new ServiceError('unavailable', 'disk full')),
  });
  tokens = new TokenService(full, { clock });
  const answer = await issue(who, { grant_type: 'client_credentials' });
  await tokens.verify(`Bearer ${answer['access_token']}`);
  assert.equal('refresh_token' in answer, false);
});
