// The token endpoint and the verification of tokens (contract/auth-users.md section 6): grants,
// failures, throttling, claims, rejections and the effect of revocations.

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { openThrowAwayStore } from '../../../test/support/empty-store.ts';
import {
  addUser,
  credentialsOf,
  type TestTenant,
  temporaryDatabase,
  testTenant,
} from '../../../test/support/tenant.ts';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import { createTenant } from '../accounts/provisioning.ts';
import { byOperator } from '../audit/operator-event.ts';
import { ForwardingStore } from '../ports/forwarding-store.ts';
import { createCredential } from './credentials.ts';
import { TokenService } from './tokens.ts';

let setting: TestTenant;
let tokens: TokenService;

beforeEach(async () => {
  setting = await testTenant();
  tokens = setting.tokens;
});

function withCode(code: ErrorCode, message = /./): (error: unknown) => boolean {
  return (error) =>
    error instanceof ServiceError && error.code === code && message.test(error.message);
}

async function bearer(parameters: Record<string, string>): Promise<string> {
  const answer = await tokens.issue(parameters, null, '127.0.0.1');
  return `Bearer ${answer['access_token']}`;
}

test('a personal access token yields a token of its owner', async () => {
  const { parameters, id } = await credentialsOf(setting, setting.admin, {
    scope: ['sp:search:read', 'sp:auth-user:read'],
    accessTokenValiditySeconds: 900,
  });
  const { access_token, jti, ...answer } = await tokens.issue(parameters, null, '127.0.0.1');
  const user = {
    tenant_id: setting.tenant.id,
    org: 'acme',
    pod: 'local',
    internal: false,
    enabled: true,
    strong_auth: false,
    strong_auth_supported: false,
    identity_id: setting.admin.id,
    user_id: setting.admin.id,
    user_name: 'root',
  };
  assert.deepEqual(answer, {
    ...user,
    token_type: 'bearer',
    expires_in: 900,
    scope: 'sp:search:read sp:auth-user:read',
    claims_supported: false,
  });
  const seconds = setting.clock.now() / 1000;
  assert.deepEqual(decodeJwt(String(access_token)), {
    ...user,
    authorities: ['ORG_ADMIN'],
    client_id: id,
    scope: ['sp:search:read', 'sp:auth-user:read'],
    strategy: 'pat',
    iss: 'cardea',
    aud: 'cardea',
    iat: seconds,
    exp: seconds + 900,
    jti,
  });
  const header = decodeProtectedHeader(String(access_token));
  const { keys } = await tokens.jwks();
  assert.deepEqual(header, { alg: 'ES256', typ: 'JWT', kid: keys[0]?.kid });
  assert.ok(!('d' in (keys[0] ?? {})), 'the private half is not published');

  const { current, ...caller } = await tokens.verify(`Bearer ${access_token}`);
  assert.equal((await current()).tokenId, jti);
  assert.deepEqual(caller, {
    views: null,
    ownerCapabilities: [],
    tenantId: setting.tenant.id,
    identityId: setting.admin.id,
    userName: 'root',
    clientId: id,
    scopes: ['sp:search:read', 'sp:auth-user:read'],
    capabilities: ['ORG_ADMIN'],
    personalTokenId: id,
    credentialEnds: Date.parse('2026-09-01T12:00:00.000Z'),
    tokenId: jti,
  });
});

test('info names the only tenant, or else that of the token or of the options, or none', async () => {
  const { store, clock, tenant } = setting;
  const later = { now: () => clock.now() + 1_000 };
  const named = async (infoTenant?: string, authorization?: string) => {
    const service = new TokenService(store, { clock, ...(infoTenant && { infoTenant }) });
    const { tenantId } = await service.info('http://127.0.0.1', authorization);
    return tenantId;
  };
  assert.equal(await named(), tenant.id);
  const other = await createTenant(store, { name: 'other' }, byOperator(later));
  assert.equal(await named(), '');
  assert.equal(await named('other'), other.id);
  assert.equal(await named('nobody'), '');
  const { parameters } = await credentialsOf(setting, setting.admin);
  assert.equal(await named(undefined, await bearer(parameters)), tenant.id);
  assert.equal(await named(undefined, 'Bearer x.y.z'), '');
});

test('an API client gets a token without a user', async () => {
  const { credential: client, secret } = await createCredential(
    setting.store,
    setting.tenant.id,
    'client',
    {
      name: 'robot',
      scope: ['sp:search:read'],
      accessTokenValiditySeconds: 750,
    },
  );
  const parameters = { grant_type: 'client_credentials' };
  const answer = await tokens.issue(parameters, { id: client.id, secret }, '127.0.0.1');
  assert.equal(answer['accessType'], 'OFFLINE');
  assert.equal(answer['expires_in'], 750);
  for (const name of ['identity_id', 'user_id', 'user_name', 'refresh_token']) {
    assert.ok(!(name in answer), name);
  }
  const caller = await tokens.verify(`bearer ${answer['access_token']}`);
  assert.equal(caller.identityId, null);
  assert.deepEqual(caller.capabilities, []);
});

test('the grant type may be in capitals, the default lifetime is 43200', async () => {
  const { parameters } = await credentialsOf(setting, setting.admin);
  const answer = await tokens.issue(
    { ...parameters, grant_type: 'CLIENT_CREDENTIALS', unknown: 'x' },
    { id: 'ignored', secret: 'ignored' },
    '127.0.0.1',
  );
  assert.equal(answer['expires_in'], 43_200);
  assert.equal(answer['scope'], 'sp:scopes:all');
});

test('a requested scope narrows the token, and an empty one does not', async () => {
  const { parameters } = await credentialsOf(setting, setting.admin);
  const ask = (scope: string) => tokens.issue({ ...parameters, scope }, null, '::1');
  const narrow = await ask(' sp:search:read  idn:auth-user:read nobody:knows ');
  assert.equal(narrow['scope'], 'sp:search:read idn:auth-user:read');
  const caller = await tokens.verify(`Bearer ${narrow['access_token']}`);
  assert.deepEqual(caller.scopes, ['sp:search:read', 'idn:auth-user:read']);
  assert.equal((await ask('  '))['scope'], 'sp:scopes:all');
});

test('a request without any of the scopes of a credential records no sign-in', async () => {
  const { parameters } = await credentialsOf(setting, setting.admin);
  const before = await setting.store.read.authUser(setting.tenant.id, setting.admin.id);
  const request = { ...parameters, scope: 'openid' };
  await assert.rejects(tokens.issue(request, null, '::1'), withCode('oauth_invalid_scope'));
  assert.deepEqual(await setting.store.read.authUser(setting.tenant.id, setting.admin.id), before);
});

test('each fault of a token request has its own code', async () => {
  const { parameters, id } = await credentialsOf(setting, setting.admin);
  const { store, tenant } = setting;
  const { credential: client, secret } = await createCredential(store, tenant.id, 'client', {
    name: 'robot',
  });
  // Only an imported client, or one edited in the database, can lack CLIENT_CREDENTIALS.
  await store.write((records) =>
    records.updateCredential(tenant.id, { ...client, grantTypes: ['REFRESH_TOKEN'] }),
  );
  const robot = { client_id: client.id, client_secret: secret };
  const failures: [Record<string, string>, ErrorCode][] = [
    [{}, 'oauth_invalid_request'],
    [{ ...parameters, grant_type: '' }, 'oauth_invalid_request'],
    [{ ...parameters, grant_type: 'password' }, 'oauth_unsupported_grant_type'],
    [{ ...parameters, grant_type: 'authorization_code' }, 'oauth_unsupported_grant_type'],
    [{ ...parameters, client_id: '' }, 'oauth_invalid_request'],
    [{ ...parameters, client_secret: '' }, 'oauth_invalid_request'],
    [{ ...parameters, grant_type: 'refresh_token' }, 'oauth_invalid_request'],
    [{ ...parameters, client_secret: 'x' }, 'oauth_invalid_client'],
    [{ ...parameters, client_secret: 'x'.repeat(100_000) }, 'oauth_invalid_client'],
    [{ ...parameters, client_id: 'x' }, 'oauth_invalid_client'],
    [{ ...parameters, client_id: `${id}\u0000` }, 'oauth_invalid_client'],
    [{ ...parameters, client_id: "' OR 1=1 --" }, 'oauth_invalid_client'],
    [
      { ...parameters, grant_type: 'refresh_token', refresh_token: 'x' },
      'oauth_unauthorized_client',
    ],
    [{ ...parameters, scope: 'sp:weather:read' }, 'oauth_invalid_scope'],
    [{ ...robot, grant_type: 'client_credentials' }, 'oauth_unauthorized_client'],
    [{ ...robot, grant_type: 'refresh_token', refresh_token: 'x' }, 'oauth_invalid_grant'],
  ];
  for (const [request, code] of failures) {
    await assert.rejects(tokens.issue(request, null, '::1'), withCode(code), code);
  }
});

test('an expired personal access token yields no token, and its access tokens end', async () => {
  const { parameters } = await credentialsOf(setting, setting.admin, {
    expirationDate: '2026-03-01T13:00:00Z',
  });
  const authorization = await bearer(parameters);
  await tokens.verify(authorization);
  setting.clock.pass(3600);
  await assert.rejects(tokens.verify(authorization), withCode('token_invalid', /revoked/));
  await assert.rejects(tokens.issue(parameters, null, '::1'), withCode('oauth_invalid_client'));
});

test('updates sign-in times with each token, and the last use at most once a day', async () => {
  const { parameters, id } = await credentialsOf(setting, setting.admin);
  const state = async () => {
    const user = await setting.store.read.authUser(setting.tenant.id, setting.admin.id);
    const record = await setting.store.read.credentialById(id);
    return [user?.lastLoginTimestamp, user?.currentLoginTimestamp, record?.lastUsed];
  };
  const start = setting.clock.now();
  const day = new Date(start).toISOString();
  await bearer(parameters);
  assert.deepEqual(await state(), [0, start, day]);
  setting.clock.pass(3600);
  await bearer(parameters);
  assert.deepEqual(await state(), [start, start + 3_600_000, day]);
  setting.clock.pass(82_800);
  await bearer(parameters);
  assert.deepEqual((await state())[2], new Date(start + 86_400_000).toISOString());
});

test('users can sign in while the store is read-only', async () => {
  const { parameters } = await credentialsOf(setting, setting.admin);
  await bearer(parameters);
  const { store, clock } = setting;
  const full = new ForwardingStore(store, {
    write: () => Promise.reject(new ServiceError('unavailable', 'disk full')),
  });
  tokens = new TokenService(full, { clock });
  await tokens.verify(await bearer(parameters));
});

test('rate-limits wrong secrets of an address, and never a correct one', async () => {
  const { parameters } = await credentialsOf(setting, setting.admin);
  const wrong = { ...parameters, client_secret: 'guess' };
  const guesses = await Promise.allSettled(
    Array.from({ length: 60 }, () => tokens.issue(wrong, null, '10.0.0.1')),
  );
  const codes = guesses.map((guess) => guess.status === 'rejected' && guess.reason.code);
  assert.equal(codes.filter((code) => code === 'oauth_invalid_client').length, 20);
  assert.equal(codes.filter((code) => code === 'rate_limited').length, 40);
  await tokens.issue(parameters, null, '10.0.0.1');
  await assert.rejects(
    tokens.issue(wrong, null, '10.0.0.2'),
    withCode('oauth_invalid_client', /./),
    'another address',
  );
  setting.clock.pass(60);
  await assert.rejects(
    tokens.issue(wrong, null, '10.0.0.1'),
    withCode('oauth_invalid_client', /./),
  );
});

test('unknown ids do not reset the count of an address', async () => {
  const { parameters } = await credentialsOf(setting, setting.admin);
  const wrong = { ...parameters, client_secret: 'guess' };
  const guess = (request: Record<string, string>) =>
    tokens.issue(request, null, '10.0.0.1').catch((error: ServiceError) => error.code);
  for (let i = 0; i < 20; i++) assert.equal(await guess(wrong), 'oauth_invalid_client');
  for (let i = 0; i < 10_200; i++) await guess({ ...wrong, client_id: `junk${i}` });
  assert.equal(await guess(wrong), 'rate_limited');
});

test('uses the current levels, and a deleted token ends at once', async () => {
  const { store, tenant } = setting;
  const ada = await addUser(setting, 'ada', ['HELPDESK']);
  const { parameters, id } = await credentialsOf(setting, ada);
  const authorization = await bearer(parameters);
  const levels = async () => (await tokens.verify(authorization)).capabilities;
  assert.deepEqual(await levels(), ['HELPDESK']);
  await store.write((records) =>
    records.setCapabilities(tenant.id, ada.id, ['CERT_ADMIN'], ['HELPDESK']),
  );
  assert.deepEqual(await levels(), ['CERT_ADMIN']);
  assert.deepEqual(await levels(), ['CERT_ADMIN']);
  await store.write((records) => records.deleteCredential(tenant.id, id));
  await assert.rejects(tokens.verify(authorization), withCode('token_invalid', /revoked/));
  await assert.rejects(tokens.verify(authorization), withCode('token_invalid', /revoked/));
});

test('a revocation by another process takes effect within a second', async () => {
  const path = temporaryDatabase();
  setting = await testTenant(openThrowAwayStore(path));
  const { tenant, clock } = setting;
  tokens = setting.tokens;
  const other = await openThrowAwayStore(path);
  const { parameters, id } = await credentialsOf(setting, setting.admin);
  const authorization = await bearer(parameters);
  await tokens.verify(authorization);
  await other.write((records) => records.deleteCredential(tenant.id, id));
  await other.close();
  clock.pass(1);
  await assert.rejects(tokens.verify(authorization), withCode('token_invalid', /revoked/));
});

test('a token is valid after a restart, and two processes share one key', async () => {
  const { parameters } = await credentialsOf(setting, setting.admin);
  const options = { clock: setting.clock };
  const nodes = [
    new TokenService(setting.store, options),
    new TokenService(setting.store, options),
  ];
  const answers = await Promise.all(nodes.map((node) => node.issue(parameters, null, '::1')));
  for (const node of [...nodes, new TokenService(setting.store, options)]) {
    for (const answer of answers) await node.verify(`Bearer ${answer['access_token']}`);
  }
  assert.equal((await setting.store.read.signingKeys()).length, 1);
});

test('a cached token ends at its expiry, within the clock skew', async () => {
  const { parameters } = await credentialsOf(setting, setting.admin, {
    accessTokenValiditySeconds: 15,
  });
  const authorization = await bearer(parameters);
  await tokens.verify(authorization);
  setting.clock.pass(15 + 29);
  await tokens.verify(authorization);
  setting.clock.pass(2);
  await assert.rejects(
    tokens.verify(authorization),
    withCode('token_invalid', /^JWT validation failed: JWT is expired$/),
  );
});

for (const header of [undefined, '', 'Bearer', 'Bearer ', 'Basic abc', 'Bearer a b', 'token']) {
  test(`the header ${JSON.stringify(header)} has no token`, async () => {
    await assert.rejects(tokens.verify(header), withCode('token_missing'));
  });
}

test('info describes the endpoints and the tenant', async () => {
  assert.deepEqual(await tokens.info('http://127.0.0.1:8080'), {
    tenantId: setting.tenant.id,
    tenantName: 'acme',
    authorizeEndpoint: 'http://127.0.0.1:8080/oauth/authorize',
    tokenEndpoint: 'http://127.0.0.1:8080/oauth/token',
    cloudDomainUrl: 'http://127.0.0.1:8080',
    logoutUrl: 'http://127.0.0.1:8080/logout',
    pod: 'local',
  });
});
