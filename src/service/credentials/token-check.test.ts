// Tokens that must be rejected (docs: what it withstands, lines 1 to 4 and 9): forged, malformed,
// expired, for another audience, of an unknown issuer; and tokens of external issuers that are
// accepted.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { before, test } from 'node:test';
import {
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type CryptoKey as JoseKey,
  type JWK,
  SignJWT,
} from 'jose';
import {
  addUser,
  credentialsOf,
  type TestTenant,
  testTenant,
} from '../../../test/support/tenant.ts';
import type { Caller } from '../../auth/caller.ts';
import { ExternalIssuers } from '../../auth/external-issuers.ts';
import { signToken } from '../../auth/jwt.ts';
import { ServiceError } from '../../errors.ts';
import { createTenant } from '../accounts/provisioning.ts';
import { byOperator } from '../audit/operator-event.ts';
import { createCredential } from './credentials.ts';
import { SigningKeys } from './signing-keys.ts';
import { TokenService } from './tokens.ts';

const ISSUER = 'https://idp.test';
let setting: TestTenant;
let tokens: TokenService;
let idpKey: JoseKey;
let idpJwk: JWK;
let own: string;
let fetches = 0;

before(async () => {
  setting = await testTenant();
  const pair = await generateKeyPair('ES256', { extractable: true });
  idpKey = pair.privateKey;
  idpJwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1' };
  const config = {
    issuer: ISSUER,
    jwksUrl: 'https://idp.test/keys',
    audience: ['us'],
    tenants: ['acme', 'ghost'],
    claims: { identity: 'sub' },
    levels: { auditors: ['CERT_ADMIN', 'REPORT_ADMIN'], reporters: ['REPORT_ADMIN'] },
    maxTokenAgeSeconds: 3_600,
  };
  const fetchJson = async () => {
    fetches++;
    return { keys: [idpJwk] };
  };
  tokens = new TokenService(setting.store, {
    clock: setting.clock,
    externalIssuers: new ExternalIssuers([config], fetchJson, setting.clock),
  });
  const { parameters } = await credentialsOf(setting, setting.admin);
  own = String((await tokens.issue(parameters, null, '::1'))['access_token']);
});

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

const claims = () => ({
  iss: ISSUER,
  aud: 'us',
  iat: Math.floor(setting.clock.now() / 1000),
  exp: Math.floor(setting.clock.now() / 1000) + 600,
  sub: 'stranger',
  tenant_id: setting.tenant.id,
  scope: 'sp:search:read sp:auth-user:read',
  authorities: ['auditors'],
});

function external(changes: object = {}, header: object = {}): Promise<string> {
  const payload = Object.fromEntries(
    Object.entries({ ...claims(), ...changes }).filter(([, value]) => value !== undefined),
  );
  return new SignJWT(payload)
    .setProtectedHeader({ alg: 'ES256', kid: 'k1', ...header })
    .sign(idpKey, { crit: { x: true } } as never);
}

const verify = (token: string): Promise<Caller> => tokens.verify(`Bearer ${token}`);

async function refuses(token: string, reason: RegExp): Promise<void> {
  await assert.rejects(verify(token), (error: unknown) => {
    assert.ok(error instanceof ServiceError, String(error));
    assert.equal(error.code, 'token_invalid');
    assert.match(error.message, /^JWT validation failed: /);
    assert.match(error.message, reason);
    return true;
  });
}

for (const garbage of [
  ...['x', 'a.b', 'a.b.c', 'a.b.c.d', '..', 'e30.e30.e30', `${'a'.repeat(20_000)}.b.c`],
  ...['bnVsbA.bnVsbA.x', 'W10.W10.x', '%00.%00.%00'],
]) {
  test(`rejects ${garbage.slice(0, 30)}`, () => refuses(garbage, /./));
}

test('rejects tokens whose headers choose their own key, without fetching anything', async () => {
  const [header = '', payload = '', signature = ''] = own.split('.');
  const decoded = JSON.parse(Buffer.from(header, 'base64url').toString());
  const before = fetches;
  const unsigned = part({ alg: 'none' });
  await refuses(`${unsigned}.${payload}.`, /not a signed JWT/);
  await refuses(`${unsigned}.${payload}.${signature}`, /algorithm/);
  await refuses(`${part({ ...decoded, alg: 'NONE' })}.${payload}.${signature}`, /algorithm/);
  for (const extra of [
    { crit: ['exp'] },
    { jku: 'https://evil.test/keys' },
    { jwk: idpJwk },
    { x5u: 'https://evil.test/cert' },
    { x5c: ['MIIB'] },
    { b64: false },
  ]) {
    const name = Object.keys(extra)[0] ?? '';
    await refuses(`${part({ ...decoded, ...extra })}.${payload}.${signature}`, new RegExp(name));
  }
  for (const kid of ['../../etc/passwd', "' OR '1'='1", 'unknown', '__proto__', '']) {
    await refuses(`${part({ ...decoded, kid })}.${payload}.${signature}`, /key is unknown/);
  }
  for (const kid of [5, null, {}, 'x'.repeat(1000)]) {
    await refuses(`${part({ ...decoded, kid })}.${payload}.${signature}`, /key id|not a signed/);
  }
  await refuses(`${part({ alg: 'ES256' })}.${payload}.${signature}`, /key is unknown/);
  for (const typ of ['dpop+jwt', 5, null, { toString: 1 }, ['JWT']]) {
    await refuses(`${part({ ...decoded, typ })}.${payload}.${signature}`, /type/);
  }
  assert.equal(fetches, before);
});

test('rejects a token signed with the public key as shared secret', async () => {
  const { keys } = await tokens.jwks();
  const published = keys[0] as JWK;
  const { publicKey } = await generateKeyPair('ES256', { extractable: true });
  const payload = own.split('.')[1];
  for (const secret of [JSON.stringify(published), await exportSPKI(publicKey)]) {
    const head = `${part({ alg: 'HS256', typ: 'JWT', kid: published.kid })}.${payload}`;
    const mac = createHmac('sha256', secret).update(head).digest('base64url');
    await refuses(`${head}.${mac}`, /algorithm/);
  }
});

test('rejects a changed payload or signature', async () => {
  const [header = '', payload = '', signature = ''] = own.split('.');
  const decoded = JSON.parse(Buffer.from(payload, 'base64url').toString());
  await refuses(`${header}.${part({ ...decoded, authorities: [] })}.${signature}`, /signature/);
  const flipped = signature.startsWith('A') ? 'B' : 'A';
  await refuses(`${header}.${payload}.${flipped}${signature.slice(1)}`, /signature/);
  await verify(own);
});

test('rejects a token of another issuer that claims our issuer name', async () => {
  await refuses(await external({ iss: 'cardea', aud: 'cardea' }), /key is unknown/);
});

const soon = () => Math.floor(setting.clock.now() / 1000);
const WRONG: readonly (readonly [name: string, changes: () => object, reason: RegExp])[] = [
  ['no exp', () => ({ exp: undefined }), /claim exp/],
  ['exp as a string', () => ({ exp: String(soon() + 600) }), /claim exp/],
  ['exp in the past', () => ({ exp: soon() - 31 }), /^JWT validation failed: JWT is expired$/],
  ['no iat', () => ({ iat: undefined }), /claim iat/],
  ['iat as a string', () => ({ iat: 'now' }), /claim iat/],
  ['iat in the future', () => ({ iat: soon() + 60 }), /claim iat/],
  [
    'an exp in the year 9999 and an iat over the maximum age',
    () => ({ iat: soon() - 3_631, exp: 253_370_764_800 }),
    /^JWT validation failed: JWT is expired$/,
  ],
  ['nbf in the future', () => ({ nbf: soon() + 60 }), /not valid yet/],
  ['nbf as a string', () => ({ nbf: 'now' }), /claim nbf/],
  ['no aud', () => ({ aud: undefined }), /claim aud/],
  ['the aud of another service', () => ({ aud: 'them' }), /claim aud/],
  ['an aud array without ours', () => ({ aud: ['them', 'others'] }), /claim aud/],
  ['no iss', () => ({ iss: undefined }), /claim iss/],
  ['an unknown iss', () => ({ iss: 'https://evil.test' }), /issuer is unknown/],
  ['an iss that differs by a slash', () => ({ iss: `${ISSUER}/` }), /issuer is unknown/],
  ['no tenant', () => ({ tenant_id: undefined }), /tenant_id/],
  ['a tenant that is a number', () => ({ tenant_id: 5 }), /tenant_id/],
  ['no identity', () => ({ sub: undefined }), /the claim sub is missing or wrong/],
  ['an empty identity', () => ({ sub: '' }), /the claim sub is missing or wrong/],
  ['NUL in the identity', () => ({ sub: 'stranger\0' }), /the claim sub is missing or wrong/],
  [
    'an identity that no request could name',
    () => ({ sub: 'x'.repeat(257) }),
    /claim sub is no id/,
  ],
  ['a line break in the identity', () => ({ sub: 'a\nb' }), /claim sub is no id/],
  ['an identity that paths resolve', () => ({ sub: '..' }), /claim sub is no id/],
  ['NUL in the tenant', () => ({ tenant_id: '\0' }), /the claim tenant_id is missing or wrong/],
  ['a tenant that does not exist', () => ({ tenant_id: 'ghost' }), /tenant is unknown/],
];

for (const [name, changes, reason] of WRONG) {
  test(`rejects an external token with ${name}`, async () => {
    await refuses(await external(changes()), reason);
  });
}

test('never creates a tenant that an external token names', async () => {
  await refuses(await external({ tenant_id: 'ghost' }), /tenant is unknown/);
  assert.equal((await setting.store.read.tenants()).length, 1);
});

test('accepts an issuer only for its configured tenants', async () => {
  const other = await createTenant(setting.store, { name: 'other' }, byOperator(setting.clock));
  await refuses(await external({ tenant_id: other.id }), /does not speak/);
});

test('an external token of an unknown user has the levels mapped for its issuer', async () => {
  const caller = await verify(await external());
  assert.equal(caller.tenantId, setting.tenant.id);
  assert.equal(caller.identityId, 'stranger');
  assert.deepEqual(caller.scopes, ['sp:search:read', 'sp:auth-user:read']);
  assert.deepEqual(caller.capabilities, ['CERT_ADMIN', 'REPORT_ADMIN']);
});

const AUTHORITIES: readonly (readonly [claimed: unknown, levels: string[]])[] = [
  [['ORG_ADMIN'], []],
  [['CERT_ADMIN', 'reporters', 'unknown'], ['REPORT_ADMIN']],
  [
    ['reporters', 'auditors'],
    ['REPORT_ADMIN', 'CERT_ADMIN'],
  ],
  ['reporters ORG_ADMIN', ['REPORT_ADMIN']],
  [['__proto__', 'constructor', 'toString'], []],
  [{ ORG_ADMIN: true }, []],
  [undefined, []],
];
for (const [authorities, levels] of AUTHORITIES) {
  test(`maps authorities ${JSON.stringify(authorities)} of an unknown user to "${levels}"`, async () => {
    assert.deepEqual((await verify(await external({ authorities }))).capabilities, levels);
  });
}

/** A service that trusts the issuer by an entry with these members, without `levels`. */
function trusting(members: { claims: { identity: string }; clients?: boolean }): TokenService {
  const config = { issuer: ISSUER, jwksUrl: 'https://idp.test/keys', audience: ['us'] };
  const issuers = [{ ...config, tenants: ['acme'], ...members }];
  const fetchJson = async () => ({ keys: [idpJwk] });
  const { store, clock } = setting;
  const externalIssuers = new ExternalIssuers(issuers, fetchJson, clock);
  return new TokenService(store, { clock, externalIssuers });
}

test('without a mapping an unknown user has no levels, whatever the token says', async () => {
  const service = trusting({ claims: { identity: 'sub' } });
  const token = await external({ authorities: ['ORG_ADMIN', 'auditors'] });
  assert.deepEqual((await service.verify(`Bearer ${token}`)).capabilities, []);
});

test('accepts an external token until its maximum age, even when cached', async () => {
  const token = await external({ exp: 253_370_764_800 });
  const { credentialEnds } = await verify(token);
  assert.equal(credentialEnds, (soon() + 3_600) * 1000);
  setting.clock.pass(3_600);
  await verify(token);
  setting.clock.pass(31);
  await refuses(token, /^JWT validation failed: JWT is expired$/);
});

test('an external token of a known user has the stored levels', async () => {
  const ada = await addUser(setting, 'ada', ['HELPDESK']);
  const caller = await verify(await external({ sub: ada.id, authorities: ['ORG_ADMIN'] }));
  assert.deepEqual(caller.capabilities, ['HELPDESK']);
});

test('an external token without an identity is that of a client only if the entry says so', async () => {
  const service = trusting({ claims: { identity: 'person' }, clients: true });
  const caller = await service.verify(`Bearer ${await external()}`);
  assert.equal(caller.identityId, null);
  assert.deepEqual(caller.capabilities, []);
  // The provider has no value for this person.
  for (const person of [null, '', 7, ['a'], {}]) {
    await assert.rejects(service.verify(`Bearer ${await external({ person })}`), {
      code: 'token_invalid',
      message: /the claim person is missing or wrong/,
    });
  }
  const unnameable = `Bearer ${await external({ client_id: 'x'.repeat(257) })}`;
  await assert.rejects(service.verify(unnameable), { message: /the claim client_id is no id/ });
  const ofPerson = await service.verify(`Bearer ${await external({ person: 'stranger' })}`);
  assert.equal(ofPerson.identityId, 'stranger');
});

test('accepts several audiences, a tenant by name, and a small clock skew', async () => {
  await verify(await external({ aud: ['them', 'us'] }));
  await verify(await external({ tenant_id: 'acme' }));
  await verify(await external({ exp: soon() - 20, nbf: soon() + 20 }));
  await verify(await external({}, { typ: 'at+jwt' }));
});

test('rejects a token that names another tenant than its credential', async () => {
  const { store, clock, tenant, admin, tokens } = await testTenant();
  const other = await createTenant(store, { name: 'other' }, byOperator(clock));
  // The same user id in both, so that only the credential tells the tenants apart.
  await store.write((records) => records.putAuthUsers(other.id, [admin]));
  const pat = await credentialsOf({ store, clock, tenant, admin, tokens }, admin);
  const { credential: client, secret } = await createCredential(store, tenant.id, 'client', {
    name: 'robot',
    scope: [],
  });
  const ofClient = {
    grant_type: 'client_credentials',
    client_id: client.id,
    client_secret: secret,
  };
  const { kid, key } = await new SigningKeys(store, clock).active();
  for (const parameters of [pat.parameters, ofClient]) {
    const issued = String((await tokens.issue(parameters, null, '::1'))['access_token']);
    const [, payload = ''] = issued.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const signed = (tenantId: string) =>
      signToken({ ...claims, jti: 'forged', tenant_id: tenantId }, kid, key);
    const caller = await tokens.verify(`Bearer ${await signed(tenant.id)}`);
    assert.equal(caller.tenantId, tenant.id);
    await assert.rejects(tokens.verify(`Bearer ${await signed(other.id)}`), {
      code: 'token_invalid',
      message: /the credential behind the token was revoked/,
    });
  }
});
