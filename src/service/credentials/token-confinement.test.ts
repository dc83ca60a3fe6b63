// What a token can create and change under either policy, and how its creations end with it: over
// the store, with a fixed clock.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, test } from 'node:test';
import {
  addUser,
  auditTrail,
  credentialsOf,
  type TestTenant,
  testTenant,
} from '../../../test/support/tenant.ts';
import type { Caller } from '../../auth/caller.ts';
import { TOKEN_POLICIES, type TokenPolicy } from '../../auth/confinement.ts';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import { changeAuthUser } from '../accounts/auth-user-administration.ts';
import { LOCAL_OPERATOR } from '../audit/audit-event.ts';
import { ForwardingStore } from '../ports/forwarding-store.ts';
import { ApiKeyCheck } from './api-key-check.ts';
import { Credentials } from './credentials.ts';

const MANAGE = 'sp:my-personal-access-tokens:manage';
const IN_A_MONTH = '2026-04-01T12:00:00.000Z';

let setting: TestTenant;
let cases: ReturnType<typeof casesOf>;

beforeEach(async () => {
  setting = await testTenant();
  cases = casesOf('strict');
});

function casesOf(policy: TokenPolicy) {
  const { store, clock } = setting;
  return {
    tokens: new Credentials('pat', store, { clock, policy }),
    clients: new Credentials('client', store, { clock, policy }),
    keys: new Credentials('key', store, { clock, policy }),
    check: new ApiKeyCheck(store, { clock, policy }),
  };
}

function withCode(code: ErrorCode, cause = /./): (error: unknown) => boolean {
  return (error) =>
    error instanceof ServiceError &&
    error.code === code &&
    cause.test(String(error.details.causes));
}

/** The authorization header of a new access token of a credential. */
async function bearer(id: string, secret: string): Promise<string> {
  const parameters = {
    grant_type: 'client_credentials',
    client_id: id,
    client_secret: secret,
  };
  const { access_token } = await setting.tokens.issue(parameters, null, '::1');
  return `Bearer ${access_token}`;
}

const verify = (authorization: string) => setting.tokens.verify(authorization);

/** A caller with the administrator's personal access token, limited to these scopes and expiry. */
async function administrator(
  scope: readonly string[],
  expirationDate = IN_A_MONTH,
): Promise<Caller> {
  const credentials = await credentialsOf(setting, setting.admin, {
    ...{ name: `token ${scope.join(' ')} ${expirationDate}`, scope, expirationDate },
  });
  return verify(await bearer(credentials.id, credentials.secret));
}

for (const members of [{}, { scope: null }, { scope: [] }]) {
  test(`a token created with ${JSON.stringify(members)} gets the default scope of the policy`, async () => {
    const caller = await administrator(['sp:scopes:all']);
    const body = { name: 'n', ...members };
    const { scope, expirationDate } = await cases.tokens.create(caller, body);
    assert.deepEqual(scope, ['sp:scopes:default']);
    assert.equal(expirationDate, IN_A_MONTH, 'six months would outlive the creator');
    const vendor = casesOf('vendor').tokens;
    assert.deepEqual((await vendor.create(caller, { ...body, name: 'v' })).scope, [
      'sp:scopes:all',
    ]);
  });

  test(`${JSON.stringify(members)} gives no default scope to whom lacks it, unless the policy is vendor`, async () => {
    const caller = await administrator([MANAGE, 'sp:search:read']);
    const body = { name: 'n', ...members };
    const cause = /scope: your token does not have sp:scopes:default/;
    await assert.rejects(cases.tokens.create(caller, body), withCode('forbidden', cause));
    await casesOf('vendor').tokens.create(caller, body);
  });
}

test('a token that its request narrowed creates nothing stronger than itself', async () => {
  const scope = [MANAGE, 'sp:oauth-client:manage', 'cardea:admin:manage'];
  const { parameters } = await credentialsOf(setting, setting.admin);
  const request = { ...parameters, scope: scope.join(' ') };
  const { access_token } = await setting.tokens.issue(request, null, '::1');
  const caller = await verify(`Bearer ${access_token}`);
  assert.deepEqual((await cases.tokens.create(caller, { name: 'a', scope })).scope, scope);
  assert.deepEqual((await cases.clients.create(caller, { name: 'a' })).scope, scope);
  const beyond = withCode('forbidden', /your token does not have/);
  const members = { name: 'b', scope: ['sp:scopes:all'] };
  await assert.rejects(cases.tokens.create(caller, members), beyond);
  await assert.rejects(cases.clients.create(caller, members), beyond);
  await assert.rejects(cases.keys.create(caller, { name: 'b' }), beyond);
});

const BEYOND: readonly (readonly [members: object, cause: RegExp])[] = [
  [{ scope: ['sp:scopes:all'] }, /scope: your token does not have sp:scopes:all/],
  [{ scope: [MANAGE, 'sp:search:read'] }, /scope: your token does not have sp:search:read/],
  [{ scope: ['read', 'write'] }, /scope: your token does not have read/],
  [{ userAwareTokenNeverExpires: true }, /expirationDate: at most 2026-04-01T12:00:00.000Z/],
  [{ expirationDate: '2026-04-01T12:00:00.001Z' }, /expirationDate: at most 2026-04-01T12/],
  [
    { userAwareTokenNeverExpires: true, expirationDate: '2040-01-01T00:00:00Z' },
    /expirationDate: at most 2026-04-01T12/,
  ],
];
for (const [members, cause] of BEYOND) {
  test(`a token cannot create one with ${JSON.stringify(members)}, unless the policy is vendor`, async () => {
    const caller = await administrator([MANAGE]);
    const body = { name: 'n', scope: [MANAGE], ...members };
    await assert.rejects(cases.tokens.create(caller, body), withCode('forbidden', cause));
    const created = await casesOf('vendor').tokens.create(caller, body);
    for (const [name, value] of Object.entries(members)) {
      const expected = name === 'expirationDate' ? new Date(value).toISOString() : value;
      assert.deepEqual(new Map(Object.entries(created)).get(name), expected);
    }
  });
}

const WIDENINGS: readonly (readonly [patch: object[], cause: RegExp])[] = [
  [[{ op: 'replace', path: '/scope', value: ['sp:scopes:all'] }], /does not have sp:scopes:all/],
  [[{ op: 'add', path: '/scope/-', value: 'cardea:admin:manage' }], /does not have cardea:admin/],
  [
    [
      { op: 'replace', path: '/userAwareTokenNeverExpires', value: true },
      { op: 'replace', path: '/expirationDate', value: null },
    ],
    /expirationDate: at most/,
  ],
  [
    [{ op: 'replace', path: '/expirationDate', value: '2026-05-01T00:00:00Z' }],
    /expirationDate: at most/,
  ],
];
for (const [patch, cause] of WIDENINGS) {
  test(`a token cannot change itself by ${JSON.stringify(patch)}, unless the policy is vendor`, async () => {
    const caller = await administrator([MANAGE]);
    const refused = cases.tokens.patch(caller, caller.clientId, patch);
    await assert.rejects(refused, withCode('forbidden', cause));
    await casesOf('vendor').tokens.patch(caller, caller.clientId, patch);
  });
}

test('a patch may keep or narrow the scopes of a token, even when the caller has fewer', async () => {
  const caller = await administrator([MANAGE]);
  const { id } = await credentialsOf(setting, setting.admin, {
    scope: ['write', 'sp:search:read'],
  });
  const patched = await cases.tokens.patch(caller, id, [
    { op: 'replace', path: '/name', value: 'renamed' },
    { op: 'remove', path: '/scope/1' },
    { op: 'replace', path: '/expirationDate', value: '2026-08-01T00:00:00Z' },
  ]);
  assert.deepEqual(patched.scope, ['write']);
  assert.equal(patched.expirationDate, '2026-08-01T00:00:00.000Z');
});

test('a patch cannot combine the scopes "read" and "write" of two tokens', async () => {
  const caller = await administrator(['read', MANAGE]);
  const { id } = await credentialsOf(setting, setting.admin, { scope: ['write'] });
  const patch = [{ op: 'add', path: '/scope/-', value: 'read' }];
  await assert.rejects(cases.tokens.patch(caller, id, patch), withCode('forbidden'));
});

/**
 * A chain of credentials, each created by a token of the one before, with a client and a key
 * created by the last.
 */
async function family(policy: TokenPolicy) {
  const { tokens, clients, keys, check } = casesOf(policy);
  const first = await credentialsOf(setting, setting.admin, { name: 'first' });
  const firstCaller = await verify(await bearer(first.id, first.secret));
  const all = { scope: ['sp:scopes:all'] };
  const second = await tokens.create(firstCaller, { name: 'second', ...all });
  const secondCaller = await verify(await bearer(second.id, second.secret));
  const third = await tokens.create(secondCaller, { name: 'third', ...all });
  const thirdCaller = await verify(await bearer(third.id, third.secret));
  const client = await clients.create(thirdCaller, { name: 'client' });
  const key = await keys.create(thirdCaller, { name: 'key' });
  const bearers = [
    await bearer(second.id, second.secret),
    await bearer(third.id, third.secret),
    await bearer(client.id, client.secret),
  ];
  const works = async () => {
    const answers = await Promise.allSettled([
      ...bearers.map(verify),
      bearer(third.id, third.secret),
      bearer(client.id, client.secret),
      check.verify(key.apiKey),
    ]);
    return answers.map(({ status }) => status === 'fulfilled');
  };
  return { first, firstCaller, tokens, works };
}

const ALL = Array<boolean>(6).fill(true);
const NONE = Array<boolean>(6).fill(false);

for (const policy of TOKEN_POLICIES) {
  const after = policy === 'strict' ? NONE : ALL;
  describe(`under the policy ${policy}`, () => {
    test('deleting a token ends its descendants as the policy says', async () => {
      const { first, firstCaller, tokens, works } = await family(policy);
      assert.deepEqual(await works(), ALL);
      await tokens.remove(firstCaller, first.id);
      assert.deepEqual(await works(), after);
      const { read } = setting.store;
      const rows = [
        ...(await read.credentialsOf(setting.tenant.id, 'pat')),
        ...(await read.credentialsOf(setting.tenant.id, 'client')),
        ...(await read.credentialsOf(setting.tenant.id, 'key')),
      ];
      assert.deepEqual(
        rows.map(({ name }) => name).sort(),
        policy === 'strict' ? [] : ['client', 'key', 'second', 'third'],
      );
      const deleted = (await auditTrail(setting)).filter(({ technicalName }) =>
        String(technicalName).endsWith('_DELETE_PASSED'),
      );
      assert.equal(deleted.length, policy === 'strict' ? 5 : 1, 'one event for each');
    });

    test('shortening a token shortens its descendants as the policy says', async () => {
      const { first, firstCaller, tokens, works } = await family(policy);
      const expirationDate = new Date(setting.clock.now() + 60_000).toISOString();
      const patch = [{ op: 'replace', path: '/expirationDate', value: expirationDate }];
      await tokens.patch(firstCaller, first.id, patch);
      assert.deepEqual(await works(), ALL);
      setting.clock.pass(60);
      assert.deepEqual(await works(), after);
    });

    for (const action of ['disable', 'delete'] as const) {
      test(`"${action}" of a user ends the descendants of the user's tokens as the policy says`, async () => {
        const { works } = await family(policy);
        const { store, tenant, admin, clock } = setting;
        await addUser(setting, 'second.admin', ['ORG_ADMIN']);
        const change = { now: clock.now(), random: randomBytes, actor: LOCAL_OPERATOR, policy };
        await store.write((records) =>
          changeAuthUser(records, tenant.id, admin.id, action, change),
        );
        // None of the user's own tokens works; under `vendor` the client and the key belong to the
        // tenant.
        const isVendor = policy === 'vendor';
        assert.deepEqual(await works(), [false, false, isVendor, false, isVendor, isVendor]);
        const clients = await store.read.credentialsOf(tenant.id, 'client');
        assert.equal(clients.length, action === 'delete' && !isVendor ? 0 : 1);
      });
    }

    test('a token missing from the store ends its descendants as the policy says', async () => {
      const { first, works } = await family(policy);
      await setting.store.write((records) => records.deleteCredential(setting.tenant.id, first.id));
      assert.deepEqual(await works(), after);
    });
  });
}

test('the token of an external issuer creates nothing that outlives it', async () => {
  const { tokens, clients, keys } = cases;
  const own = await administrator(['sp:scopes:all']);
  const ends = setting.clock.now() + 3_600_000;
  const external = { ...own, personalTokenId: null, credentialEnds: ends };
  const date = new Date(ends).toISOString();
  assert.equal((await tokens.create(external, { name: 'n' })).expirationDate, date);
  assert.equal((await keys.create(external, { name: 'n' })).expires, date);
  const forbidden = withCode('forbidden', new RegExp(`at most ${date}`));
  await assert.rejects(clients.create(external, { name: 'n' }), forbidden);
  await assert.rejects(keys.create(external, { name: 'n', expires: IN_A_MONTH }), forbidden);
  const vendor = casesOf('vendor');
  await vendor.clients.create(external, { name: 'n' });
  assert.equal((await vendor.keys.create(external, { name: 'n' })).expires, null);
});

/** Introspects an access token with itself. */
const introspected = (authorization: string) =>
  setting.tokens.introspect({
    ...{ parameters: { token: authorization.slice('Bearer '.length) }, basic: null },
    ...{ bearer: authorization, origin: { address: '::1', requestId: 'r' } },
  });

const NARROWED = 'sp:search:read cardea:profiles:read';
const narrowing = [{ op: 'replace', path: '/scope', value: NARROWED.split(' ') }];

for (const policy of TOKEN_POLICIES) {
  test(`narrowing a token narrows its access tokens, policy ${policy}`, async () => {
    const { tokens } = casesOf(policy);
    const { id, secret } = await credentialsOf(setting, setting.admin, {});
    const early = await bearer(id, secret);
    const caller = await verify(early);
    assert.deepEqual(caller.scopes, ['sp:scopes:all']);
    await tokens.patch(caller, id, narrowing);
    assert.equal((await verify(early)).scopes.join(' '), NARROWED);
    assert.equal((await introspected(early))['scope'], NARROWED);
    const denied = tokens.patch(await verify(early), id, narrowing);
    await assert.rejects(denied, withCode('forbidden'));
  });

  test(`narrowing a token narrows its descendants, policy ${policy}`, async () => {
    const { tokens, clients, keys, check } = casesOf(policy);
    const { id, secret } = await credentialsOf(setting, setting.admin, {});
    const caller = await verify(await bearer(id, secret));
    const child = await tokens.create(caller, { name: 'child', scope: ['sp:scopes:all'] });
    const childBearer = await bearer(child.id, child.secret);
    const childCaller = await verify(childBearer);
    const grantTypes = ['CLIENT_CREDENTIALS', 'REFRESH_TOKEN'];
    const client = await clients.create(childCaller, { name: 'client', grantTypes });
    const clientBearer = await bearer(client.id, client.secret);
    const { apiKey } = await keys.create(childCaller, { name: 'key' });
    await tokens.patch(caller, id, narrowing);

    const isStrict = policy === 'strict';
    const expected = isStrict ? NARROWED : 'sp:scopes:all';
    for (const issued of [childBearer, clientBearer]) {
      assert.equal((await verify(issued)).scopes.join(' '), expected);
      assert.equal((await introspected(issued))['scope'], expected);
    }
    const key = await check.verify(apiKey);
    assert.deepEqual(key.scopes, [`cardea:profiles:${isStrict ? 'read' : 'manage'}`]);

    // Tokens issued from now on have the narrower scope in their claims.
    const credentials = { client_id: client.id, client_secret: client.secret };
    const grant = { ...credentials, grant_type: 'client_credentials' };
    const issued = await setting.tokens.issue(grant, null, '::1');
    assert.equal(issued['scope'], expected);
    const refresh = String(issued['refresh_token']);
    const described = await setting.tokens.introspect({
      ...{ parameters: { token: refresh, ...credentials }, basic: null, bearer: undefined },
      origin: { address: '::1', requestId: 'r' },
    });
    assert.equal(described['scope'], expected);
    const again = { ...credentials, grant_type: 'refresh_token', refresh_token: refresh };
    assert.equal((await setting.tokens.issue(again, null, '::1'))['scope'], expected);
  });
}

test('an API key allows nothing once its parent has lost the scopes', async () => {
  const { id, secret } = await credentialsOf(setting, setting.admin, {});
  const caller = await verify(await bearer(id, secret));
  const { apiKey } = await cases.keys.create(caller, { name: 'key' });
  const value = ['sp:search:read'];
  await cases.tokens.patch(caller, id, [{ op: 'replace', path: '/scope', value }]);
  assert.deepEqual((await cases.check.verify(apiKey)).scopes, []);
});

for (const action of ['disable', 'delete'] as const) {
  test(`a key made with a token of another issuer is rejected after its owner's "${action}", unless the policy is vendor`, async () => {
    const own = await administrator(['sp:scopes:all']);
    const ends = setting.clock.now() + 3_600_000;
    const external = { ...own, personalTokenId: null, credentialEnds: ends };
    const { apiKey } = await cases.keys.create(external, { name: 'n' });
    const vendor = casesOf('vendor').check;
    await cases.check.verify(apiKey);
    await addUser(setting, 'second.admin', ['ORG_ADMIN']);
    const { store, tenant, admin, clock } = setting;
    const change = { now: clock.now(), random: randomBytes, actor: LOCAL_OPERATOR };
    const perform = (policy: TokenPolicy) =>
      store.write((records) =>
        changeAuthUser(records, tenant.id, admin.id, action, { ...change, policy }),
      );
    await perform('vendor');
    await assert.rejects(cases.check.verify(apiKey), { code: 'token_invalid', message: /owner/ });
    assert.equal((await vendor.verify(apiKey)).tenantId, tenant.id);
  });
}

test('an unknown user cannot create a key, unless the policy is vendor', async () => {
  const own = await administrator(['sp:scopes:all']);
  const credentialEnds = setting.clock.now() + 3_600_000;
  const ghost = { ...own, identityId: 'ghost', personalTokenId: null, credentialEnds };
  const refused = cases.keys.create(ghost, { name: 'n' });
  await assert.rejects(refused, withCode('forbidden', /auth-users/));
  const vendor = casesOf('vendor');
  const { apiKey } = await vendor.keys.create(ghost, { name: 'n' });
  assert.equal((await vendor.check.verify(apiKey)).tenantId, setting.tenant.id);
  await assert.rejects(cases.check.verify(apiKey), { code: 'token_invalid' });
});

const KEYS: readonly (readonly [
  scopes: string[],
  requested: string | undefined,
  strict: 'read' | 'manage' | 'forbidden',
  vendor: 'read' | 'manage',
])[] = [
  [['sp:scopes:all'], undefined, 'manage', 'manage'],
  [['cardea:admin:manage', 'cardea:profiles:manage'], undefined, 'manage', 'manage'],
  [['cardea:admin:manage', 'cardea:profiles:manage'], 'read', 'read', 'read'],
  [['cardea:admin:manage', 'cardea:profiles:read'], undefined, 'read', 'manage'],
  [['cardea:admin:manage', 'cardea:profiles:read'], 'manage', 'forbidden', 'manage'],
  [['cardea:admin:manage'], undefined, 'forbidden', 'manage'],
  [['cardea:admin:manage'], 'read', 'forbidden', 'read'],
];
for (const [scopes, requested, strict, vendor] of KEYS) {
  test(`a token with ${scopes} creates a key of scope ${requested}: ${strict}, or ${vendor}`, async () => {
    const caller = await administrator(scopes);
    const body = { name: 'n', ...(requested === undefined ? {} : { scope: requested }) };
    const created = cases.keys.create(caller, body);
    if (strict === 'forbidden') await assert.rejects(created, withCode('forbidden', /profiles:/));
    else assert.equal((await created).scope, strict);
    assert.equal((await casesOf('vendor').keys.create(caller, body)).scope, vendor);
  });
}

test('rejects an expired key, and updates the last use once a day', async () => {
  const caller = await administrator(['sp:scopes:all']);
  const { keys, check } = cases;
  const expires = new Date(setting.clock.now() + 3 * 86_400_000).toISOString();
  const { apiKey } = await keys.create(caller, { name: 'n', expires });
  const lastUsed = async () => (await keys.list(caller)).items[0]?.lastUsed;
  assert.equal(await lastUsed(), null);
  await Promise.all([check.verify(apiKey), check.verify(apiKey)]);
  assert.equal(await lastUsed(), '2026-03-01T12:00:00.000Z');
  setting.clock.pass(86_399);
  await check.verify(apiKey);
  assert.equal(await lastUsed(), '2026-03-01T12:00:00.000Z');
  setting.clock.pass(1);
  await check.verify(apiKey);
  assert.equal(await lastUsed(), '2026-03-02T12:00:00.000Z');
  setting.clock.pass(2 * 86_400);
  await assert.rejects(check.verify(apiKey), { code: 'token_invalid' });
});

test('a key works while the store is read-only', async () => {
  const caller = await administrator(['sp:scopes:all']);
  const { apiKey } = await cases.keys.create(caller, { name: 'n' });
  const store = new ForwardingStore(setting.store, {
    write: () => Promise.reject(new ServiceError('unavailable', 'The disk is full.')),
  });
  const { tenantId } = await new ApiKeyCheck(store, { clock: setting.clock }).verify(apiKey);
  assert.equal(tenantId, setting.tenant.id);
});

test('limits credentials created by a user without levels too', async () => {
  const ada = await addUser(setting, 'ada', []);
  const { id, secret } = await credentialsOf(setting, ada, { scope: [MANAGE] });
  const caller = await verify(await bearer(id, secret));
  const wide = cases.tokens.create(caller, { name: 'n', scope: ['sp:scopes:all'] });
  await assert.rejects(wide, withCode('forbidden'));
});
