// The store contract on SQLite.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openConnection, type SqliteConnection } from '../../src/store/sqlite/sqlite-driver.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { writeEmptyStore } from '../support/empty-store.ts';
import { type AuditDatabase, auditContract } from './audit-trail.ts';
import { damageContract } from './damaged-documents.ts';
import { derivedContract } from './derived-tables.ts';
import { profileContract } from './profiles.ts';
import { resourceContract } from './resources.ts';
import { rowChecksumContract } from './row-checksums.ts';
import { storeContract } from './store.ts';

const directory = mkdtempSync(join(tmpdir(), 'cardea-store-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const pathOf = (name: string) => join(directory, `${name}.db`);
const openEmpty = (name: string) => openSqliteStore({ path: pathOf(name) });
const open = async (name: string) => {
  if (!existsSync(pathOf(name))) await writeEmptyStore(pathOf(name));
  return openEmpty(name);
};
storeContract('SQLite', open, openEmpty);
resourceContract('SQLite', open);
profileContract('SQLite', open);
const openBelow = async (name: string): Promise<AuditDatabase> => {
  const store = await open(`audit-${name}`);
  const below = async (work: (connection: SqliteConnection) => unknown) => {
    const connection = await openConnection(pathOf(`audit-${name}`), 60_000);
    try {
      work(connection);
    } finally {
      connection.close();
    }
  };
  return {
    store,
    run: (sql, ...values) => below((connection) => connection.run(sql, values)),
    dropTriggers: () =>
      below((connection) => {
        for (const change of ['update', 'delete', 'replace']) {
          connection.exec(`drop trigger audit_event_${change}`);
        }
      }),
    replaceTrigger: () =>
      below((connection) => {
        connection.exec(
          `drop trigger audit_event_delete;
           create trigger audit_event_delete before delete on audit_event begin select 1; end`,
        );
      }),
    addTrigger: (trigger) =>
      below((connection) => {
        connection.exec(
          `create trigger ${trigger} before insert on audit_event begin select raise(ignore); end`,
        );
      }),
    changes: REPLACEMENTS,
  };
};
auditContract('SQLite', openBelow);
damageContract('SQLite', openBelow);
rowChecksumContract('SQLite', openBelow);
derivedContract('SQLite', openBelow);

const COLUMNS = 'sequence, tenant_id, number, id, event, previous_hash, hash';
/** Each takes the place of the event 1 by one of the keys of the table, or moves another one there. */
const REPLACEMENTS: readonly string[] = [
  ...[
    'sequence, tenant_id, 99, id || 9',
    'cast(sequence as text), tenant_id, 99, id || 9',
    'sequence + 99, tenant_id, number, id || 9',
    'sequence + 99, tenant_id, cast(number as text), id || 9',
    'sequence + 99, tenant_id, 99, id',
    'null, tenant_id, 99, id',
  ].flatMap((keys) =>
    ['insert or replace', 'replace'].map(
      (insert) => `${insert} into audit_event (${COLUMNS})
         select ${keys}, 'x', previous_hash, hash from audit_event where number = 1`,
    ),
  ),
  'update or replace audit_event set number = 1 where number = 2',
  "update or replace audit_event set id = 'e1' where number = 2",
  `insert or replace into audit_event (rowid, tenant_id, number, id, event, previous_hash, hash)
     select sequence, tenant_id, 99, id || 9, 'x', previous_hash, hash from audit_event where number = 1`,
];

test('refuses a write that has waited too long, but not the next one', async () => {
  const path = join(directory, 'waiting.db');
  const busyMs = 500;
  const store = await openSqliteStore({ path, busyMs });
  let late = Number.POSITIVE_INFINITY;
  const first = store.write(async () => {
    while (performance.now() <= late) await new Promise(setImmediate);
  });
  const second = store.write(async () => assert.fail('the second write runs'));
  late = performance.now() + busyMs;
  await assert.rejects(second, { code: 'unavailable', message: /Too many writes wait/ });
  await first;
  assert.equal(await store.write(async () => 3), 3);
  await store.close();
});
