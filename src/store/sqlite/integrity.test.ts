import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { storeFaults } from './integrity.ts';
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
