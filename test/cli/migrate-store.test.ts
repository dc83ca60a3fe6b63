// suite: slow
// cardea migrate-store: from SQLite to PostgreSQL, broken off and taken up again, and refused where it would mix data.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pino } from 'pino';
import { openOffline } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { demoAuthUsers } from '../../src/demo/auth-users.ts';
import { demoDocuments } from '../../src/demo/documents.ts';
import { operatorOf } from '../../src/service/audit/operator-event.ts';
import type { Store } from '../../src/service/ports/store.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { copyStore } from '../../src/store/sqlite/store-copy.ts';
import { commandLine } from '../support/command-line.ts';
import { startPostgres } from '../support/postgres.ts';
import { lines } from '../support/service.ts';

const TIMES = { poolSize: 2, waitMs: 20_000, statementMs: 60_000 };
const demo = { seed: 5, identities: 30, now: Date.UTC(2025, 5, 1) };
const dataDir = mkdtempSync(join(tmpdir(), 'cardea-migrate-'));
const path = join(dataDir, 'cardea.db');
const postgres = await startPostgres();
after(async () => {
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

before(async () => {
  const made = commandLine(['tenant', 'create', 'acme', '--data-dir', dataDir]);
  assert.equal(await made.ended, 0, made.err());
  const config = parseConfig({ CARDEA_DATA_DIR: dataDir });
  const data = await openOffline(config, { log: pino({ level: 'silent' }) });
  const [tenant] = await data.store.read.tenants();
  assert.ok(tenant);
  await data.documents.importDocuments(operatorOf(tenant.id), lines(demoDocuments(demo)));
  await data.documents.importAuthUsers(
    operatorOf(tenant.id),
    lines(demoAuthUsers({ ...demo, tenant: 'acme' })),
  );
  await data.close();
});

/** Everything the port tells of the first tenant. */
async function contentOf(store: Store): Promise<unknown> {
  const { read } = store;
  const [tenant] = await read.tenants();
  assert.ok(tenant);
  const changes = await read.changesAfter(0, 100_000);
  return {
    tenant: { ...tenant },
    last: await read.lastSequence(),
    counts: await read.documentCounts(tenant.id),
    fields: await read.dynamicFields(tenant.id),
    tokens: await read.credentialsOf(tenant.id, 'pat'),
    changes: changes.map(({ sequence, index, id, document }) => [
      ...[sequence, index, id],
      document && Buffer.from(document.root).toString(),
      document && Buffer.from(document.nested).toString(),
    ]),
  };
}

async function assertSame(url: string): Promise<void> {
  const [here, there] = [
    await openSqliteStore({ path }),
    await openPostgresStore({ url, ...TIMES }),
  ];
  try {
    assert.deepEqual(await contentOf(there), await contentOf(here));
  } finally {
    await here.close();
    await there.close();
  }
}

const migrate = (url: string) =>
  commandLine(['migrate-store', '--to', url, '--data-dir', dataDir, '--json']);

test('everything is there afterwards, and a second run finds it so', async () => {
  const url = await postgres.database('whole');
  const first = migrate(url);
  assert.equal(await first.ended, 0, first.err());
  const report = JSON.parse(first.out());
  assert.ok(report.rows > 300);
  assert.equal(report.alreadyCopied, 0);
  await assertSame(url);
  const doctor = commandLine(['doctor', '--data-dir', dataDir, '--store-url', url]);
  assert.equal(await doctor.ended, 0, doctor.out());
  assert.match(doctor.out(), /store +PostgreSQL answers, last change \d/);
  const second = migrate(url);
  assert.equal(await second.ended, 0, second.err());
  // The counters are two rows, copied every time.
  assert.equal(JSON.parse(second.out()).alreadyCopied, report.rows - 2);
});

test('resumes an interrupted copy after its last row', async () => {
  const url = await postgres.migrated('broken');
  const stopped = new Error('stopped');
  const cut = copyStore(
    { path },
    { url, ...TIMES },
    {
      progress(_step, done) {
        if (done > 250) throw stopped;
      },
    },
  );
  await assert.rejects(cut, stopped);
  const line = migrate(url);
  assert.equal(await line.ended, 0, line.err());
  const { rows, alreadyCopied } = JSON.parse(line.out());
  assert.ok(alreadyCopied > 200 && alreadyCopied < rows, `${alreadyCopied} of ${rows}`);
  await assertSame(url);
});

test('refuses a database with other data, and detects one that was changed', async () => {
  const url = await postgres.database('other');
  const store = await openPostgresStore({ url, ...TIMES });
  const tenant = { id: 'x', name: 'other', pod: 'p', created: '2026-01-01T00:00:00.000Z' };
  await store.write((records) => records.addTenant(tenant));
  const line = migrate(url);
  assert.equal(await line.ended, 1);
  assert.match(line.err(), /tenant in PostgreSQL holds rows that are not in the source/);
  await store.close();

  const whole = await postgres.database('changed');
  const done = migrate(whole);
  assert.equal(await done.ended, 0, done.err());
  const changed = await openPostgresStore({ url: whole, ...TIMES });
  const [acme] = await changed.read.tenants();
  const [change] = await changed.read.changesAfter(0, 1);
  assert.ok(acme && change);
  await changed.write((r) => r.deleteDocument(acme.id, change.index, change.id));
  await changed.close();
  const again = migrate(whole);
  assert.equal(await again.ended, 1);
  assert.match(again.err(), /copy into an empty database/);
});

test('beside a server it is refused', async () => {
  const config = parseConfig({ CARDEA_DATA_DIR: dataDir });
  const data = await openOffline(config, { log: pino({ level: 'silent' }) });
  const line = migrate(await postgres.database('beside'));
  assert.equal(await line.ended, 2);
  assert.match(line.err(), /stop it first/);
  await data.close();
});
