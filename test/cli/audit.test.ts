// suite: slow
// cardea audit verify: names what was changed in the database, also beside a running server; cardea doctor says so too.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { openConnection } from '../../src/store/sqlite/sqlite-driver.ts';
import { commandLine } from '../support/command-line.ts';

const root = mkdtempSync(join(tmpdir(), 'cardea-audit-'));
after(() => rmSync(root, { recursive: true, force: true }));

let directories = 0;
let dataDir: string;

async function cardea(
  args: readonly string[],
): Promise<{ code: number; out: string; err: string }> {
  const line = commandLine([...args, '--data-dir', dataDir]);
  return { code: await line.ended, out: line.out(), err: line.err() };
}

const verify = (...args: string[]) => cardea(['audit', 'verify', ...args]);

/** Runs statements below the service: the triggers that refuse changes are taken away, and put back afterwards. */
async function below(...statements: readonly string[]): Promise<void> {
  const connection = await openConnection(join(dataDir, 'cardea.db'), 60_000);
  try {
    const triggers = connection.all(
      "select name, sql from sqlite_schema where type = 'trigger'",
      [],
    );
    for (const { name } of triggers) connection.exec(`drop trigger ${name}`);
    for (const statement of statements) connection.exec(statement);
    for (const { sql } of triggers) connection.exec(String(sql));
  } finally {
    connection.close();
  }
}

const numberOf = (tenant: string) =>
  `tenant_id = (select id from tenant where name = '${tenant}') and number`;

beforeEach(async () => {
  dataDir = join(root, String(directories++));
  for (const name of ['acme', 'globex']) {
    assert.equal((await cardea(['tenant', 'create', name])).code, 0);
  }
});

test('a trail that is whole is confirmed, with the end of each chain', async () => {
  const { code, out } = await verify();
  assert.equal(code, 0);
  assert.match(
    out,
    /^ok {6}acme: 3 events\n {8}--head acme:3:[0-9a-f]{64}\nok {6}globex: 3 events\n/,
  );
  assert.equal((await verify('--tenant', 'globex')).out.includes('acme'), false);
});

test('an event that was changed is named by tenant and number, and the other tenant is not', async () => {
  await below(
    `update audit_event set event = replace(event, 'PASSED', 'FAILED') where ${numberOf('globex')} = 2`,
  );
  const { code, out } = await verify();
  assert.equal(code, 1);
  assert.match(out, /^ok {6}acme/m);
  assert.match(out, /^fault {3}globex: 3 events$/m);
  assert.match(out, /^ {8}globex 2 changed: event 2 is not as it was written$/m);
  const json = JSON.parse((await verify('--json')).out);
  assert.equal(json.ok, false);
  assert.deepEqual(
    json.tenants.map(({ tenant, events, faultCount }: Record<string, unknown>) => [
      ...[tenant, events, faultCount],
    ]),
    [
      ['acme', 3, 0],
      ['globex', 3, 2],
    ],
  );
  assert.equal((await verify('--tenant', 'acme')).code, 0);
  const doctor = await cardea(['doctor']);
  assert.equal(doctor.code, 1);
  assert.match(
    doctor.out,
    /^fault {3}audit trail +globex: event 2 is not as it was written and 1 more/m,
  );
});

test('documents that the retention deleted are no fault, and the report says until when', async () => {
  const acmeId = `(select id from tenant where name = 'acme')`;
  await below(
    `delete from document where id in (select id from audit_event where ${numberOf('acme')} = 2)`,
    `insert into event_purge values (${acmeId}, ${Date.parse('2100-01-01T00:00:00.000Z')})`,
  );
  const { code, out } = await verify();
  assert.equal(code, 0, out);
  assert.match(
    out,
    /^ok {6}acme: 3 events\n {8}acme: documents of events from before 2100-01-01T00:00:00.000Z were removed by the retention$/m,
  );
  const [acme, globex] = JSON.parse((await verify('--json')).out).tenants;
  assert.deepEqual([acme.purgedBefore, globex.purgedBefore], ['2100-01-01T00:00:00.000Z', null]);
});

test('an end that was kept elsewhere shows a trail that was cut off together with all its traces', async () => {
  const head = /--head (acme:\S+)/.exec((await verify()).out)?.[1] ?? '';
  assert.equal((await verify('--head', head)).code, 0);
  const last = numberOf('acme');
  await below(
    `delete from document where id in (select id from audit_event where ${last} = 3)`,
    `delete from audit_event where ${last} = 3`,
    `update audit_head set number = 2, hash = (select hash from audit_event where ${last} = 2)
     where tenant_id = (select id from tenant where name = 'acme')`,
  );
  assert.equal((await verify()).code, 0);
  const { code, out } = await verify('--head', head);
  assert.equal(code, 1);
  assert.match(out, /acme 3 truncated: the trail ends with event 2, but event 3 was noted/);
});

test('--head is refused where it is no such end or names a tenant that is not checked', async () => {
  const malformed = await verify('--head', 'acme:3');
  assert.equal(malformed.code, 2);
  assert.match(malformed.err, /--head must be TENANT:NUMBER:HASH/);
  const unknown = await verify('--head', `nobody:3:${'0'.repeat(64)}`);
  assert.equal(unknown.code, 1);
  assert.match(unknown.err, /--head names the tenant nobody/);
});

test('what the trails rest on is verified for all tenants', async () => {
  const connection = await openConnection(join(dataDir, 'cardea.db'), 60_000);
  connection.exec("drop trigger audit_event_delete; delete from tenant where name = 'acme'");
  connection.close();
  const { code, out } = await verify('--tenant', 'globex');
  assert.equal(code, 1);
  assert.match(out, /^fault {3}database: the trigger audit_event_delete.* is missing/m);
  assert.match(out, /^fault {3}database: the tenant \S+ was removed, but has an audit trail/m);
  const { ok, database } = JSON.parse((await verify('--json')).out);
  assert.equal(ok, false);
  assert.equal(database.faults.length, 2);
});
