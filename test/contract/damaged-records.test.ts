// Records whose JSON is damaged, by kind: what reads one names it, and the others are read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Records, Store } from '../../src/service/ports/store.ts';
import { openConnection } from '../../src/store/sqlite/sqlite-driver.ts';
import { openThrowAwayStore } from '../support/empty-store.ts';
import { temporaryDatabase } from '../support/tenant.ts';
import { ACME, accessToken, apiClient, apiKey, refreshToken } from './store-records.ts';

interface RecordKind {
  readonly kind: string;
  readonly table: string;
  readonly columns: readonly string[];
  write(store: Store, id: string): Promise<unknown>;
  read(records: Records, id: string): Promise<unknown>;
}

const USER = {
  ...{ uid: 'u', displayName: 'U', capabilities: [], profileId: null },
} as const;

const KINDS: readonly RecordKind[] = [
  {
    ...{ kind: 'auth user', table: 'auth_user', columns: ['details', 'capabilities'] },
    write: (store, id) =>
      store.write((r) => r.putAuthUsers(ACME.id, [{ ...USER, id, uid: id } as never])),
    read: (records, id) => records.authUser(ACME.id, id),
  },
  {
    ...{ kind: 'personal access token', table: 'credential', columns: ['scope', 'details'] },
    write: (store, id) => store.write((r) => r.addCredential(ACME.id, accessToken(id, 'owner'))),
    read: (records, id) => records.credentialById(id),
  },
  {
    ...{ kind: 'API client', table: 'credential', columns: ['scope', 'details'] },
    write: (store, id) => store.write((r) => r.addCredential(ACME.id, apiClient(id))),
    read: (records, id) => records.credentialById(id),
  },
  {
    ...{ kind: 'API key', table: 'credential', columns: ['scope', 'details'] },
    write: (store, id) => store.write((r) => r.addCredential(ACME.id, apiKey(id))),
    read: (records, id) => records.apiKeyByHash(apiKey(id).secretHash),
  },
  {
    ...{ kind: 'refresh token', table: 'refresh_token', columns: ['scope'] },
    write: (store, id) =>
      store.write((r) => r.addRefreshToken(ACME.id, { ...refreshToken(id, 'c'), scope: ['s'] })),
    read: (records, id) => records.refreshToken(ACME.id, id),
  },
];

for (const { kind, table, columns, write, read } of KINDS) {
  test(`a damaged ${kind} is named by what reads it, and the others are read`, async () => {
    const path = temporaryDatabase();
    const store = await openThrowAwayStore(path);
    await store.write((r) => r.addTenant(ACME));
    for (const column of columns) {
      const [bad, good] = [`bad-${column}`, `good-${column}`];
      await write(store, bad);
      await write(store, good);
      const connection = await openConnection(path, 60_000);
      connection.run(`update ${table} set ${column} = '{"a' where id = ?`, [bad]);
      connection.close();
      await assert.rejects(read(store.read, bad), {
        code: 'unavailable',
        message: `The ${kind} "${bad}" is damaged in the store: write it again, or restore a backup.`,
      });
      assert.notEqual(await read(store.read, good), null);
    }
    await store.close();
  });
}
