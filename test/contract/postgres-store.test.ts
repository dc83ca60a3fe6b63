// suite: slow
// The store contract on PostgreSQL.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import type { Store } from '../../src/service/ports/store.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { restoreTriggersOf } from '../../src/store/postgres/postgres-triggers.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { type AuditDatabase, auditContract } from './audit-trail.ts';
import { damageContract } from './damaged-documents.ts';
import { derivedContract } from './derived-tables.ts';
import { profileContract } from './profiles.ts';
import { resourceContract } from './resources.ts';
import { rowChecksumContract } from './row-checksums.ts';
import { storeContract } from './store.ts';
import { ACME, authUser } from './store-records.ts';

let postgres: Postgres;
before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

const OPTIONS = { poolSize: 2, waitMs: 20_000, statementMs: 30_000 };
const openAt = (url: string): Promise<Store> => openPostgresStore({ url, ...OPTIONS });
const open = async (name: string): Promise<Store> => openAt(await postgres.migrated(name));

const openEmpty = async (name: string): Promise<Store> => openAt(await postgres.database(name));

storeContract('PostgreSQL', open, openEmpty);
resourceContract('PostgreSQL', open);
profileContract('PostgreSQL', open);
const openBelow = async (name: string): Promise<AuditDatabase> => {
  const database = `audit_${name}`;
  const store = await open(database);
  const below = async (sql: string, values: readonly unknown[] = []) => {
    const client = new Client({ connectionString: await postgres.database(database) });
    await client.connect();
    try {
      let place = 0;
      await client.query(
        sql.replaceAll('?', () => `$${++place}`),
        [...values],
      );
    } finally {
      await client.end();
    }
  };
  return {
    store,
    run: (sql, ...values) => below(sql, values),
    dropTriggers: () => below('drop trigger audit_event_append_only on audit_event'),
    replaceTrigger: () =>
      below(
        `create or replace function audit_event_refuse() returns trigger language plpgsql as
          $$ begin return null; end $$`,
      ),
    addTrigger: (trigger) =>
      below(
        `create function skip() returns trigger language plpgsql as $$ begin return null; end $$;
         create trigger ${trigger} before insert on audit_event for each row execute function skip()`,
      ),
    changes: [
      'truncate audit_event',
      `merge into audit_event using (select 1 as number) as one on audit_event.number = one.number
         when matched then update set event = 'x'`,
      // As the user of a replica, for whom ordinary triggers do not fire.
      `do $$ begin
         perform set_config('session_replication_role', 'replica', true);
         delete from audit_event;
       end $$`,
    ],
  };
};
auditContract('PostgreSQL', openBelow);
damageContract('PostgreSQL', openBelow);
rowChecksumContract('PostgreSQL', openBelow);
derivedContract('PostgreSQL', openBelow);

test('detects a rule that swallows events, and triggers that do not fire always, and restores both', async () => {
  const store = await open('rules');
  const client = new Client({ connectionString: await postgres.database('rules') });
  await client.connect();
  await client.query('create rule swallow as on insert to audit_event do instead nothing');
  await client.query('alter table audit_event enable trigger audit_event_append_only');
  await client.end();
  const faults = await store.read.auditProtectionFaults();
  assert.equal(faults.length, 2);
  assert.match(faults[0] ?? '', /trigger audit_event_append_only.* was replaced: cardea doctor/);
  assert.match(faults[1] ?? '', /has a rule swallow that does not belong there: .* drops it$/);
  await store.write((records) => records.restoreAuditProtection());
  assert.deepEqual(await store.read.auditProtectionFaults(), []);
  await store.close();
});

const TRIGGER_CHANGES: Readonly<Record<string, string>> = {
  'is missing': 'drop trigger auth_user_written on auth_user',
  'does not fire': 'alter table auth_user disable trigger auth_user_written',
  'does nothing': `create or replace function auth_user_checksum() returns trigger language plpgsql as
    $$ begin return new; end $$`,
  'fires for one column': `create or replace trigger auth_user_written before update of enabled on auth_user
    for each row execute function auth_user_checksum()`,
  'of the audit trail is missing': 'drop trigger audit_event_append_only on audit_event',
  'of the audit trail does not fire': 'alter table audit_event disable trigger user',
};

for (const [at, [what, change]] of Object.entries(TRIGGER_CHANGES).entries()) {
  test(`a trigger that ${what} is made again before the first change, which is told once`, async () => {
    const url = await postgres.migrated(`triggers${at}`);
    const told: string[] = [];
    const openOnce = () =>
      openPostgresStore({ ...OPTIONS, url, onMended: (sentence) => told.push(sentence) });
    const before = await openOnce();
    await before.write(async (records) => {
      await records.addTenant(ACME);
      await records.putAuthUsers(ACME.id, [authUser('mira', {})]);
    });
    await before.close();
    assert.deepEqual(told, []);
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(change);
    const store = await openOnce();
    assert.deepEqual(told, [], 'opening changes nothing');
    for (const enabled of [false, true]) {
      await store.write((r) => r.setTokenState(ACME.id, 'mira', { enabled, tokensValidFrom: 1 }));
    }
    assert.equal((await store.read.documentDamage()).count, 0);
    assert.deepEqual(await store.read.auditProtectionFaults(), []);
    assert.match(
      told.join(),
      /^Triggers .* were made again: \w+_(written|append_only|no_truncate)/,
    );
    assert.equal(told.length, 1);
    assert.deepEqual(await restoreTriggersOf({ ...OPTIONS, url }), []);
    await client.query(change);
    assert.equal((await restoreTriggersOf({ ...OPTIONS, url })).length > 0, true);
    assert.deepEqual(await restoreTriggersOf({ ...OPTIONS, url }), []);
    await client.end();
    await store.close();
  });
}

test('has no connections after it is closed', async () => {
  const store = await open('closed');
  await store.ping();
  const connections = () => store.pools().map(({ open }) => open);
  assert.ok(Math.max(...connections()) > 0, 'connections of an open store');
  await store.close();
  assert.deepEqual([...new Set(connections())], [0]);
});
