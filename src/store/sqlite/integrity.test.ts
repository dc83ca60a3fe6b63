import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { areOfIndexes, rebuildIndexes, storeFaults } from './integrity.ts';
import { openConnection } from './sqlite-driver.ts';

async function withFile(work: (path: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'cardea-integrity-'));
  try {
    const path = join(directory, 'x.db');
    const connection = await openConnection(path, 0);
    connection.exec('create table t (a text)');
    connection.run(
      'insert into t with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000) select i || hex(zeroblob(40)) from n',
      [],
    );
    connection.close();
    await work(path);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test('an undamaged file has no faults', () =>
  withFile(async (path) => assert.deepEqual(await storeFaults(path), [])));

test('rejects a truncated file as damaged', () =>
  withFile(async (path) => {
    truncateSync(path, 64 * 1024);
    await assert.rejects(storeFaults(path), { code: 'unavailable', message: /damaged/ });
  }));

for (const { what, at, bytes, fill, expected } of [
  {
    what: 'a page header that was overwritten',
    at: 0,
    bytes: 64,
    fill: 0xff,
    expected: 'rejected',
  },
  // A pointer past the end of the page would have SQLite read arbitrary memory.
  { what: 'a cell pointer that was overwritten', at: 8, bytes: 2, fill: 0, expected: 'reported' },
] as const) {
  test(`${what} is ${expected}`, () =>
    withFile(async (path) => {
      const content = readFileSync(path);
      const start = 20 * 4096 + at;
      content.fill(fill, start, start + bytes);
      writeFileSync(path, content);
      if (expected === 'rejected') {
        await assert.rejects(storeFaults(path), { code: 'unavailable', message: /damaged/ });
      } else {
        assert.match((await storeFaults(path)).join('\n'), /page 21\b/);
      }
    }));
}

test('rejects a file that is no database', () =>
  withFile(async (path) => {
    writeFileSync(path, 'not a database, not at all, however long one looks at it'.repeat(20));
    await assert.rejects(storeFaults(path), { code: 'unavailable' });
  }));

/** Overwrites the high byte of where the cells of a page in the middle of a table or index begin. */
async function damageTree(path: string, name: string): Promise<void> {
  const connection = await openConnection(path, 0);
  connection.exec('create index ta on t(a)');
  const pages = connection.all('select pageno from dbstat where name = ? order by path', [name]);
  connection.exec('pragma wal_checkpoint(truncate)');
  connection.close();
  const content = readFileSync(path);
  const page = Number(pages[Math.floor(pages.length / 2)]?.['pageno']);
  content[(page - 1) * 4096 + 5] = 0x01;
  writeFileSync(path, content);
}

test('a damaged page of an index is named with it, and rebuilding the indexes mends it', () =>
  withFile(async (path) => {
    await damageTree(path, 'ta');
    const faults = await storeFaults(path);
    assert.match(faults.join('\n'), /^Tree \d+ \(index ta\) page \d+/m);
    assert.ok(areOfIndexes(faults), faults.join('\n'));
    assert.deepEqual(await rebuildIndexes(path), []);
  }));

test('a damaged page of a table is named with it, and is not taken for one of an index', () =>
  withFile(async (path) => {
    await damageTree(path, 't');
    const faults = await storeFaults(path);
    assert.match(faults.join('\n'), /^Tree \d+ \(table t\) page \d+/m);
    assert.ok(!areOfIndexes(faults), faults.join('\n'));
  }));

for (const [what, faults, expected] of [
  ['none', [], false],
  ['a row that an index lacks', ['row 1 missing from index a'], true],
  ['pages that nothing refers to', ['Page 7: never used'], false],
  ['an index and pages below it', ['Tree 4 (index a) page 4: x', 'Page 7: never used'], true],
  ['an index and a table', ['Tree 4 (index a) page 4: x', 'Tree 3 (table t) page 9: x'], false],
  [
    'an index and so many pages that others may be damaged, too',
    [
      'Tree 4 (index a) page 4: x',
      ...Array.from({ length: 19 }, (_, n) => `Page ${n}: never used`),
    ],
    false,
  ],
] as const) {
  test(`the faults of ${what} are ${expected ? '' : 'not '}of indexes alone`, () => {
    assert.equal(areOfIndexes(faults), expected);
  });
}
