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
import { profileContract } from './profiles.ts';
import { resourceContract } from './resources.ts';
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
    const connection = await openConnection(pathOf(`audit-${name}`), 5_000);
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
        connection.exec('drop trigger audit_event_update; drop trigger audit_event_delete');
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
  };
};
auditContract('SQLite', openBelow);
damageContract('SQLite', openBelow);

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
