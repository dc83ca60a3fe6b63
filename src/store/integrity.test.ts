import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
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
      'insert into t with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000) select hex(randomblob(40)) from n',
      [],
    );
    connection.close();
    await work(path);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test('a sound file has no faults', () =>
  withFile(async (path) => assert.deepEqual(await storeFaults(path), [])));

test('a file that lost its end is told of', () =>
  withFile(async (path) => {
    truncateSync(path, 64 * 1024);
    const told = await storeFaults(path).catch((error: Error) => [error.message]);
    assert.ok(told.length > 0);
  }));

test('something else under that name is told of', () =>
  withFile(async (path) => {
    writeFileSync(path, 'not a database, not at all, however long one looks at it'.repeat(20));
    await assert.rejects(storeFaults(path), { code: 'unavailable' });
  }));
