// Two nodes over one PostgreSQL, which is restored to an older state under them.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { pino } from 'pino';
import { compose } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { operatorOf } from '../../src/service/audit/operator-event.ts';
import { createCredential } from '../../src/service/credentials/credentials.ts';
import { eventually } from './eventually.ts';
import { lines, requestToken, startService } from './service.ts';

export const role = (id: string, name = 'Role') => ({ _type: 'role', id, name });

/** Copies the database. @returns restores it */
export type BackUp = (url: string) => Promise<() => Promise<void>>;

/** Copies all tables. @returns restores them in one transaction */
export async function copyTables(url: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
  );
  const names = rows.map(({ name }) => String(name));
  await client.query('create schema backup');
  for (const name of names) {
    await client.query(`create table backup.${name} as select * from public.${name}`);
  }
  return async () => {
    // As a restore does: neither triggers nor references are checked.
    await client.query("begin; set local session_replication_role = 'replica'");
    const { rows: triggers } = await client.query(
      "select quote_ident(tgname) as name from pg_trigger where tgrelid = 'public.audit_event'::regclass and not tgisinternal",
    );
    await client.query('alter table public.audit_event disable trigger user');
    await client.query(`truncate ${names.map((name) => `public.${name}`).join(', ')}`);
    for (const name of names) {
      await client.query(`insert into public.${name} select * from backup.${name}`);
    }
    for (const { name } of triggers) {
      await client.query(`alter table public.audit_event enable always trigger ${name}`);
    }
    await client.query('commit');
    await client.end();
  };
}

/** Copies the database. @returns puts the copy in its place, as dropping, creating and filling it does */
export async function copyDatabase(url: string): Promise<() => Promise<void>> {
  const name = new URL(url).pathname.slice(1);
  const copyOf = async (from: string, to: string, moved: string | null) => {
    const client = new Client({ connectionString: url.replace(/[^/]+$/, 'postgres') });
    await client.connect();
    await client.query(`alter database ${name} allow_connections false`);
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
    await eventually(async () => {
      if (moved !== null) await client.query(`alter database ${name} rename to ${moved}`);
      await client.query(`create database ${to} template ${from} strategy file_copy`);
    });
    if (moved === null) await client.query(`alter database ${name} allow_connections true`);
    await client.end();
  };
  await copyOf(name, `${name}_backup`, null);
  return () => copyOf(`${name}_backup`, name, `${name}_lost`);
}

export type RestoredNodes = Awaited<ReturnType<typeof twoNodes>>;

/** Two nodes of a database, of which the first was filled before the backup, and the second opened after it. */
export async function twoNodes(
  url: string,
  backUp: BackUp,
  settings: Readonly<Record<string, string>> = {},
) {
  const all = { ...settings, CARDEA_METRICS: 'on', CARDEA_STORE_URL: url };
  const one = await startService(all);
  await one.addDocuments([role('a'), role('b', 'Kept')]);
  // The first token creates the signing key, which the backup has.
  const token = await one.token();
  const restore = await backUp(url);
  await one.addDocuments([role('b', 'Changed'), role('c'), role('d')]);
  const { store } = one.cardea;
  const created = await createCredential(
    store,
    one.tenantId,
    'pat',
    { name: 'lost' },
    { ownerId: one.adminId },
  );
  const dataDir = mkdtempSync(join(tmpdir(), 'cardea-restored-'));
  const own = { ...all, CARDEA_PORT: '0', CARDEA_DATA_DIR: dataDir };
  const other = await compose(parseConfig(own), { log: pino({ level: 'silent' }) });
  const urls = [one.url, (await other.start()).url];
  const found = async (at: string) => {
    const answer = await fetch(`${at}/v3/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ indices: ['roles'], query: { query: '*' }, sort: ['id'] }),
    });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return (JSON.parse(text) as { id: string; name: string }[]).map(({ id, name }) => [id, name]);
  };
  const lostToken = await requestToken(one.url, {
    clientId: created.credential.id,
    clientSecret: created.secret,
  });
  return {
    ...{ urls, restore, token, lostToken },
    importAtOther: (...ids: readonly string[]) =>
      other.documents.importDocuments(operatorOf(one.tenantId), lines(ids.map((id) => role(id)))),
    /** Both nodes are ready and find this. */
    async hold(expected: readonly (readonly string[])[]) {
      for (const at of urls) {
        await eventually(async () => {
          assert.deepEqual(await found(at), expected);
          const ready = await fetch(`${at}/ready`);
          assert.equal(ready.status, 200, await ready.text());
        });
      }
    },
    async stop() {
      await other.stop();
      await one.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** What is found of twoNodes at first, and after the restore. */
export const BEFORE = [
  ['a', 'Role'],
  ['b', 'Changed'],
  ['c', 'Role'],
  ['d', 'Role'],
];
export const RESTORED = [
  ['a', 'Role'],
  ['b', 'Kept'],
];

/** Nodes look for changes of each other so seldom that many are written in between. */
export const SLOW_POLLS = { CARDEA_INDEX_POLL_MS: '2000' };

/**
 * Restores the database, and writes more changes than were lost before the other node looks: both are fed
 * again, say so, and refuse the credential that was lost.
 */
export async function passLostChanges(nodes: RestoredNodes): Promise<void> {
  const ids = Array.from({ length: 40 }, (_, at) => `e${10 + at}`);
  const get = (url: string, token: string) =>
    fetch(url, { headers: { authorization: `Bearer ${token}` } });
  const statusAt = async (url: string) =>
    (await get(`${url}/v3/saved-searches`, nodes.lostToken)).status;
  await nodes.hold(BEFORE);
  for (const url of nodes.urls) assert.equal(await statusAt(url), 200);
  await nodes.restore();
  await eventually(() => nodes.importAtOther(...ids));
  for (const url of nodes.urls) {
    await eventually(async () => assert.equal(await statusAt(url), 401));
  }
  await nodes.hold([...RESTORED, ...ids.map((id) => [id, 'Role'])]);
  for (const url of nodes.urls) {
    const { warnings } = (await (await fetch(`${url}/ready`)).json()) as { warnings: string[] };
    assert.match(warnings.join(), /The store was restored to an older state, or replaced/);
    const metrics = await (await get(`${url}/metrics`, nodes.token)).text();
    assert.match(metrics, /cardea_store_restored_timestamp_seconds [1-9]/);
  }
}
