// Whatever byte of a stored document is damaged, it is never read as another one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentHash } from '../../service/documents/document-hash.ts';
import { seededRandom } from '../../testing/seeded-random.ts';
import { columnsOf, type DocumentColumns, documentOf } from './document-row.ts';

const key = { tenantId: 't', index: 'identities', id: 'p1' } as const;
const SYNCED = '"synced":"2026-01-01T00:00:00.000Z",';

function documentWith({ bytes, added = '' }: { bytes: number; added?: string }) {
  const root = Buffer.from(
    `{${added}"id":"p1","name":"a}","text":"${'x"'.length}${'ab'.repeat(bytes / 2)}"}`,
  );
  const nested = Buffer.from(`"access":[${'{"id":"e1"},'.repeat(bytes / 20)}{"id":"e2"}]`);
  return { root, nested, hash: documentHash(root.subarray(added.length), nested) };
}

/** Rows as they are written, with and without compression, and as earlier versions wrote them. */
const WRITTEN: Readonly<Record<string, { bytes: number; added?: string; earlier?: boolean }>> = {
  'a short document': { bytes: 40 },
  'a compressed document': { bytes: 2_000 },
  'a document that came without synced': { bytes: 2_000, added: SYNCED },
  'a short document of an earlier version': { bytes: 40, earlier: true },
  'a compressed document of an earlier version': { bytes: 2_000, earlier: true },
};

for (const [what, { earlier = false, ...form }] of Object.entries(WRITTEN)) {
  const { root, nested, hash } = documentWith(form);
  const columns = columnsOf(key, { root, nested }, hash);
  const row: DocumentColumns = earlier
    ? { ...columns, hash: columns.hash.subarray(0, 16) }
    : columns;
  const read = (from: DocumentColumns, at: { tenantId: string; index: string; id: string } = key) =>
    documentOf(at as typeof key, from);
  const sound = { index: 'identities', id: 'p1', root, nested };

  test(`reads ${what} as it was written`, () => {
    assert.deepEqual(withBuffers(read(row)), sound);
  });

  test(`never reads ${what} with a damaged byte as another document`, () => {
    const random = seededRandom(47);
    let damaged = 0;
    for (const column of ['hash', 'root', 'nested'] as const) {
      const bytes = Buffer.from(row[column] as Uint8Array);
      for (let at = 0; at < bytes.length; at++) {
        const copy = Buffer.from(bytes);
        copy[at] = (copy[at] as number) ^ (1 + Math.floor(random() * 255));
        const outcome = read({ ...row, [column]: copy });
        if (outcome === 'damaged') damaged++;
        else assert.deepEqual(withBuffers(outcome), sound, `${column} at ${at}`);
      }
    }
    const content = (row.root?.length ?? 0) + (row.nested?.length ?? 0);
    assert.ok(damaged >= content, `${damaged} of ${content}`);
  });

  test(`detects columns of ${what} that are missing or of another type`, () => {
    for (const column of ['hash', 'root'] as const) {
      assert.equal(read({ ...row, [column]: null }), 'damaged');
      assert.equal(read({ ...row, [column]: 'text' as unknown as Uint8Array }), 'damaged');
    }
    if (earlier) return;
    assert.equal(read(row, { ...key, id: 'p2' }), 'damaged');
    assert.equal(read(row, { ...key, tenantId: 'u' }), 'damaged');
  });
}

test('reads a tombstone as no document', () => {
  assert.equal(documentOf(key, { hash: null, root: null, nested: null }), null);
});

test('detects all of an earlier document but its added synced', () => {
  const { root, nested, hash } = documentWith({ bytes: 40, added: SYNCED });
  const at = root.indexOf('2026');
  const changed = Buffer.from(root);
  changed[at] = 0x31;
  assert.equal(
    documentOf(key, { hash: columnsOf(key, { root, nested }, hash).hash, root: changed, nested }),
    'damaged',
  );
  assert.notEqual(documentOf(key, { hash, root: changed, nested }), 'damaged');
});

function withBuffers(document: ReturnType<typeof documentOf>) {
  if (document === null || document === 'damaged') return document;
  const { root, nested } = document;
  return { ...document, root: Buffer.from(root), nested: Buffer.from(nested) };
}
