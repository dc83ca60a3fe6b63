// suite: slow
// A server checks every page of its store in the background, and tells of damage.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, test } from 'node:test';
import { pino } from 'pino';
import { compose } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { type StoreCheck, StoreChecks } from '../../src/jobs/store-checks.ts';
import { checkFile } from '../../src/store/sqlite/file-check.ts';
import { openConnection } from '../../src/store/sqlite/sqlite-driver.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { eventually } from '../support/eventually.ts';
import { figuresOf } from '../support/figures.ts';

let dataDir: string;
let path: string;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'cardea-checks-'));
  path = join(dataDir, 'cardea.db');
  await (await openSqliteStore({ path })).close();
  const connection = await openConnection(path, 60_000);
  connection.exec('pragma wal_checkpoint(truncate)');
  connection.close();
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

/** Overwrites the page of an empty table, which nothing reads at a start. */
async function damagePage(): Promise<void> {
  const connection = await openConnection(path, 60_000);
  const number = (sql: string) => Number(Object.values(connection.get(sql, []) ?? {})[0]);
  const page = number("select rootpage from sqlite_schema where name = 'custom_capability'");
  const size = number('pragma page_size');
  connection.close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(size, 0x55), 0, size, (page - 1) * size);
  closeSync(file);
}

test('a server that serves tells of a damaged page in /ready, log and metrics', async () => {
  await damagePage();
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const config = parseConfig({
    ...{ CARDEA_PORT: '0', CARDEA_DATA_DIR: dataDir, CARDEA_METRICS: 'on' },
    CARDEA_STORE_CHECK_SECONDS: '1',
  });
  const cardea = await compose(config, { log: pino(sink) });
  try {
    const { url } = await cardea.start();
    await eventually(async () => {
      const answer = await fetch(`${url}/ready`);
      assert.equal(answer.status, 200);
      const { warnings = [] } = (await answer.json()) as { warnings?: string[] };
      assert.match(
        warnings.join(),
        /(^|,)The store is damaged, see cardea doctor, or restore a backup: /,
      );
    });
    const figures = figuresOf(await (await fetch(`${url}/metrics`)).text());
    const store = { store: 'sqlite' };
    assert.ok(Number(figures.value('cardea_store_faults', store)) > 0);
    assert.ok(Number(figures.value('cardea_store_check_timestamp_seconds', store)) > 1e9);
    assert.match(lines.join(''), /"level":50.*"faults":\[".*The store is damaged/);
  } finally {
    await cardea.stop();
  }
});

/** Runs checks until one of them is reported. */
async function firstCheck(file: string, intervalMs = 1): Promise<StoreCheck | string> {
  const reports: (StoreCheck | string)[] = [];
  const report = (check: StoreCheck | string) => reports.push(check);
  const checks = new StoreChecks({
    check: (signal) => checkFile(file, signal),
    ...{ intervalMs, clock: { now: () => 1_234 } },
    onChecked: report,
    onFailed: report,
  });
  assert.equal(checks.last, null);
  checks.start();
  try {
    await eventually(() => assert.ok(reports.length > 1));
  } finally {
    await checks.stop();
  }
  return reports[0] ?? assert.fail();
}

test('a sound store is told to be, again and again, until the checks are stopped', async () => {
  assert.deepEqual(await firstCheck(path), {
    checkedAt: 1_234,
    faults: [],
    damage: { count: 0, documents: [] },
    wrong: [],
    trails: [],
  });
});

test('a month between checks is waited for, though no timer is as long', async (t) => {
  const DAY_MS = 86_400_000;
  const TIMER_MS_MAX = 2 ** 31 - 1;
  const delays: number[] = [];
  const timeout = setTimeout;
  t.mock.method(globalThis, 'setTimeout', (work: () => void, ms: number) => {
    if (ms >= 60_000) delays.push(ms);
    return timeout(work, Math.min(ms, 1));
  });
  await firstCheck(path, 30 * DAY_MS);
  assert.deepEqual(delays.slice(0, 3), [60_000, TIMER_MS_MAX, 30 * DAY_MS - TIMER_MS_MAX]);
});

test('a store that is too damaged to be read to its end has a fault', async () => {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(4_096, 0x55), 0, 4_096, 0);
  closeSync(file);
  const check = await firstCheck(path);
  assert.ok(typeof check === 'object');
  assert.deepEqual(check.faults, [
    'The file is not a database, or its header is damaged: restore a backup.',
  ]);
});

test('a check whose process cannot be started fails, and the next one is made', async (t) => {
  const { execPath } = process;
  t.after(() => {
    process.execPath = execPath;
  });
  process.execPath = join(dataDir, 'missing');
  assert.match(String(await firstCheck(path)), /ENOENT/);
});

/** Checks a store without a free file descriptor, and with one again. */
const WITHOUT_FILES = `
  import { closeSync, openSync } from 'node:fs';
  import { StoreChecks } from ${JSON.stringify(import.meta.resolve('../../src/jobs/store-checks.js'))};
  import { checkFile } from ${JSON.stringify(import.meta.resolve('../../src/store/sqlite/file-check.js'))};
  const files = [];
  try {
    for (;;) files.push(openSync('/dev/null'));
  } catch {}
  const report = (text) => {
    console.error(text);
    for (const file of files.splice(0)) closeSync(file);
    if (text === 'sound') checks.stop().then(() => process.exit(0));
  };
  const checks = new StoreChecks({
    check: (signal) => checkFile(process.argv[2], signal),
    intervalMs: 1,
    clock: { now: () => 0 },
    onChecked: () => report('sound'),
    onFailed: report,
  });
  checks.start();
  // The timers of the checks do not keep the process alive.
  setInterval(() => {}, 60_000);
`;

test('a check is made again after a time without a free file descriptor', () => {
  const limited = 'ulimit -n 256 && exec "$@"';
  const script = join(dataDir, 'without-files.mjs');
  writeFileSync(script, WITHOUT_FILES);
  const { status, stderr } = spawnSync(
    'sh',
    ['-c', limited, 'sh', process.execPath, script, path],
    { encoding: 'utf8', timeout: 120_000 },
  );
  assert.match(stderr, /^spawn .* EMFILE\nsound\n$/);
  assert.equal(status, 0);
});

test('stopping ends a check that runs', async () => {
  const locked = join(dataDir, 'locked.db');
  const holder = await openConnection(locked, 0);
  // Without a log a writer keeps readers out, so the check waits inside SQLite.
  holder.exec('create table a (b)');
  holder.exec('begin exclusive');
  let running = false;
  const checks = new StoreChecks({
    async check(signal) {
      running = true;
      return checkFile(locked, signal).finally(() => {
        running = false;
      });
    },
    ...{ intervalMs: 1, clock: { now: () => 0 } },
    onChecked: () => assert.fail('it cannot end'),
    onFailed: () => assert.fail('it is not reported'),
  });
  checks.start();
  await eventually(() => assert.ok(running));
  await checks.stop();
  assert.ok(!running);
  assert.equal(checks.last, null);
  holder.close();
});
