// The part of the store contract that snapshots of a tenant use.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  ACME,
  accessToken,
  apiClient,
  authUser,
  document,
  type OpenStore,
  OTHER,
  refreshToken,
  summary,
  text,
  withStore,
} from './store-records.ts';

const EVERYTHING = 1_000;

/** Registers the tests. */
export function snapshots(open: OpenStore): void {
  describe('a snapshot of a tenant', () => {
    const held = withStore(open, 'snapshots');
    const take = (id: string, documentsMax = EVERYTHING) =>
      held.store.write((r) => r.tenantSnapshot(id, documentsMax));

    test('brings back every record of the tenant, and none of others', async () => {
      const { store } = held;
      await store.write(async (r) => {
        await r.putDocuments(ACME.id, [document('a', '1'), document('b', '1', 'n')]);
        await r.putAuthUsers(ACME.id, [authUser('u', { capabilities: ['HELPDESK'] })]);
        await r.addCredential(ACME.id, accessToken('t', 'u'));
        await r.addCredential(ACME.id, apiClient('c'));
        await r.addRefreshToken(ACME.id, refreshToken('f', 'c'));
        await r.addDynamicFields(ACME.id, 'identities', [
          { path: 'attributes.x', type: 'keyword', nested: null, dynamic: true },
        ]);
      });
      const version = await store.read.fieldsVersion(ACME.id);
      const snapshot = await take(ACME.id);
      assert.equal(snapshot.documents, 2);
      await store.write(async (r) => {
        await r.putDocuments(ACME.id, [document('a', '2'), document('c', '1')]);
        await r.putDocuments(OTHER.id, [document('o', '1')]);
        await r.deleteDocument(ACME.id, 'identities', 'b');
        await r.setCapabilities(ACME.id, 'u', ['ORG_ADMIN'], ['HELPDESK']);
        await r.deleteCredential(ACME.id, 't');
        await r.addCredential(ACME.id, accessToken('new', 'u'));
        await r.putAuthUsers(OTHER.id, [authUser('u', {})]);
        await r.addCredential(OTHER.id, accessToken('other', 'u'));
        await r.deleteCredential(ACME.id, 'c');
        await r.addDynamicFields(ACME.id, 'identities', [
          { path: 'attributes.y', type: 'keyword', nested: null, dynamic: true },
        ]);
      });
      const last = await store.read.lastSequence();
      await store.write((r) => r.restoreTenant(snapshot));
      const { read } = store;
      assert.deepEqual(
        text(await read.document(ACME.id, 'identities', 'a')),
        text(document('a', '1')),
      );
      assert.deepEqual(
        text(await read.document(ACME.id, 'identities', 'b')),
        text(document('b', '1', 'n')),
      );
      assert.equal(await read.document(ACME.id, 'identities', 'c'), null);
      assert.equal((await read.documentCounts(ACME.id)).identities, 2);
      assert.deepEqual((await read.userStatus(ACME.id, 'u'))?.capabilities, ['HELPDESK']);
      assert.equal(await read.countHolders(ACME.id, 'ORG_ADMIN', ''), 0);
      assert.equal((await read.credentialById('t'))?.tenantId, ACME.id);
      assert.equal(await read.credentialById('new'), null);
      assert.equal((await read.credentialById('other'))?.tenantId, OTHER.id);
      assert.equal((await read.refreshToken(ACME.id, 'f'))?.clientId, 'c');
      assert.deepEqual(
        (await read.dynamicFields(ACME.id)).map(({ field }) => field.path),
        ['attributes.x'],
      );
      assert.ok((await read.fieldsVersion(ACME.id)) > version + 1);
      const changes = (await read.changesAfter(last, 10)).map((change) =>
        summary(change).replace(/^\d+ /, ''),
      );
      assert.deepEqual(changes.sort(), ['acme a 1', 'acme b 1', 'acme c gone']);
      assert.deepEqual(await read.inconsistencies(), []);
    });

    test('can be restored again, and changes nothing where nothing changed', async () => {
      const { store } = held;
      const snapshot = await take(ACME.id);
      const last = await store.read.lastSequence();
      await store.write((r) => r.restoreTenant(snapshot));
      assert.equal(await store.read.lastSequence(), last);
      for (const value of ['5', '6']) {
        await store.write((r) => r.putDocuments(ACME.id, [document('a', value)]));
        await store.write((r) => r.restoreTenant(snapshot));
        const restored = await store.read.document(ACME.id, 'identities', 'a');
        assert.deepEqual(text(restored), text(document('a', '1')));
      }
    });

    test('is refused for a tenant that is too large', async () => {
      await assert.rejects(take(ACME.id, 1), { code: 'limit_violation' });
    });

    test('is refused once deletions since then were purged', async () => {
      const { store } = held;
      const snapshot = await take(ACME.id);
      await store.write((r) => r.deleteDocument(ACME.id, 'identities', 'a'));
      await store.write((r) => r.putDocuments(ACME.id, [document('z', '1')]));
      await store.write((r) => r.purgeTombstones(2 ** 31, 100));
      await assert.rejects(
        store.write((r) => r.restoreTenant(snapshot)),
        { code: 'unavailable' },
      );
    });
  });
}
