import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { ACME, authUser } from '../../../test/contract/store-records.ts';
import type { Store } from '../../service/ports/store.ts';
import { restoreTriggersOf } from './checksum-triggers.ts';
import { openConnection } from './sqlite-driver.ts';
import { openSqliteStore } from './sqlite-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'cardea-triggers-'));
after(() => rmSync(folder, { recursive: true, force: true }));

async function run(path: string, sql: string): Promise<void> {
  const connection = await openConnection(path, 1_000);
  connection.exec(sql);
  connection.close();
}

async function newStore(path: string): Promise<void> {
  const store = await openSqliteStore({ path });
  await store.write(async (records) => {
    await records.addTenant(ACME);
    await records.putAuthUsers(ACME.id, [authUser('mira', {})]);
  });
  await store.close();
}

const disable = (store: Store) =>
  store.write((r) => r.setTokenState(ACME.id, 'mira', { enabled: false, tokensValidFrom: 1 }));

const CHANGES: Readonly<Record<string, string>> = {
  'was dropped': 'drop trigger auth_user_updated',
  'was replaced by one that does nothing': `drop trigger auth_user_updated;
    create trigger auth_user_updated after update on auth_user begin select 1; end`,
};

describe('a change', () => {
  for (const [what, sql] of Object.entries(CHANGES)) {
    for (const when of ['before the store is opened', 'while the store is open'] as const) {
      test(`has its checksum although the trigger ${what} ${when}`, async () => {
        const path = join(folder, `${what} ${when}.db`);
        await newStore(path);
        if (when === 'before the store is opened') await run(path, sql);
        const told: string[] = [];
        const store = await openSqliteStore({ path, onMended: (sentence) => told.push(sentence) });
        if (when === 'while the store is open') {
          await store.write(async () => {});
          assert.deepEqual(told, []);
          await run(path, sql);
        }
        await disable(store);
        assert.equal((await store.read.userStatus(ACME.id, 'mira'))?.enabled, false);
        assert.equal((await store.read.documentDamage()).count, 0);
        await disable(store);
        await store.close();
        assert.equal(told.length, 1);
        assert.match(told[0] ?? '', /were made again: auth_user_updated\./);
        assert.deepEqual(await restoreTriggersOf(path), []);
      });
    }
  }
});

test('triggers of a table that is missing stop no other change', async () => {
  const path = join(folder, 'table.db');
  await newStore(path);
  await run(path, 'drop table dashboard');
  const store = await openSqliteStore({ path });
  await disable(store);
  await store.close();
});
