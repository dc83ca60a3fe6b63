// Revocation of tokens that are not accepted when they are revoked, but may be later; and how tokens of clients of other issuers
// end.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { exportJWK, generateKeyPair, type CryptoKey as JoseKey, type JWK, SignJWT } from 'jose';
import {
  addUser,
  callerOf,
  credentialsOf,
  type TestTenant,
  testTenant,
} from '../../../test/support/tenant.ts';
import { ExternalIssuers } from '../../auth/external-issuers.ts';
import { AuthUserAdministration } from '../accounts/auth-user-administration.ts';
import type { AuthUser } from '../ports/auth-user.ts';
import { nextValidFrom } from './credential-bounds.ts';
import { Credentials } from './credentials.ts';
import { TokenService } from './tokens.ts';

const ISSUER = 'https://idp.test';
const ORIGIN = { address: '::1', requestId: 'r' };

let setting: TestTenant;
let tokens: TokenService;
let key: JoseKey;
let published: JWK[];
let administration: AuthUserAdministration;
let administrator: string;

beforeEach(async () => {
  setting = await testTenant();
  const { store, clock, admin } = setting;
  const pair = await generateKeyPair('ES256');
  key = pair.privateKey;
  published = [{ ...(await exportJWK(pair.publicKey)), kid: 'k' }];
  const issuer = {
    ...{ issuer: ISSUER, jwksUrl: 'https://idp.test/keys', audience: ['us'], tenants: ['acme'] },
    clients: true,
  };
  const externalIssuers = new ExternalIssuers([issuer], async () => ({ keys: published }), clock);
  tokens = new TokenService(store, { clock, externalIssuers });
  administration = new AuthUserAdministration(store, {
    ...{ clock, tokenClock: clock, externalIssuers },
  });
  const { parameters } = await credentialsOf(setting, admin);
  administrator = `Bearer ${(await tokens.issue(parameters, null, '::1'))['access_token']}`;
});

const now = () => Math.floor(setting.clock.now() / 1000);

function signed(claims: object): Promise<string> {
  return new SignJWT({
    ...{ iss: ISSUER, aud: 'us', iat: now(), exp: now() + 600, tenant_id: 'acme' },
    ...{ scope: 'sp:search:read', ...claims },
  })
    .setProtectedHeader({ alg: 'ES256', kid: 'k' })
    .sign(key);
}

const accepted = (token: string) => tokens.verify(`Bearer ${token}`);
const refused = (token: string) => assert.rejects(accepted(token), { code: 'token_invalid' });
const revoke = (token: string) =>
  tokens.revoke({ parameters: { token }, basic: null, bearer: administrator, origin: ORIGIN });

for (const claim of ['nbf', 'iat'] as const) {
  test(`a token that is revoked before its ${claim} never becomes valid`, async () => {
    const claims = { identity_id: 'stranger', [claim]: now() + 120 };
    const [revoked, other] = [await signed(claims), await signed({ ...claims, jti: 'other' })];
    await refused(revoked);
    await revoke(revoked);
    setting.clock.pass(121);
    await refused(revoked);
    await accepted(other);
  });
}

test('revoking a token whose key is not known now says so, and works once it is known', async () => {
  const token = await signed({ identity_id: 'stranger' });
  const keys = published;
  published = [];
  await assert.rejects(revoke(token), { code: 'unavailable' });
  published = keys;
  setting.clock.pass(31);
  await accepted(token);
  await revoke(token);
  await refused(token);
});

test('a token that was revoked after its credential had expired stays revoked when that ends later', async () => {
  const { store, clock, tenant } = setting;
  const ada = await addUser(setting, 'ada', []);
  const pats = new Credentials('pat', store, { clock });
  const ends = (seconds: number) => new Date(clock.now() + seconds * 1000).toISOString();
  const { parameters } = await credentialsOf(setting, ada);
  const caller = callerOf(tenant, ada);
  const { id, secret } = await pats.create(caller, { name: 'short', expirationDate: ends(60) });
  const issued = await tokens.issue(
    { ...parameters, client_id: id, client_secret: secret },
    null,
    '::1',
  );
  const token = String(issued['access_token']);
  await accepted(token);
  clock.pass(61);
  await revoke(token);
  await store.write(async (records) => {
    const token = (await records.credentialById(id)) ?? assert.fail();
    await records.updateCredential(tenant.id, { ...token, expires: ends(600) });
  });
  await refused(token);
});

test('a client of another issuer is disabled and signed out by its id', async () => {
  const { clock, admin, tenant } = setting;
  const caller = callerOf(tenant, admin);
  const token = await signed({ client_id: 'robot' });
  const ofPerson = await signed({ client_id: 'robot', identity_id: 'stranger' });
  assert.equal((await accepted(token)).identityId, null);
  await administration.patch(caller, 'robot', { enabled: false });
  await refused(token);
  await accepted(ofPerson);
  await administration.patch(caller, 'robot', { enabled: true });
  await refused(token);
  clock.pass(31);
  const next = await signed({ client_id: 'robot' });
  await accepted(next);
  await administration.signOut(caller, 'robot');
  await refused(next);
});

test('a sign-out ends the tokens that were issued while it waited to be stored', async () => {
  const { clock, store, admin, tenant } = setting;
  let token = '';
  const earlier = store.write(async () => {
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    clock.pass(5);
    token = await signed({ identity_id: 'stranger' });
    await accepted(token);
  });
  await Promise.all([earlier, administration.signOut(callerOf(tenant, admin), 'stranger')]);
  await refused(token);
});

const KINDS: Readonly<
  Record<
    string,
    (
      ada: AuthUser,
    ) => Promise<{ parameters: Record<string, string>; granted: 'access_token' | 'refresh_token' }>
  >
> = {
  'a personal access token': async (ada) => {
    const { parameters } = await credentialsOf(setting, ada);
    return { parameters, granted: 'access_token' };
  },
  'an API client of the user': async (ada) => ({
    parameters: await clientOf(ada),
    granted: 'access_token',
  }),
  'an API client of the user with a refresh token': async (ada) => ({
    parameters: await clientOf(ada),
    granted: 'refresh_token',
  }),
};

/** The parameters of a token request of an API client that was made with a token of the user. */
async function clientOf(ada: AuthUser): Promise<Record<string, string>> {
  const { store, clock, tenant } = setting;
  const { id: personalTokenId } = await credentialsOf(setting, ada);
  const caller = { ...callerOf(tenant, ada), personalTokenId };
  const { id, secret } = await new Credentials('client', store, { clock }).create(caller, {
    ...{ name: 'client', grantTypes: ['CLIENT_CREDENTIALS', 'REFRESH_TOKEN'] },
  });
  return { grant_type: 'client_credentials', client_id: id, client_secret: secret ?? '' };
}

for (const [kind, credential] of Object.entries(KINDS)) {
  test(`a sign-out ends what is granted while it is stored, to ${kind}`, async () => {
    const { clock, store, tenant, admin } = setting;
    const ada = await addUser(setting, 'ada', ['ORG_ADMIN']);
    const { parameters, granted } = await credential(ada);
    const passing = (seconds: number) =>
      store.write(async () => {
        for (let turn = 0; turn < 20; turn += 1) await setImmediate();
        clock.pass(seconds);
      });
    // The grant reads what is stored while the sign-out waits, and is stored after it.
    const writes = [
      passing(0),
      administration.signOut(callerOf(tenant, admin), ada.id),
      passing(5),
    ];
    const issued = await tokens.issue(parameters, null, '::1');
    await Promise.all(writes);
    if (granted === 'access_token') return refused(String(issued[granted]));
    const refresh = { ...parameters, grant_type: granted, refresh_token: String(issued[granted]) };
    await assert.rejects(tokens.issue(refresh, null, '::1'), { code: 'oauth_invalid_grant' });
  });
}

test('sign-outs never end what is granted after the next second, and go back to no earlier time', () => {
  const now = 1_000_400;
  for (const [tokensValidFrom, expected] of [
    [0, 1_001],
    [1_000, 1_001],
    [1_001, 1_001],
    // A clock was set back: tokens of that second may have been issued.
    [5_000, 5_001],
  ] as const) {
    assert.equal(nextValidFrom({ tokensValidFrom }, { now }), expected);
  }
});
