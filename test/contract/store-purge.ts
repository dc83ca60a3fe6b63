// The part of the store contract that the purge of old rows uses.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StoredDocument } from '../../src/service/ports/stored-document.ts';
import {
  ACME,
  apiClient,
  document,
  type OpenStore,
  OTHER,
  refreshToken,
  summary,
  withStore,
} from './store-records.ts';

/** Registers the tests. */
export function purges(open: OpenStore): void {
  oldDocuments(open);
  tombstones(open);
  expiredTokens(open);
  describe('what was purged', () => {
    const held = withStore(open, 'purge_state');

    test('has no mark at first, then the one that was set last', async () => {
      const { store } = held;
      assert.equal(await store.read.purgeMark(), null);
      for (const markedSequence of [5, 6]) {
        const mark = { markedSequence, markedAt: 2 ** 42 };
        await store.write((r) => r.setPurgeMark(mark));
        assert.deepEqual(await store.read.purgeMark(), mark);
      }
    });

    test('remembers by tenant the latest instant before which events were purged', async () => {
      const { store } = held;
      assert.equal(await store.read.eventsPurgedBefore(ACME.id), null);
      for (const instant of [2 ** 41, 2 ** 41 + 1, 5]) {
        await store.write((r) => r.setEventsPurgedBefore(ACME.id, instant));
      }
      assert.equal(await store.read.eventsPurgedBefore(ACME.id), 2 ** 41 + 1);
      assert.equal(await store.read.eventsPurgedBefore(OTHER.id), null);
    });
  });
}

function oldDocuments(open: OpenStore): void {
  describe('the deletion of unchanged documents', () => {
    const held = withStore(open, 'unchanged');

    test('leaves tombstones, and leaves documents alone that changed later', async () => {
      const { store } = held;
      const put = (...documents: StoredDocument[]) =>
        store.write((r) => r.putDocuments(ACME.id, documents));
      await put(...['a', 'b', 'c', 'd'].map((id) => document(id, '1')));
      await put({ ...document('a', '1'), index: 'roles' });
      await store.write((r) => r.putDocuments(OTHER.id, [document('a', '1')]));
      await put(document('b', '2'));
      await store.write((r) => r.deleteDocument(ACME.id, 'identities', 'd'));
      const remove = (ids: string[], sequence: number) =>
        store.write((r) => r.deleteUnchangedDocuments(ACME.id, 'identities', ids, sequence));
      assert.equal(await remove(['a', 'b', 'c', 'd', 'never'], 6), 2);
      assert.deepEqual((await store.read.changesAfter(4, 100)).map(summary), [
        ...['5 acme a 1', '6 other a 1', '7 acme b 2', '8 acme d gone'],
        ...['9 acme a gone', '10 acme c gone'],
      ]);
      assert.equal(await store.read.lastSequence(), 10);
      const { identities, roles } = await store.read.documentCounts(ACME.id);
      assert.deepEqual({ identities, roles }, { identities: 1, roles: 1 });
      assert.deepEqual([await remove([], 100), await remove(['a', 'c'], 100)], [0, 0]);
      assert.equal(await store.read.lastSequence(), 10);
    });
  });
}

function tombstones(open: OpenStore): void {
  describe('the purge of tombstones', () => {
    const held = withStore(open, 'tombstones');
    const purge = (sequence: number, limit: number) =>
      held.store.write((r) => r.purgeTombstones(sequence, limit));
    const tail = async () => (await held.store.read.changesAfter(0, 100)).map(summary);
    const state = async () => [await held.store.read.purgedSequence(), await tail()];

    test('takes the oldest ones up to a sequence, and records how far it came', async () => {
      const { store } = held;
      assert.equal(await store.read.purgedSequence(), 0);
      const ids = ['a', 'b', 'c', 'd', 'e'];
      await store.write((r) =>
        r.putDocuments(
          ACME.id,
          ids.map((id) => document(id, '1')),
        ),
      );
      for (const id of ['a', 'c', 'd', 'e']) {
        await store.write((r) => r.deleteDocument(ACME.id, 'identities', id));
      }
      assert.equal(await purge(5, 10), 0);
      assert.equal(await purge(8, 2), 2);
      assert.deepEqual(await state(), [7, ['2 acme b 1', '8 acme d gone', '9 acme e gone']]);
      assert.equal(await purge(8, 2), 1);
      assert.deepEqual(await state(), [8, ['2 acme b 1', '9 acme e gone']]);
    });

    test('keeps the row of the last change, up to which indexes are fed', async () => {
      const { store } = held;
      assert.equal(await purge(100, 10), 0);
      assert.deepEqual(await state(), [8, ['2 acme b 1', '9 acme e gone']]);
      await store.write((r) => r.putDocuments(ACME.id, [document('e', '2')]));
      assert.equal(await purge(100, 10), 0);
      assert.deepEqual(await state(), [8, ['2 acme b 1', '10 acme e 2']]);
      assert.deepEqual(await store.read.inconsistencies(), []);
    });

    test('a purge that is rolled back leaves tombstones and their record', async () => {
      const { store } = held;
      await store.write((r) => r.deleteDocument(ACME.id, 'identities', 'e'));
      await store.write((r) => r.putDocuments(ACME.id, [document('f', '1')]));
      await assert.rejects(
        store.write(async (r) => {
          assert.equal(await r.purgeTombstones(100, 10), 1);
          throw new Error('no');
        }),
        /no/,
      );
      assert.deepEqual(await state(), [8, ['2 acme b 1', '11 acme e gone', '12 acme f 1']]);
    });
  });
}

function expiredTokens(open: OpenStore): void {
  describe('the purge of expired tokens', () => {
    const held = withStore(open, 'expired');
    const NOW = Date.parse('2026-06-01T00:00:00.000Z');

    test('deletes revocations and refresh tokens that expired before an instant', async () => {
      const { store } = held;
      const expiries = { old: NOW - 2, older: NOW - 3, now: NOW, later: NOW + 1 };
      await store.write(async (r) => {
        await r.addCredential(ACME.id, apiClient('client'));
        for (const [id, expires] of Object.entries(expiries)) {
          await r.revokeToken(ACME.id, { id, expires });
          const token = { ...refreshToken(id, 'client'), expires: new Date(expires).toISOString() };
          await r.addRefreshToken(ACME.id, token);
        }
      });
      for (const rows of ['revoked_tokens', 'refresh_tokens'] as const) {
        const purge = (limit: number) => store.write((r) => r.purgeExpired(rows, NOW, limit));
        assert.deepEqual([await purge(1), await purge(10), await purge(10)], [1, 1, 0], rows);
      }
      const ids = Object.keys(expiries);
      const revoked = await Promise.all(ids.map((id) => store.read.isRevoked(ACME.id, id, null)));
      assert.deepEqual(revoked, [false, false, true, true]);
      const left = (await store.read.refreshTokensOf(ACME.id, 'client')).map(({ id }) => id);
      assert.deepEqual(left.sort(), ['later', 'now']);
    });
  });
}
