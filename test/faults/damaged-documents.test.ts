// suite: slow
// Damaged documents of a store: a server that serves everything else names them, and copies and
// exports go on without them.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openConnection } from '../../src/store/sqlite/sqlite-driver.ts';
import type { NodeStatusAnswer } from '../../src/telemetry/node-status.ts';
import { commandLine } from '../support/command-line.ts';
import { makeDemo } from '../support/demo-data.ts';
import { eventually } from '../support/eventually.ts';
import { figuresOf } from '../support/figures.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
const folder = mkdtempSync(join(tmpdir(), 'cardea-damaged-'));
before(async () => {
  service = await startService({ CARDEA_METRICS: 'on', CARDEA_STORE_CHECK_SECONDS: '1' });
  await service.addDocuments(Array.from({ length: 20 }, (_, n) => role(n)));
});
after(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const role = (n: number) => ({
  ...{ _type: 'role', id: `r${n}`, name: `Role ${n}`, created: '2026-01-01T00:00:00Z' },
  description: `text of ${n} `.repeat(40),
});

async function damage(id: string): Promise<void> {
  const connection = await openConnection(join(service.dataDir, 'cardea.db'), 60_000);
  try {
    const row = connection.get("select root from document where index_name = 'roles' and id = ?", [
      id,
    ]);
    const root = Buffer.from(row?.['root'] as Uint8Array);
    root.fill(0x41, 20, 24);
    connection.run("update document set root = ? where index_name = 'roles' and id = ?", [
      root,
      id,
    ]);
  } finally {
    connection.close();
  }
}

async function run(...args: string[]) {
  const line = commandLine([...args, '--data-dir', service.dataDir]);
  return { code: await line.ended, out: line.out(), err: line.err() };
}

const statusOf = async (path: string) => (await service.call('GET', path)).status;

test('a server names a damaged document, and everything else goes on', async () => {
  await damage('r3');
  await eventually(async () => {
    const ready = await service.call('GET', '/ready');
    assert.equal(ready.status, 200);
    const { warnings = [] } = (await ready.json()) as { warnings?: string[] };
    assert.match(warnings.join(), /1 document is damaged in the store and set aside/);
  });
  const answer = await service.call('GET', '/v3/search/roles/r3');
  assert.equal(answer.status, 503);
  assert.match(
    await answer.text(),
    /Document \\"r3\\" of roles is damaged in the store: import it/,
  );
  assert.equal(await statusOf('/v3/search/roles/r4'), 200);
  const figures = figuresOf(await (await service.call('GET', '/metrics')).text());
  assert.equal(figures.value('cardea_damaged_documents', {}), 1);
  const status = (await (await service.call('GET', '/admin/v1/status')).json()) as NodeStatusAnswer;
  assert.deepEqual(status.damagedDocuments, [{ index: 'roles', id: 'r3' }]);
});

test('copies and exports go on, and say what is damaged', async () => {
  await damage('r3');
  const damaged = /1 damaged document: "r3" of roles/;
  const backup = join(folder, 'backup');
  const made = await run('backup', backup);
  assert.equal(made.code, 0, made.err);
  assert.match(made.err, damaged);
  const verified = await run('backup', '--verify', backup);
  assert.equal(verified.code, 0, verified.err);
  assert.match(verified.err, damaged);
  const restoredDir = join(folder, 'restored');
  const restored = commandLine(['restore', backup, '--data-dir', restoredDir]);
  assert.equal(await restored.ended, 0, restored.err());
  assert.match(restored.err(), damaged);
  const exportDir = join(folder, 'export');
  const exported = await run('export', '--to', exportDir);
  assert.equal(exported.code, 0, exported.err);
  assert.match(exported.err, damaged);
  const text = readdirSync(exportDir)
    .map((file) => readFileSync(join(exportDir, file), 'utf8'))
    .join('');
  for (let n = 0; n < 20; n++) assert.equal(text.includes(`"id":"r${n}"`), n !== 3, `r${n}`);
  const doctor = await run('doctor');
  assert.equal(doctor.code, 1);
  assert.match(doctor.out, damaged);
});

test('an export goes on without damaged profiles and auth users, and says which', async () => {
  const dataDir = join(folder, 'demo');
  await makeDemo(dataDir);
  const exportTo = async (name: string) => {
    const to = join(folder, name);
    const flags = ['--to', to, '--profiles', '--auth-users', '--data-dir', dataDir];
    const line = commandLine(['export', ...flags]);
    assert.equal(await line.ended, 0, line.err());
    return { to, err: line.err(), out: line.out() };
  };
  const sound = await exportTo('sound');
  assert.doesNotMatch(sound.err, /damaged/);
  const connection = await openConnection(join(dataDir, 'cardea.db'), 60_000);
  const one = (table: string, column: string) =>
    String(connection.get(`select min(${column}) as id from ${table}`, [])?.['id']);
  const profile = one('profile_value', 'profile_id');
  const user = one('auth_user', 'id');
  const damaged = [
    ['profile_value', 'profile_id', profile],
    ['auth_user', 'id', user],
  ] as const;
  for (const [table, column, id] of damaged) {
    const where = `where ${column} = '${id}'`;
    connection.exec(`update ${table} set checksum = 'x' || checksum ${where}`);
  }
  connection.close();
  const { to, err } = await exportTo('without');
  assert.match(err, /Left out: .*2 damaged documents/);
  for (const [table, , id] of damaged) {
    assert.ok(err.includes(`"${id}" of ${table.replace('_value', '')}`), err);
  }
  const imported = join(folder, 'imported');
  const made = commandLine(['tenant', 'create', 'acme', '--data-dir', imported]);
  assert.equal(await made.ended, 0, made.err());
  for (const [flag, name] of [
    ['--auth-users', 'auth-users'],
    ['--profiles', 'profiles'],
  ] as const) {
    const file = readdirSync(to).find((one) => one.startsWith(name));
    assert.ok(file, readdirSync(to).join());
    const line = commandLine(['import', join(to, file), flag, '--data-dir', imported]);
    await line.ended;
    assert.match(line.out(), /[1-9]\d* created/);
  }
});

test('importing the same document again mends it', async () => {
  await damage('r3');
  const report = await service.addDocuments(Array.from({ length: 20 }, (_, n) => role(n)));
  assert.deepEqual([report.updated, report.unchanged], [1, 19]);
  assert.equal(await statusOf('/v3/search/roles/r3'), 200);
  await eventually(async () => {
    assert.deepEqual(await (await service.call('GET', '/ready')).json(), { status: 'ready' });
  });
});

test('all documents that the service wrote have checks that hold', async () => {
  const { store } = service.cardea;
  assert.deepEqual(await store.read.documentDamage(), { count: 0, documents: [] });
});
