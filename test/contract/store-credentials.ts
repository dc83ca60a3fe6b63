// The part of the contract of stores about tokens, clients and their revocation.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OAuthClient } from '../../src/service/ports/store.ts';
import {
  ACME,
  accessToken,
  apiClient,
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
        await records.addToken(ACME.id, accessToken('of-u2', 'u2'));
      });
      await store.write(async (records) => {
        assert.equal(await records.deleteAuthUser(OTHER.id, 'u2', LATER), false);
        assert.equal(await records.deleteAuthUser(ACME.id, 'u2', LATER), true);
      });
      assert.equal(await store.read.personStatus(OTHER.id, 'u2'), null);
      assert.equal(await store.read.authUser(ACME.id, 'u2'), null);
      assert.equal(await store.read.userStatus(ACME.id, 'u2'), null);
      assert.equal(await store.read.tokenById('of-u2'), null);
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

export function credentials(open: OpenStore): void {
  describe('credentials', () => {
    const held = withStore(open, 'credentials');

    test('stores, changes and deletes a personal access token in its tenant', async () => {
      const { store } = held;
      const token = accessToken('t1', 'u1');
      await store.write((r) => r.addToken(ACME.id, token));
      assert.deepEqual(plain(await store.read.tokenById('t1')), { tenantId: ACME.id, token });
      const changed = {
        ...token,
        name: 'renamed',
        scope: [],
        lastUsed: '2026-02-02T00:00:00.000Z',
      };
      await store.write((r) => r.updateToken(OTHER.id, changed));
      assert.deepEqual(plain((await store.read.tokenById('t1'))?.token), token);
      await store.write((r) => r.updateToken(ACME.id, changed));
      assert.deepEqual(plain((await store.read.tokenById('t1'))?.token), changed);
      assert.equal(await store.write((r) => r.deleteToken(OTHER.id, 't1')), false);
      assert.equal(await store.write((r) => r.deleteToken(ACME.id, 't1')), true);
      assert.equal(await store.write((r) => r.deleteToken(ACME.id, 't1')), false);
      assert.equal(await store.read.tokenById('t1'), null);
    });

    test('lists tokens by owner or tenant, oldest first', async () => {
      const { store } = held;
      await store.write(async (r) => {
        await r.addToken(ACME.id, accessToken('b', 'u1', '2026-01-02T00:00:00.000Z'));
        await r.addToken(ACME.id, accessToken('a', 'u1', '2026-01-03T00:00:00.000Z'));
        await r.addToken(ACME.id, accessToken('c', 'u2', '2026-01-01T00:00:00.000Z'));
        await r.addToken(OTHER.id, accessToken('d', 'u1'));
      });
      const ids = async (owner: string | null) =>
        (await store.read.tokensOf(ACME.id, owner)).map(({ id }) => id);
      assert.deepEqual(await ids('u1'), ['b', 'a']);
      assert.deepEqual(await ids(null), ['c', 'b', 'a']);
      assert.deepEqual(await ids('u3'), []);
    });

    test('finds expired tokens of all tenants, those that expired first before the others', async () => {
      const { store } = held;
      const NOW = Date.parse('2026-06-01T00:00:00.000Z');
      const ends = { now: NOW, later: NOW + 1, before: NOW - 1, 'long-ago': NOW - 9 };
      await store.write(async (r) => {
        for (const [id, end] of Object.entries(ends)) {
          const expirationDate = new Date(end).toISOString();
          const tenant = id === 'before' ? OTHER : ACME;
          await r.addToken(tenant.id, { ...accessToken(id, 'u8'), expirationDate });
        }
        await r.addToken(ACME.id, accessToken('never', 'u8'));
      });
      const expired = async (limit: number) =>
        (await store.read.expiredTokens(NOW, limit)).map(({ tenantId, token }) => [
          tenantId,
          token.id,
        ]);
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
      await store.write(async (r) => {
        await r.addToken(ACME.id, {
          ...accessToken('p2', 'u9', '2026-01-02T00:00:00.000Z'),
          parentId,
        });
        await r.addToken(ACME.id, {
          ...accessToken('p1', 'u9', '2026-01-01T00:00:00.000Z'),
          parentId,
        });
        await r.addToken(ACME.id, { ...accessToken('p3', 'u9'), parentId: 'another' });
        await r.addToken(OTHER.id, { ...accessToken('p4', 'u9'), parentId });
        await r.addClient(ACME.id, { ...apiClient('pc1'), parentId });
        await r.addClient(OTHER.id, { ...apiClient('pc2'), parentId });
      });
      const tokens = await store.read.tokensCreatedBy(ACME.id, parentId);
      assert.deepEqual(
        tokens.map((token) => [token.id, token.parentId]),
        [
          ['p1', parentId],
          ['p2', parentId],
        ],
      );
      const clients = await store.read.clientsCreatedBy(ACME.id, parentId);
      assert.deepEqual(
        clients.map((client) => [client.id, client.parentId]),
        [['pc1', parentId]],
      );
      await store.write(async (r) => {
        for (const id of ['p1', 'p2', 'p3']) await r.deleteToken(ACME.id, id);
        await r.deleteToken(OTHER.id, 'p4');
        await r.deleteClient(ACME.id, 'pc1');
        await r.deleteClient(OTHER.id, 'pc2');
      });
    });

    test('stores, changes and deletes an API client in its tenant', async () => {
      const { store } = held;
      const client = apiClient('c1');
      await store.write((r) => r.addClient(ACME.id, client));
      assert.deepEqual(plain(await store.read.clientById('c1')), { tenantId: ACME.id, client });
      assert.equal(await store.read.clientById('c2'), null);
      const changed: OAuthClient = {
        ...{ ...client, name: 'renamed', description: '', enabled: true, accessType: 'ONLINE' },
        ...{ grantTypes: ['CLIENT_CREDENTIALS'], redirectUris: [], claimsSupported: true },
        ...{ accessTokenValiditySeconds: 60, refreshTokenValiditySeconds: 90, businessName: 'b' },
        ...{ modified: '2026-02-02T00:00:00.000Z', lastUsed: '2026-02-03T00:00:00.000Z' },
      };
      await store.write((r) => r.updateClient(OTHER.id, changed));
      assert.deepEqual(plain((await store.read.clientById('c1'))?.client), client);
      await store.write((r) => r.updateClient(ACME.id, changed));
      assert.deepEqual(plain((await store.read.clientById('c1'))?.client), changed);
      assert.equal(await store.write((r) => r.deleteClient(OTHER.id, 'c1')), false);
      assert.equal(await store.write((r) => r.deleteClient(ACME.id, 'c1')), true);
      assert.equal(await store.write((r) => r.deleteClient(ACME.id, 'c1')), false);
      assert.equal(await store.read.clientById('c1'), null);
    });

    test('lists API clients by tenant, oldest first', async () => {
      const { store } = held;
      await store.write(async (r) => {
        await r.addClient(ACME.id, apiClient('young', '2026-01-03T00:00:00.000Z'));
        await r.addClient(ACME.id, apiClient('old', '2026-01-02T00:00:00.000Z'));
        await r.addClient(OTHER.id, apiClient('foreign'));
      });
      const ids = async (tenantId: string) =>
        (await store.read.clientsOf(tenantId)).map(({ id }) => id);
      assert.deepEqual(await ids(ACME.id), ['old', 'young']);
      assert.deepEqual(await ids(OTHER.id), ['foreign']);
    });

    test('changes and deletes refresh tokens in their tenant, also with their client', async () => {
      const { store } = held;
      const narrow = { scope: ['sp:search:read', 'x'] };
      const one = { ...refreshToken('r1', 'app', '2026-01-02T00:00:00.000Z'), ...narrow };
      const two = refreshToken('r2', 'app', '2026-01-01T00:00:00.000Z');
      const others = refreshToken('r3', 'another app');
      await store.write(async (r) => {
        await r.addClient(ACME.id, apiClient('app'));
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
      await store.write((r) => r.deleteClient(ACME.id, 'app'));
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
