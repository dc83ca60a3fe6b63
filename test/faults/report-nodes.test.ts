// suite: slow, alone
// A scheduled search over a change of the clocks, on three nodes over one PostgreSQL, one of which is killed in mid-run:
// another one repeats the run, and its recipient gets one e-mail.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import { createAdmin, createTenant } from '../../src/service/accounts/provisioning.ts';
import { createCredential } from '../../src/service/credentials/credentials.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { tokenOf } from '../support/callers.ts';
import { eventually } from '../support/eventually.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { NodeProcess } from '../support/node-process.ts';
import { startPostgres } from '../support/postgres.ts';

const home = mkdtempSync(join(tmpdir(), 'cardea-reports-'));
const postgres = await startPostgres();
const nodes: NodeProcess[] = [];
let mail: MailServer;
let database: Client;
let token: string;

before(async () => {
  mail = await startMailServer();
  const url = await postgres.migrated('reports');
  database = new Client({ connectionString: url });
  await database.connect();
  const store = await openPostgresStore({ url, poolSize: 1, waitMs: 60_000, statementMs: 60_000 });
  const tenant = await createTenant(store, { name: 'test' });
  const admin = await createAdmin(store, tenant, { uid: 'test.admin' });
  const pat = await createCredential(
    store,
    tenant.id,
    'pat',
    { name: 'test' },
    { ownerId: admin.id },
  );
  await store.close();
  for (let n = 0; n < 3; n += 1) {
    nodes.push(
      new NodeProcess({
        ...{ CARDEA_DATA_DIR: join(home, `node${n}`), CARDEA_STORE_URL: url },
        ...{ CARDEA_SMTP_URL: mail.url, CARDEA_SMTP_FROM: 'cardea@reports.test' },
        ...{ CARDEA_TESTING: 'on', CARDEA_NOW: '2026-03-29T00:59:00Z', CARDEA_INDEX_POLL_MS: '50' },
        ...{ CARDEA_CONSOLE: 'off', CARDEA_DOCUMENTATION: 'off', CARDEA_THREADS: '1' },
      }),
    );
  }
  await Promise.all(nodes.map((node) => node.start()));
  const [first] = nodes;
  assert.ok(first);
  token = await tokenOf(first.url, { clientId: pat.credential.id, clientSecret: pat.secret });
});
after(async () => {
  for (const node of nodes) await node.kill();
  await database?.end();
  await mail?.close();
  await postgres.stop();
  rmSync(home, { recursive: true, force: true });
});

// biome-ignore lint/suspicious/noExplicitAny: whatever the service answers
type Json = any;

async function call(node: NodeProcess, method: string, path: string, body?: unknown) {
  const answer = await fetch(`${node.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return (text === '' ? null : JSON.parse(text)) as Json;
}

const setClocks = (list: readonly NodeProcess[], now: string) =>
  Promise.all(list.map((node) => call(node, 'PUT', '/admin/v1/clock', { now })));

/** The runs as the database has them, oldest first. */
async function runs(): Promise<Json[]> {
  const { rows } = await database.query('select details from search_run order by number');
  return rows.map(({ details }) => JSON.parse(details));
}

test('a run that is killed is repeated elsewhere, and delivered once', async () => {
  const [first] = nodes;
  assert.ok(first);
  await call(first, 'POST', '/admin/v1/documents?refresh=wait', [
    { _type: 'identity', id: 'ada', name: 'ada', email: 'ada@people.test' },
  ]);
  for (const node of nodes) await eventually(async () => assert.ok(await node.ready()));
  const search = { indices: ['identities'], query: '*' };
  const { id: savedSearchId } = await call(first, 'POST', '/v2024/saved-searches', search);
  // On 29 March the clocks of Berlin skip 2:00, at 1:00 UTC; a day later it is midnight in UTC.
  await call(first, 'POST', '/v2024/scheduled-searches', {
    ...{ savedSearchId, enabled: true, recipients: [{ type: 'IDENTITY', id: 'ada' }] },
    schedule: {
      ...{ type: 'DAILY', hours: { type: 'LIST', values: ['2'] }, timeZoneId: 'Europe/Berlin' },
    },
  });

  // A run cannot write its results while the test holds this lock.
  await database.query('begin; lock table search_run_part in share mode');
  await setClocks(nodes, '2026-03-29T01:00:00Z');
  let worker: NodeProcess | undefined;
  await eventually(async () => {
    const [run] = await runs();
    assert.equal(run?.state, 'RUNNING');
    worker = nodes.find(({ pid }) => run.worker.includes(` ${pid} `));
    const { rows } = await database.query('select 1 from pg_locks where not granted');
    assert.ok(rows.length > 0);
  });
  assert.ok(worker);
  await worker.kill();
  await database.query('commit');
  const [killed] = await runs();
  assert.deepEqual([killed.state, killed.attempt], ['RUNNING', 1]);
  assert.equal(mail.mails.length, 0);

  const left = nodes.filter(({ runs: isRunning }) => isRunning);
  assert.equal(left.length, 2);
  await eventually(async () => {
    const [run] = await runs();
    assert.equal(run.state, 'COMPLETED', run.reason);
    assert.equal(mail.mails.length, 1);
  });
  await setClocks(left, '2026-03-30T00:00:00Z');
  await eventually(() => assert.equal(mail.mails.length, 2));
  const all = await runs();
  assert.deepEqual(
    all.map(({ due, state, attempt }) => [due, state, attempt]),
    [
      ['2026-03-29T01:00:00.000Z', 'COMPLETED', 2],
      ['2026-03-30T00:00:00.000Z', 'COMPLETED', 1],
    ],
  );
  const ids = mail.mails.map(({ headers }) => headers.get('message-id'));
  assert.equal(new Set(ids).size, 2);
  // The mail arrives before its delivery is recorded.
  await eventually(async () => {
    const { rows } = await database.query('select details from search_delivery');
    assert.deepEqual(
      rows.map(({ details }) => JSON.parse(details).state),
      ['DELIVERED', 'DELIVERED'],
    );
  });
  assert.equal(mail.mails.length, 2);
});
