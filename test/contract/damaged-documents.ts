// The contract of damaged documents for every store: one of them never stops reads of the rest, and
// is never read as true.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LOCAL_OPERATOR, recordAuditEvents } from '../../src/service/audit/audit-event.ts';
import { operatorOf } from '../../src/service/audit/operator-event.ts';
import { DamageWatch } from '../../src/service/documents/damage-watch.ts';
import { Documents } from '../../src/service/imports/documents.ts';
import type { StoredDocument } from '../../src/service/ports/stored-document.ts';
import { encodeDocument } from '../../src/store/records/document-bytes.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import { caseCount } from '../support/case-count.ts';
import type { AuditDatabase } from './audit-trail.ts';
import { document, text } from './store-records.ts';

const TENANT = 'tenant-acme';
const IDS = ['a', 'b', 'c', 'd', 'e'];

/** Registers the tests. */
export function damageContract(
  kind: string,
  open: (name: string) => Promise<Pick<AuditDatabase, 'store' | 'run'>>,
): void {
  describe(`damaged documents on ${kind}`, () => {
    test('a patch of a damaged document is refused, others are merged', async () => {
      const { store, run } = await open('damaged_patch');
      const documents = IDS.slice(0, 2).map((id) => document(id, id));
      const tenant = { id: TENANT, name: 'acme', pod: 'p', created: '2026-01-01T00:00:00.000Z' };
      await store.write(async (r) => {
        await r.addTenant(tenant);
        await r.putDocuments(TENANT, documents);
      });
      await damage(run, documents[0] as StoredDocument, () => 0.5);
      async function* lines() {
        for (const id of ['a', 'b']) yield { line: 1, text: JSON.stringify({ id, email: 'x' }) };
      }
      const imports = new Documents(store, { clock: { now: () => 0 } });
      const options = { index: 'identities', match: null } as const;
      const { updated, faults } = await imports.mergeDocuments(
        operatorOf(TENANT),
        lines(),
        options,
      );
      assert.equal(updated, 1);
      assert.deepEqual(faults, [
        {
          line: 1,
          reason: 'the stored document "a" is damaged; import it as a whole, as JSON',
        },
      ]);
      await store.close();
    });

    test('any damaged byte is found, and all other documents are read', async () => {
      const { store, run } = await open('damaged_bytes');
      const random = seededRandom(1);
      const short = IDS.map((id) => document(id, id, '"access":[]'));
      const long = IDS.map((id) => document(id, 'x'.repeat(2_000) + id));
      for (const documents of [short, long]) {
        await store.write((r) => r.putDocuments(TENANT, documents));
        const before = (await store.read.documentsById(TENANT, 'identities', IDS)).map(text);
        for (let round = 0; round < caseCount(8, 20); round++) {
          const one = Math.floor(random() * IDS.length);
          const { id } = documents[one] as StoredDocument;
          const at = await damage(run, documents[one] as StoredDocument, random);
          const setAside: string[] = [];
          const note = (damaged: string) => setAside.push(damaged);
          const read = await store.read.documentsById(TENANT, 'identities', IDS, note);
          assert.deepEqual(setAside, [id], `${at} of ${id}`);
          const rest = before.filter((_, i) => i !== one);
          assert.deepEqual(read.map(text), rest);
          const page = await store.read.documentPage(TENANT, 'identities', '', 2);
          assert.equal(page.length, 2);
          assert.ok(page.every((other) => other.id !== id));
          const changes = await store.read.changesAfter(0, 100);
          const damaged = changes.filter((change) => change.damaged === true);
          assert.deepEqual(
            damaged.map((change) => [change.id, change.document]),
            [[id, null]],
          );
          await assert.rejects(store.read.document(TENANT, 'identities', id), {
            code: 'unavailable',
            message: new RegExp(`^Document "${id}" of identities is damaged in the store`),
          });
          const outcomes = await store.write((r) => r.putDocuments(TENANT, documents));
          assert.deepEqual(
            outcomes,
            IDS.map((_, i) => (i === one ? 'updated' : 'unchanged')),
          );
          assert.deepEqual(await store.read.documentDamage(), { count: 0, documents: [] });
        }
      }
      await store.close();
    });

    test('what is watched is reported until it is written again', async () => {
      const { store, run } = await open('damaged_watched');
      const found: string[] = [];
      const watched = new DamageWatch(store, {
        onDocument: ({ id }) => found.push(id),
        onTrail: (tenantId) => found.push(tenantId),
      });
      const documents = IDS.map((id) => document(id, id));
      await store.write((r) => r.putDocuments(TENANT, documents));
      for (const at of [1, 3, 4]) await damage(run, documents[at] as StoredDocument, () => 0.5);
      await assert.rejects(watched.read.document(TENANT, 'identities', 'b'));
      await watched.read.documentPage(TENANT, 'identities', 'c', 1);
      await watched.read.changesAfter(0, 100);
      await watched.read.changesAfter(0, 100);
      const key = { tenantId: TENANT, index: 'identities' };
      assert.deepEqual(found.sort(), ['b', 'd', 'e']);
      await watched.write((r) => r.putDocuments(TENANT, documents.slice(0, 2)));
      await watched.write((r) => r.deleteDocument(TENANT, 'identities', 'd'));
      assert.deepEqual(await watched.damaged(), [{ ...key, id: 'e' }]);
      assert.equal(await watched.unnamed(), 0);
      watched.checked({ count: 8, documents: await watched.damaged() });
      assert.equal(await watched.unnamed(), 7);
      await watched.write((r) => r.putDocuments(TENANT, documents));
      assert.deepEqual(await watched.damaged(), []);
      assert.equal(await watched.unnamed(), 0, 'what was named is mended');
      await store.close();
    });

    test('every writer of documents leaves checks that hold, as earlier versions did', async () => {
      const { store, run } = await open('damaged_writers');
      await store.write((r) => r.putDocuments(TENANT, [document('a', '1'), document('b', '1')]));
      await store.write((r) => r.putDocuments(TENANT, [document('a', '2')]));
      await store.write((r) => r.deleteDocument(TENANT, 'identities', 'b'));
      await store.write((r) =>
        recordAuditEvents(r, TENANT, [
          {
            ...{ id: 'e1', created: '2026-01-01T00:00:01.000Z', actor: LOCAL_OPERATOR },
            ...{ target: 'x', act: 'AUTH_USER_PATCH' },
            attributes: { targetId: 'u1' },
          },
        ]),
      );
      const snapshot = await store.write((r) => r.tenantSnapshot(TENANT, 1_000));
      await store.write((r) => r.putDocuments(TENANT, [document('a', '3'), document('c', '3')]));
      await store.write((r) => r.restoreTenant(snapshot));
      assert.deepEqual(await store.read.documentDamage(), { count: 0, documents: [] });
      await run('update document set hash = substr(hash, 1, 16) where hash is not null');
      assert.deepEqual(await store.read.documentDamage(), { count: 0, documents: [] });
      await store.close();
    });
  });
}

/** Changes one byte of a part of a stored document. @returns which */
async function damage(
  run: AuditDatabase['run'],
  stored: StoredDocument,
  random: () => number,
): Promise<string> {
  const columns = encodeDocument(stored);
  const column = columns.nested.length > 0 && random() < 0.5 ? 'nested' : 'root';
  const bytes = Buffer.from(columns[column]);
  const at = Math.floor(random() * bytes.length);
  bytes[at] = (bytes[at] as number) ^ (1 + Math.floor(random() * 255));
  await run(`update document set ${column} = ? where id = ?`, bytes, stored.id);
  return `${column} ${at}`;
}
