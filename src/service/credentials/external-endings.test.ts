// How tokens of other issuers end before their expiry: by revocation, whoever writes their signature how, and with their person.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { exportJWK, generateKeyPair, type CryptoKey as JoseKey, SignJWT } from 'jose';
import {
  addUser,
  callerOf,
  credentialsOf,
  type TestTenant,
  testTenant,
} from '../../../test/support/tenant.ts';
import { ExternalIssuers } from '../../auth/external-issuers.ts';
import { CLOCK_SKEW_SECONDS } from '../../auth/jwt.ts';
import type { ServiceError } from '../../errors.ts';
import { AuthUserAdministration } from '../accounts/auth-user-administration.ts';
import { TokenService } from './tokens.ts';

const ISSUER = 'https://idp.test';
/** Seconds after which an issuer signs tokens that an ending before does not concern, whatever its clock. */
const AFTER = CLOCK_SKEW_SECONDS + 1;
const ORIGIN = { address: '::1', requestId: 'r' };
/** The order of the curve P-256. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

let setting: TestTenant;
let tokens: TokenService;
let key: JoseKey;
let administration: AuthUserAdministration;
let administrator: string;

before(async () => {
  setting = await testTenant();
  const pair = await generateKeyPair('ES256');
  key = pair.privateKey;
  const keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'k' }];
  const issuer = {
    ...{ issuer: ISSUER, jwksUrl: 'https://idp.test/keys', audience: ['us'], tenants: ['acme'] },
    levels: { admins: ['ORG_ADMIN'] },
  };
  const { store, clock } = setting;
  const externalIssuers = new ExternalIssuers([issuer], async () => ({ keys }), clock);
  tokens = new TokenService(store, { clock, externalIssuers });
  administration = new AuthUserAdministration(store, {
    ...{ clock, tokenClock: clock, externalIssuers },
  });
  const { parameters } = await credentialsOf(setting, setting.admin);
  const { access_token } = await tokens.issue(parameters, null, '::1');
  administrator = `Bearer ${access_token}`;
});

function signed(identity: string | undefined, claims: object = {}): Promise<string> {
  const now = Math.floor(setting.clock.now() / 1000);
  return new SignJWT({
    ...{ iss: ISSUER, aud: 'us', iat: now, exp: now + 600, tenant_id: 'acme' },
    ...{ identity_id: identity, scope: 'sp:search:read', authorities: ['admins'], ...claims },
  })
    .setProtectedHeader({ alg: 'ES256', kid: 'k' })
    .sign(key);
}

const levelsOf = async (token: string) => (await tokens.verify(`Bearer ${token}`)).capabilities;
const refused = (token: string) =>
  assert.rejects(tokens.verify(`Bearer ${token}`), { code: 'token_invalid' });
const request = (token: string) => ({
  ...{ parameters: { token }, basic: null, bearer: administrator, origin: ORIGIN },
});

/** The same token with other texts for its signature. */
function spellings(token: string): string[] {
  const [header, payload, signature = ''] = token.split('.');
  const bytes = Buffer.from(signature, 'base64url');
  const s = BigInt(`0x${bytes.subarray(32).toString('hex')}`);
  const other = Buffer.from((ORDER - s).toString(16).padStart(64, '0'), 'hex');
  const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  // The last character has four bits that no byte uses.
  const next = last[last.indexOf(signature.at(-1) ?? '') ^ 1] ?? '';
  return [
    `${header}.${payload}.${signature.slice(0, -1)}${next}`,
    `${header}.${payload}.${Buffer.concat([bytes.subarray(0, 32), other]).toString('base64url')}`,
  ];
}

test('a revoked token of another issuer is refused, however its signature is written', async () => {
  const token = await signed('stranger');
  const [respelt = '', mirrored = ''] = spellings(token);
  // Both are accepted before: whoever has the token can write them.
  assert.deepEqual(await levelsOf(respelt), ['ORG_ADMIN']);
  assert.deepEqual(await levelsOf(mirrored), ['ORG_ADMIN']);
  await tokens.revoke(request(mirrored));
  for (const each of [token, respelt, mirrored]) await refused(each);
  assert.deepEqual(await levelsOf(await signed('stranger', { jti: 'new' })), ['ORG_ADMIN']);
});

test('revoking a token leaves those alone that have the same jti', async () => {
  const [one, other] = [await signed('a', { jti: 'same' }), await signed('b', { jti: 'same' })];
  await tokens.revoke(request(one));
  await refused(one);
  assert.deepEqual(await levelsOf(other), ['ORG_ADMIN']);
});

test('introspection describes a token of another issuer to administrators, and to no client', async () => {
  const token = await signed('stranger', { user_name: 'sam', client_id: 'app' });
  const { iat, exp, jti, tenant_id, ...described } = await tokens.introspect(request(token));
  assert.deepEqual(described, {
    ...{ active: true, token_type: 'bearer', scope: 'sp:search:read', client_id: 'app' },
    ...{ username: 'sam', sub: 'stranger', iss: ISSUER },
  });
  const { parameters } = await credentialsOf(setting, setting.admin, { name: 'app' });
  const byClient = { parameters: { ...parameters, token }, basic: null, bearer: undefined };
  const inactive = { active: false };
  assert.deepEqual(await tokens.introspect({ ...byClient, origin: ORIGIN }), inactive);
  await tokens.revoke(request(token));
  assert.deepEqual(await tokens.introspect(request(token)), inactive);
});

test('deleting a user ends the tokens that other issuers signed before, also if it is created anew', async () => {
  const ada = await addUser(setting, 'ada', ['HELPDESK']);
  const token = await signed(ada.id);
  assert.deepEqual(await levelsOf(token), ['HELPDESK']);
  await administration.remove(callerOf(setting.tenant, setting.admin), ada.id);
  await refused(token);
  await addUser(setting, 'ada', ['HELPDESK']);
  await refused(token);
  setting.clock.pass(AFTER);
  assert.deepEqual(await levelsOf(await signed(ada.id)), ['HELPDESK']);
});

test('a person who is no auth user can be signed out, disabled and enabled', async () => {
  const admin = callerOf(setting.tenant, setting.admin);
  const before = await signed('sam');
  await administration.signOut(admin, 'sam');
  await refused(before);
  setting.clock.pass(AFTER);
  const later = await signed('sam');
  assert.deepEqual(await levelsOf(later), ['ORG_ADMIN']);
  const disabled = await administration.patch(admin, 'sam', { enabled: false });
  assert.deepEqual([disabled.id, disabled.enabled, 'uid' in disabled], ['sam', false, false]);
  setting.clock.pass(AFTER);
  await refused(await signed('sam'));
  assert.equal((await administration.get(admin, 'sam')).enabled, false);
  await administration.patch(admin, 'sam', { enabled: true });
  await refused(later);
  assert.deepEqual(await levelsOf(await signed('sam')), ['ORG_ADMIN']);
});

const ENDINGS: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
  'sign-out': (id) => administration.signOut(callerOf(setting.tenant, setting.admin), id),
  async disabling(id) {
    const admin = callerOf(setting.tenant, setting.admin);
    await administration.patch(admin, id, { enabled: false });
    await administration.patch(admin, id, { enabled: true });
  },
};
for (const [name, end] of Object.entries(ENDINGS)) {
  for (const isStored of [true, false]) {
    test(`${name} ends tokens of a clock that is ahead, of ${isStored ? 'an auth user' : 'a stranger'}`, async () => {
      const id = `${name}-${isStored}`;
      const person = isStored ? (await addUser(setting, id, [])).id : id;
      const iat = Math.floor(setting.clock.now() / 1000);
      const held: string[] = [];
      for (const ahead of [0, 1, CLOCK_SKEW_SECONDS]) {
        held.push(await signed(person, { iat: iat + ahead }));
      }
      for (const token of held) await levelsOf(token);
      await end(person);
      for (const token of held) await refused(token);
      setting.clock.pass(AFTER);
      for (const token of held) await refused(token);
      await levelsOf(await signed(person));
    });
  }
}

test('the login of an auth user is refused in the place of its id', async () => {
  const admin = callerOf(setting.tenant, setting.admin);
  for (const call of [
    () => administration.signOut(admin, 'root'),
    () => administration.patch(admin, 'root', { enabled: false }),
  ]) {
    await assert.rejects(call, (error: ServiceError) => {
      const { causes } = error.details;
      assert.equal(error.code, 'not_found');
      assert.deepEqual(causes, [
        `"root" is the login of the auth user ${setting.admin.id}: use that id`,
      ]);
      return true;
    });
  }
});

test('without an issuer for the tenant an unknown person is not found', async () => {
  const alone = new AuthUserAdministration(setting.store, { clock: setting.clock });
  const admin = callerOf(setting.tenant, setting.admin);
  for (const call of [
    () => alone.signOut(admin, 'nobody'),
    () => alone.patch(admin, 'nobody', { enabled: false }),
    () => alone.get(admin, 'sam'),
  ]) {
    await assert.rejects(call, { code: 'not_found' });
  }
});
