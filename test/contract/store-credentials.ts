// The part of the contract of stores about tokens, clients and their revocation.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type {
  Credential,
  CredentialKind,
  OAuthClient,
  PersonalAccessToken,
  Tenant,
} from '../../src/service/ports/store.ts';
import {
  ACME,
  accessToken,
  apiClient,
  apiKey,
  authUser,
  type OpenStore,
  OTHER,
  plain,
  refreshToken,
  withStore,
} from './store-records.ts';

/** States of a person whose tokens ended, the second later. */
const ENDED = { enabled: false, tokensValidFrom: 1_800_000_000 };
const LATER = { enabled: true, tokensValidFrom: 1_800_000_009 };

export function revocations(open: OpenStore): void {
  describe('revocation of tokens', () => {
    const held = withStore(open, 'revocations');

    test('keeps the enabled state, the sign-out and the view of a user when it is imported again', async () => {
      const { store } = held;
      const user = authUser('u1', { capabilities: ['ORG_ADMIN'] });
      await store.write((records) => records.putAuthUsers(ACME.id, [user]));
      const before = {
        ...{ capabilities: ['ORG_ADMIN'], enabled: true, tokensValidFrom: 0, view: null },
      };
      assert.deepEqual(await store.read.userStatus(ACME.id, 'u1'), before);
      await store.write(async (records) => {
        await records.setTokenState(ACME.id, 'u1', ENDED);
        await records.setTokenState(OTHER.id, 'u1', { enabled: true, tokensValidFrom: 1 });
        await records.setUserView(ACME.id, 'u1', 'sales');
        await records.setUserView(OTHER.id, 'u1', 'other');
        await records.putAuthUsers(ACME.id, [{ ...user, displayName: 'changed' }]);
      });
      const after = { ...before, ...ENDED, view: 'sales' };
      assert.deepEqual(await store.read.userStatus(ACME.id, 'u1'), after);
      assert.equal(await store.read.countHolders(ACME.id, 'ORG_ADMIN', ''), 0);
      assert.equal(await store.read.userStatus(OTHER.id, 'u1'), null);
      assert.deepEqual(await store.read.personStatus(ACME.id, 'u1'), after);
      assert.equal(await store.read.personStatus(OTHER.id, 'u1'), null);
    });

    test('keeps the state of a person who is no auth user, also once it is created', async () => {
      const { store } = held;
      const absent = { ...ENDED, deleted: false };
      await store.write((records) => records.putAbsentUser(ACME.id, 'u3', absent));
      assert.deepEqual(await store.read.personStatus(ACME.id, 'u3'), absent);
      assert.equal(await store.read.personStatus(OTHER.id, 'u3'), null);
      assert.equal(await store.read.userStatus(ACME.id, 'u3'), null);
      await store.write((records) => records.putAbsentUser(ACME.id, 'u3', { ...absent, ...LATER }));
      await store.write((records) => records.putAuthUsers(ACME.id, [authUser('u3', {})]));
      const created = { ...LATER, capabilities: [], view: null };
      assert.deepEqual(await store.read.userStatus(ACME.id, 'u3'), created);
      assert.deepEqual(await store.read.personStatus(ACME.id, 'u3'), created);
      await store.write((records) => records.deleteAuthUser(ACME.id, 'u3', ENDED));
      assert.deepEqual(await store.read.personStatus(ACME.id, 'u3'), { ...ENDED, deleted: true });
      assert.deepEqual(await store.read.inconsistencies(), []);
    });

    test('deletes the capabilities and personal access tokens of a deleted user', async () => {
      const { store } = held;
      const user = authUser('u2', { capabilities: ['ORG_ADMIN'] });
      await store.write(async (records) => {
        await records.putAuthUsers(ACME.id, [user]);
        await records.addCredential(ACME.id, accessToken('of-u2', 'u2'));
      });
      await store.write(async (records) => {
        assert.equal(await records.deleteAuthUser(OTHER.id, 'u2', LATER), false);
        assert.equal(await records.deleteAuthUser(ACME.id, 'u2', LATER), true);
      });
      assert.equal(await store.read.personStatus(OTHER.id, 'u2'), null);
      assert.equal(await store.read.authUser(ACME.id, 'u2'), null);
      assert.equal(await store.read.userStatus(ACME.id, 'u2'), null);
      assert.equal(await store.read.credentialById('of-u2'), null);
      assert.equal(await store.read.countHolders(ACME.id, 'ORG_ADMIN', ''), 0);
      assert.deepEqual(await store.read.inconsistencies(), []);
    });

    test('revokes an id or a family in its tenant, and keeps it when others are revoked', async () => {
      const { store } = held;
      await store.write((records) => records.revokeToken(ACME.id, { id: 't1', expires: 1_000 }));
      const { read } = store;
      assert.equal(await read.isRevoked(ACME.id, 't1', null), true);
      assert.equal(await read.isRevoked(ACME.id, 't2', 't1'), true);
      assert.equal(await read.isRevoked(ACME.id, 't2', null), false);
      assert.equal(await read.isRevoked(ACME.id, '\0', null), false);
      assert.equal(await read.isRevoked(OTHER.id, 't1', null), false);
      await store.write((records) => records.revokeToken(ACME.id, { id: 't3', expires: 9e12 }));
      // When one has expired is a question of the clock: the purge answers it with a margin.
      assert.equal(await read.isRevoked(ACME.id, 't1', null), true);
      assert.equal(await read.isRevoked(ACME.id, 't3', null), true);
    });
  });
}

/** A credential of each kind, and members that change. */
const KINDS: readonly {
  readonly kind: string;
  readonly one: Credential;
  readonly changed: Partial<PersonalAccessToken> | Partial<OAuthClient>;
}[] = [
  {
    kind: 'a personal access token',
    one: { ...accessToken('t1', 'u1'), parentId: 't0', view: 'sales' },
    changed: { name: 'renamed', scope: [], lastUsed: '2026-02-02T00:00:00.000Z' },
  },
  {
    kind: 'an API client',
    one: apiClient('c1'),
    changed: {
      ...{ name: 'renamed', description: '', enabled: true, accessType: 'ONLINE' },
      ...{ grantTypes: ['CLIENT_CREDENTIALS'], redirectUris: [], claimsSupported: true },
      ...{ accessTokenValiditySeconds: 60, refreshTokenValiditySeconds: 90, businessName: 'b' },
      ...{ modified: '2026-02-02T00:00:00.000Z', lastUsed: '2026-02-03T00:00:00.000Z' },
    },
  },
  {
    kind: 'an API key',
    one: { ...apiKey('k1'), ownerId: 'u1', parentId: 't1', expires: '2027-01-01T00:00:00.000Z' },
    changed: { name: 'renamed', scope: ['cardea:profiles:manage'], expires: null },
  },
];

export function credentials(open: OpenStore): void {
  describe('credentials', () => {
    const held = withStore(open, 'credentials');

    for (const { kind, one, changed } of KINDS) {
      test(`stores, changes and deletes ${kind} in its tenant`, async () => {
        const { store } = held;
        const { id } = one;
        const [own, after] = [one, { ...one, ...changed } as Credential].map((value) => ({
          ...value,
          tenantId: ACME.id,
        }));
        const stored = async () => plain(await store.read.credentialById(id));
        await store.write((r) => r.addCredential(ACME.id, one));
        assert.deepEqual(await stored(), own);
        for (const [tenant, result] of [
          [OTHER, own],
          [ACME, after],
        ] as const) {
          await store.write((r) => r.updateCredential(tenant.id, after as Credential));
          assert.deepEqual(await stored(), result);
        }
        for (const [tenant, lastUsed] of [
          [OTHER, after?.lastUsed],
          [ACME, '2027-01-01T00:00:00.000Z'],
        ] as const) {
          await store.write((r) => r.noteCredentialUse(tenant.id, id, '2027-01-01T00:00:00.000Z'));
          assert.deepEqual(await stored(), { ...after, lastUsed });
        }
        const remove = (tenant: Tenant) => store.write((r) => r.deleteCredential(tenant.id, id));
        assert.deepEqual(
          [await remove(OTHER), await remove(ACME), await remove(ACME)],
          [false, true, false],
        );
        assert.equal(await store.read.credentialById(id), null);
        assert.deepEqual(await store.read.inconsistencies(), []);
      });
    }

    test('finds an API key by its hash, and nothing else', async () => {
      const { store } = held;
      const key = apiKey('found');
      const token = { ...accessToken('not found', 'u1'), secretHash: 'hash of a token' };
      await store.write(async (r) => {
        await r.addCredential(ACME.id, key);
        await r.addCredential(ACME.id, token);
      });
      const found = async (hash: string) => plain(await store.read.apiKeyByHash(hash));
      assert.deepEqual(await found(key.secretHash), { ...key, tenantId: ACME.id });
      assert.equal(await found(token.secretHash), null);
      assert.equal(await found('h2'), null);
      await store.write(async (r) => {
        for (const { id } of [key, token]) await r.deleteCredential(ACME.id, id);
      });
    });

    test('lists credentials of a kind by owner or tenant, oldest first', async () => {
      const { store } = held;
      const [oldest, middle, youngest] = [1, 2, 3].map((day) => `2026-01-0${day}T00:00:00.000Z`);
      await store.write(async (r) => {
        await r.addCredential(ACME.id, accessToken('b', 'u1', middle));
        await r.addCredential(ACME.id, accessToken('a', 'u1', youngest));
        await r.addCredential(ACME.id, accessToken('c', 'u2', oldest));
        await r.addCredential(ACME.id, apiClient('young', youngest));
        await r.addCredential(ACME.id, apiClient('old', oldest));
        await r.addCredential(ACME.id, { ...apiKey('k'), ownerId: 'u1' });
        await r.addCredential(OTHER.id, accessToken('d', 'u1'));
      });
      const ids = async (kind: CredentialKind, owner?: string | null) =>
        (await store.read.credentialsOf(ACME.id, kind, owner)).map(({ id }) => id);
      assert.deepEqual(await ids('pat', 'u1'), ['b', 'a']);
      assert.deepEqual(await ids('pat'), ['c', 'b', 'a']);
      assert.deepEqual(await ids('pat', 'u3'), []);
      assert.deepEqual(await ids('client'), ['old', 'young']);
      assert.deepEqual(await ids('key', 'u1'), ['k']);
      assert.deepEqual(await ids('key', 'u2'), []);
    });

    test('finds expired tokens of all tenants, those that expired first before the others', async () => {
      const { store } = held;
      const NOW = Date.parse('2026-06-01T00:00:00.000Z');
      const ends = { now: NOW, later: NOW + 1, before: NOW - 1, 'long-ago': NOW - 9 };
      await store.write(async (r) => {
        for (const [id, end] of Object.entries(ends)) {
          const expires = new Date(end).toISOString();
          const tenant = id === 'before' ? OTHER : ACME;
          await r.addCredential(tenant.id, { ...accessToken(id, 'u8'), expires });
        }
        await r.addCredential(ACME.id, accessToken('never', 'u8'));
        await r.addCredential(ACME.id, { ...apiKey('expired key'), expires: ACME.created });
      });
      const expired = async (limit: number) =>
        (await store.read.expiredTokens(NOW, limit)).map(({ tenantId, id }) => [tenantId, id]);
      const all = [
        [ACME.id, 'long-ago'],
        [OTHER.id, 'before'],
        [ACME.id, 'now'],
      ];
      assert.deepEqual(await expired(9), all);
      assert.deepEqual(await expired(2), all.slice(0, 2));
    });

    test('lists the credentials that a personal access token created, oldest first', async () => {
      const { store } = held;
      const parentId = 'parent';
      const [first, second, third] = [1, 2, 3].map((day) => `2026-01-0${day}T00:00:00.000Z`);
      await store.write(async (r) => {
        await r.addCredential(ACME.id, { ...accessToken('p2', 'u9', second), parentId });
        await r.addCredential(ACME.id, { ...accessToken('p1', 'u9', first), parentId });
        await r.addCredential(ACME.id, { ...accessToken('p3', 'u9'), parentId: 'another' });
        await r.addCredential(OTHER.id, { ...accessToken('p4', 'u9'), parentId });
        await r.addCredential(ACME.id, { ...apiClient('pc1', third), parentId });
        await r.addCredential(ACME.id, { ...apiKey('pk1', third), parentId });
      });
      const children = await store.read.credentialsCreatedBy(ACME.id, parentId);
      assert.deepEqual(
        children.map((child) => [child.kind, child.id, child.parentId]),
        [
          ['pat', 'p1', parentId],
          ['pat', 'p2', parentId],
          ['client', 'pc1', parentId],
          ['key', 'pk1', parentId],
        ],
      );
    });

    test('changes and deletes refresh tokens in their tenant, also with their client', async () => {
      const { store } = held;
      const narrow = { scope: ['sp:search:read', 'x'] };
      const one = { ...refreshToken('r1', 'app', '2026-01-02T00:00:00.000Z'), ...narrow };
      const two = refreshToken('r2', 'app', '2026-01-01T00:00:00.000Z');
      const others = refreshToken('r3', 'another app');
      await store.write(async (r) => {
        await r.addCredential(ACME.id, apiClient('app'));
        for (const token of [one, two, others]) await r.addRefreshToken(ACME.id, token);
      });
      assert.deepEqual(plain(await store.read.refreshToken(ACME.id, 'r1')), one);
      assert.equal(await store.read.refreshToken(OTHER.id, 'r1'), null);
      assert.deepEqual(plain(await store.read.refreshTokensOf(ACME.id, 'app')), [two, one]);
      const used = { ...one, secretHash: 'next', expires: '2027-02-02T00:00:00.000Z' };
      await store.write(async (r) => {
        await r.updateRefreshToken(OTHER.id, { ...used, secretHash: 'foreign' });
        await r.updateRefreshToken(ACME.id, used);
        await r.deleteRefreshToken(OTHER.id, 'r2');
        await r.deleteRefreshTokensOf(OTHER.id, 'app');
      });
      assert.deepEqual(plain(await store.read.refreshTokensOf(ACME.id, 'app')), [two, used]);
      await store.write((r) => r.deleteRefreshToken(ACME.id, 'r2'));
      assert.deepEqual(plain(await store.read.refreshTokensOf(ACME.id, 'app')), [used]);
      await store.write((r) => r.deleteCredential(ACME.id, 'app'));
      assert.deepEqual(await store.read.refreshTokensOf(ACME.id, 'app'), []);
      assert.deepEqual(plain(await store.read.refreshToken(ACME.id, 'r3')), others);
      await store.write((r) => r.deleteRefreshTokensOf(ACME.id, 'another app'));
      assert.equal(await store.read.refreshToken(ACME.id, 'r3'), null);
    });

    test('lists signing keys, oldest first', async () => {
      const { store } = held;
      const key = (kid: string, created: string, active: boolean) => ({
        ...{ kid, created, active },
        jwk: { kty: 'EC', crv: 'P-256', d: 'secret' },
      });
      const young = key('k1', '2026-02-01T00:00:00.000Z', true);
      const old = key('k2', '2026-01-01T00:00:00.000Z', false);
      await store.write(async (r) => {
        await r.addSigningKey(young);
        await r.addSigningKey(old);
      });
      assert.deepEqual(plain(await store.read.signingKeys()), [old, young]);
      await store.write((r) => r.retireSigningKeys());
      const retired = { active: false };
      assert.deepEqual(plain(await store.read.signingKeys()), [
        { ...old, ...retired },
        { ...young, ...retired },
      ]);
      await store.write((r) => r.deleteSigningKey(old.kid));
      assert.deepEqual(plain(await store.read.signingKeys()), [{ ...young, ...retired }]);
    });
  });
}
