// The part of the store contract that mirrors of remote tenants use.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Mirror, MirrorPart } from '../../src/service/ports/mirror-records.ts';
import { ACME, document, type OpenStore, OTHER, withStore } from './store-records.ts';

const NO_COUNTS = { created: 0, updated: 0, unchanged: 0, deleted: 0, refused: 0 };

function mirror(tenantId: string): Mirror {
  return {
    ...{ tenantId, source: 'https://acme.example/', profilesSource: null, authUsers: 'none' },
    ...{ running: null, runs: [], counted: NO_COUNTS, audited: NO_COUNTS },
  };
}

const part = (name: string, refused = 0): MirrorPart => ({
  ...{ name, walk: null, copiedAt: null, newest: null, sweptAt: null, there: null },
  ...{ totals: { ...NO_COUNTS, refused }, refusals: [] },
  ...{ refusedIds: ['a'], shrinking: { here: 9, deleted: 2 } },
});

/** Registers the tests. */
export function mirrors(open: OpenStore): void {
  describe('mirrors', () => {
    const held = withStore(open, 'mirrors');

    test('keep their state by tenant, and their parts', async () => {
      const { store } = held;
      assert.equal(await store.read.mirror(ACME.id), null);
      await store.write((r) => r.putMirror(mirror(ACME.id)));
      const running = { ...mirror(ACME.id), running: '2026-01-01T00:00:00.000Z' };
      await store.write((r) => r.putMirror(running));
      assert.deepEqual(await store.read.mirror(ACME.id), running);
      assert.equal(await store.read.mirror(OTHER.id), null);
      assert.deepEqual(await store.read.mirrors(), [running]);
      await store.write(async (r) => {
        await r.putMirrorPart(ACME.id, part('roles'));
        await r.putMirrorPart(ACME.id, part('events'));
        await r.putMirrorPart(ACME.id, part('roles', 2));
      });
      assert.deepEqual(await store.read.mirrorParts(ACME.id), [part('events'), part('roles', 2)]);
      assert.deepEqual(await store.read.mirrorParts(OTHER.id), []);
    });

    test('list what they brought in the order of UTF-8 bytes, by ranges', async () => {
      const { store } = held;
      // In UTF-16 units the last two are the other way round.
      const ids = ['A', 'a', 'b1', 'b2', 'ÿ', '\uffee', '\u{1f600}'];
      await store.write(async (r) => {
        await r.addMirrored(ACME.id, 'identities', [...ids].reverse());
        await r.addMirrored(ACME.id, 'identities', ['a']);
        await r.addMirrored(OTHER.id, 'identities', ['z']);
        await r.addMirrored(ACME.id, 'roles', ['r']);
      });
      const listed = (after: string | null, upTo: string | null, limit = 100) =>
        store.read.mirroredIds(ACME.id, 'identities', { after, upTo }, limit);
      assert.deepEqual(await listed(null, null), ids);
      assert.deepEqual(await listed('a', 'b2'), ['b1', 'b2']);
      assert.deepEqual(await listed('b1', null, 2), ['b2', 'ÿ']);
      assert.deepEqual(await store.read.mirroredCounts(ACME.id), { identities: 7, roles: 1 });
      await store.write((r) => r.removeMirrored(ACME.id, 'identities', ['b1', 'missing']));
      assert.deepEqual(await listed('a', 'b2'), ['b2']);
      assert.deepEqual(await store.read.mirroredCounts(OTHER.id), { identities: 1 });
    });

    test('ask which documents exist, without deleted ones and other tenants', async () => {
      const { store } = held;
      await store.write((r) => r.putDocuments(ACME.id, [document('m1', 'a'), document('m2', 'b')]));
      await store.write((r) => r.deleteDocument(ACME.id, 'identities', 'm2'));
      const asked = ['m1', 'm2', 'm3'];
      const existing = await store.read.existingDocuments(ACME.id, 'identities', asked);
      assert.deepEqual([...existing], ['m1']);
      assert.equal((await store.read.existingDocuments(OTHER.id, 'identities', asked)).size, 0);
      assert.equal((await store.read.existingDocuments(ACME.id, 'roles', asked)).size, 0);
      assert.equal((await store.read.existingDocuments(ACME.id, 'roles', [])).size, 0);
    });
  });
}
