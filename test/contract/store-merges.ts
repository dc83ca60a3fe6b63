// Imports of patches on every store: what a line does not name stays, whatever happens at the same time.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { operatorOf } from '../../src/service/audit/operator-event.ts';
import { type DocumentLimits, Documents } from '../../src/service/imports/documents.ts';
import { storedJson } from '../support/stored-json.ts';
import { ACME, type OpenStore, withStore } from './store-records.ts';

async function* lines(patches: readonly object[]) {
  for (const [n, patch] of patches.entries()) yield { line: n + 1, text: JSON.stringify(patch) };
}

/** Registers the tests. */
export function merges(open: OpenStore): void {
  describe('imports of patches', () => {
    const held = withStore(open, 'merges');
    const unchanged: string[] = [];
    const over = (limits: Partial<DocumentLimits> = {}) =>
      new Documents(held.store, {
        ...{ clock: { now: () => Date.UTC(2026, 0, 2) }, limits },
        onUnchanged: (_tenant, _index, ids) => unchanged.push(...ids),
      });
    const merge = (patches: readonly object[], match: string | null = null, limits = {}) =>
      over(limits).mergeDocuments(operatorOf(ACME.id), lines(patches), {
        index: 'identities',
        match,
      });
    const stored = (id: string) => storedJson(held.store, ACME.id, 'identities', id);

    test('create documents, change them, and leave equal ones as they are', async () => {
      const first = await merge([
        { id: 'a', name: 'A', gone: null },
        { id: 'b', name: 'B' },
      ]);
      assert.deepEqual([first.created, first.failed], [2, 0]);
      const before = await held.store.read.lastSequence();
      const again = await merge([
        { id: 'a', name: 'A' },
        { id: 'b', name: 'C' },
      ]);
      assert.deepEqual([again.updated, again.unchanged], [1, 1]);
      assert.deepEqual(unchanged, ['a']);
      // The document and the event of the import.
      assert.equal(await held.store.read.lastSequence(), before + 2);
      const synced = '2026-01-02T00:00:00.000Z';
      assert.deepEqual(await stored('a'), { id: 'a', name: 'A', synced });
    });

    test('merge many lines of a document in one batch and in several', async () => {
      const accounts = Array.from({ length: 150 }, (_, n) => ({
        ...{ id: 'many', accounts: [{ id: `n${n}`, name: 'x' }] },
      }));
      const first = await merge(accounts);
      assert.deepEqual([first.created, first.updated], [1, 149]);
      const limits = { batch: { documents: 7, bytes: 1_000_000 } };
      const more = accounts.map(({ accounts: [one] }) => ({
        ...{ id: 'many', accounts: [{ ...one, name: 'y' }] },
      }));
      const second = await merge(more, null, limits);
      assert.deepEqual([second.updated, second.failed], [150, 0]);
      const { accounts: after } = await stored('many');
      assert.equal(after.length, 150);
      assert.ok(after.every(({ name }: { name: string }) => name === 'y'));
    });

    test('that run at the same time lose nothing of one another', async () => {
      await merge([{ id: 'both' }]);
      const runs = Array.from({ length: 8 }, (_, n) => [
        ...Array.from({ length: 10 }, (_, m) => ({
          ...{ id: 'both', attributes: { [`x${n}m${m}`]: 'v' } },
        })),
      ]);
      const limits = { batch: { documents: 3, bytes: 1_000_000 } };
      const reports = await Promise.all(runs.map((patches) => merge(patches, null, limits)));
      for (const { updated, failed } of reports) assert.deepEqual([updated, failed], [10, 0]);
      assert.equal(Object.keys((await stored('both')).attributes).length, 80);
    });

    test('reject a value that does not fit, and keep the document', async () => {
      const { failed, faults, updated } = await merge([
        { id: 'b', created: 'yesterday' },
        { id: 'b', email: 'b@x.test' },
        { name: 'nobody' },
      ]);
      assert.deepEqual([failed, updated], [2, 1]);
      assert.match(faults[0]?.reason ?? '', /^created must be an ISO 8601 date/);
      assert.equal(faults[1]?.reason, 'id is missing');
      const { name, email, created } = await stored('b');
      assert.deepEqual([name, email, created], ['C', 'b@x.test', undefined]);
    });

    test('find documents by another member', async () => {
      const { updated, faults } = await merge(
        [
          { id: 'B@x.test', name: 'D' },
          { id: 'c@x.test', name: 'D' },
        ],
        'email',
      );
      assert.equal(updated, 1);
      assert.deepEqual(
        faults.map(({ line }) => line),
        [2],
      );
      assert.equal((await stored('b')).name, 'D');
    });
  });
}
