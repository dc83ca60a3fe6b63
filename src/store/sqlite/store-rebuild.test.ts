// suite: slow
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openConnection } from './sqlite-driver.ts';
import { openSqliteStore } from './sqlite-store.ts';
import { rebuildStore } from './store-rebuild.ts';

const folder = mkdtempSync(join(tmpdir(), 'cardea-rebuild-'));
const path = join(folder, 'cardea.db');
const DOCUMENTS = 2_000;
const NOW = Date.parse('2026-03-01T00:00:00.000Z');
let sound: Buffer;
let rows: ReadonlyMap<string, readonly string[]>;
/** The pages of each table and index, in the order of their keys. */
const pages = new Map<string, number[]>();

before(async () => {
  const store = await openSqliteStore({ path });
  await store.write(async (records) => {
    await records.addTenant({ id: 't', name: 't', pod: 'p', created: '2026-01-01T00:00:00.000Z' });
    const root = (n: number) => Buffer.from(`{"id":"r${n}","name":"${'x'.repeat(300)}"}`);
    await records.putDocuments(
      't',
      Array.from({ length: DOCUMENTS }, (_, n) => ({
        ...({ index: 'roles', id: `r${n}`, nested: Buffer.alloc(0) } as const),
        root: root(n),
      })),
    );
  });
  await store.close();
  const connection = await openConnection(path, 1_000);
  connection.exec('pragma wal_checkpoint(truncate)');
  for (const { name, pageno } of connection.all('select name, pageno from dbstat', [])) {
    pages.set(String(name), [...(pages.get(String(name)) ?? []), Number(pageno)]);
  }
  connection.close();
  rows = await rowsOf();
  sound = readFileSync(path);
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Every row of every table, as text in order. */
async function rowsOf(): Promise<ReadonlyMap<string, readonly string[]>> {
  const connection = await openConnection(path, 1_000);
  const tables = connection.all("select name from sqlite_schema where type = 'table'", []);
  const all = tables.map(({ name }): [string, string[]] => {
    const found = connection.all(`select * from "${name}" not indexed`, []);
    return [String(name), found.map((row) => JSON.stringify(row)).sort()];
  });
  connection.close();
  return new Map(all);
}

const PAGE = 16_384;
const KEY = 'sqlite_autoindex_document_1';
const startOf = (name: string, at: number) => ((pages.get(name)?.[at] ?? assert.fail()) - 1) * PAGE;

/** Damage, and the table whose rows cannot all be read; null if all can. */
const DAMAGE: Readonly<Record<string, readonly [damage: (b: Buffer) => unknown, string | null]>> = {
  'the first page of an index': [(b) => b.fill(0x55, startOf(KEY, 0), startOf(KEY, 0) + 64), null],
  'a page of an index': [(b) => b.fill(0x55, startOf(KEY, 2), startOf(KEY, 2) + 64), null],
  'a page of an index that is empty': [
    (b) => b.fill(0, startOf(KEY, 2), startOf(KEY, 2) + PAGE),
    null,
  ],
  'a page of an index that is of a table': [
    (b) => b.copy(b, startOf(KEY, 2), startOf('document', 3), startOf('document', 3) + PAGE),
    null,
  ],
  'the number of free pages': [(b) => b.writeUInt32BE(7, 36), null],
  'the list of free pages': [
    (b) => {
      b.writeUInt32BE(startOf(KEY, 2) / PAGE + 1, 32);
      b.writeUInt32BE(1, 36);
    },
    null,
  ],
  'a page of a table': [
    (b) => b.fill(0x55, startOf('document', 3), startOf('document', 3) + 64),
    'document',
  ],
  'a page of a table that is another one': [
    (b) => b.copy(b, startOf('document', 4), startOf('document', 3), startOf('document', 3) + PAGE),
    'document',
  ],
  'the first page of a table': [
    (b) => b.fill(0x55, startOf('document', 0), startOf('document', 0) + 64),
    'document',
  ],
};

for (const [what, [damage, unread]] of Object.entries(DAMAGE)) {
  test(`${what}: ${unread === null ? 'every row is copied' : 'the table is named'}`, async () => {
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    const bytes = Buffer.from(sound);
    damage(bytes);
    writeFileSync(path, bytes);
    if (unread !== null) {
      await assert.rejects(rebuildStore(path, NOW), {
        code: 'unavailable',
        message: new RegExp(`^Not every row of the table ${unread} can be read: `),
      });
      assert.deepEqual(readFileSync(path), bytes);
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.includes('rebuilding')),
        [],
      );
      return;
    }
    const { previous, rows: copied } = await rebuildStore(path, NOW);
    assert.ok(copied > DOCUMENTS);
    assert.equal(previous, `${path}.before-2026-03-01T00-00-00-000Z`);
    assert.deepEqual(readFileSync(previous), bytes);
    assert.deepEqual(await rowsOf(), rows);
    const store = await openSqliteStore({ path });
    assert.equal((await store.read.documentDamage()).count, 0);
    await store.write((records) => records.deleteDocument('t', 'roles', 'r1'));
    await store.close();
  });
}
