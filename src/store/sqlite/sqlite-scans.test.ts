// Scans run in parallel to the main thread, see earlier commits, and a dead thread fails only its
// own scans.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { openConnection } from './sqlite-driver.ts';
import { type ScanWorkerStart, SqliteScans } from './sqlite-scans.ts';

const directory = mkdtempSync(join(tmpdir(), 'cardea-scans-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const BUSY_MS = 5_000;
const SCRIPT = new URL('./sqlite-scan-worker.js', import.meta.url);

/** A database with a table of numbers, and its writer. */
async function numbers(name: string) {
  const path = join(directory, name);
  const writer = await openConnection(path, BUSY_MS);
  writer.exec('pragma journal_mode = wal');
  writer.exec('create table number (n integer)');
  for (let n = 0; n < 300; n++) writer.run('insert into number values (?)', [n]);
  return { path, writer };
}

/** A query of some million steps. */
const LONG = 'select count(*) as found from number a, number b, number c where a.n + b.n = c.n';

test('the event loop runs during a scan, and the scan returns its rows', async () => {
  const { path, writer } = await numbers('long.db');
  const scans = new SqliteScans({ path, busyMs: BUSY_MS });
  await scans.all('select 1', []);
  let turns = 0;
  let scanning = true;
  const count = () => {
    turns += 1;
    if (scanning) setImmediate(count);
  };
  setImmediate(count);
  // In the main thread there would be a turn or two a scan: one before it and one after it. On a
  // busy machine this thread may rest during a scan, but not during all of them.
  let most = 0;
  for (let scan = 0; scan < 20 && most <= 10; scan++) {
    const before = turns;
    const [row] = (await scans.all(LONG, [])) as { found: number }[];
    assert.equal(row?.found, 45_150);
    most = Math.max(most, turns - before);
  }
  scanning = false;
  assert.ok(most > 10, String(most));
  await scans.close();
  writer.close();
});

test('a scan sees what was committed before it, and cannot write', async () => {
  const { path, writer } = await numbers('fresh.db');
  const scans = new SqliteScans({ path, busyMs: BUSY_MS });
  const countOf = async () => (await scans.all('select n from number where n >= ?', [300])).length;
  assert.equal(await countOf(), 0);
  writer.run('insert into number values (?)', [300]);
  assert.equal(await countOf(), 1);
  await assert.rejects(scans.all('delete from number', []), /read-?only/);
  await assert.rejects(scans.all('select nothing', []), /nothing/);
  assert.equal(await countOf(), 1);
  await scans.close();
  writer.close();
});

test('a thread that dies fails only its own scans, and the next scan starts another', async () => {
  const { path, writer } = await numbers('dead.db');
  let deaths = 1;
  const start = (workerData: ScanWorkerStart) =>
    deaths-- > 0
      ? new Worker('process.exit(1)', { eval: true })
      : new Worker(SCRIPT, { workerData });
  const scans = new SqliteScans({ path, busyMs: BUSY_MS }, start);
  await assert.rejects(scans.all('select 1', []), { code: 'unavailable' });
  assert.equal((await scans.all('select n from number', [])).length, 300);
  await scans.close();
  await assert.rejects(scans.all('select 1', []), { code: 'unavailable' });
  writer.close();
});
