// suite: slow
// A database that is restored to an older state under running nodes, and one that is empty next to
// the search index of a data directory.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Client } from 'pg';
import { pino } from 'pino';
import { compose } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { eventually } from '../support/eventually.ts';
import { startPostgres } from '../support/postgres.ts';
import { lines, startService } from '../support/service.ts';

const postgres = await startPostgres();
const folder = mkdtempSync(join(tmpdir(), 'cardea-restored-'));
const log = pino({ level: 'silent' });
after(async () => {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

const role = (id: string, name = 'Role') => ({ _type: 'role', id, name });

/** Copies all tables. @returns restores them in one transaction */
async function backUp(url: string): Promise<() => Promise<void>> {
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

test('a database that is restored to an older state under two nodes is fed again at both', async () => {
  const url = await postgres.migrated('restored');
  const one = await startService({ CARDEA_STORE_URL: url });
  await one.addDocuments([role('a'), role('b', 'Kept')]);
  // The first token creates the signing key, which the backup has.
  const authorization = `Bearer ${await one.token()}`;
  const restore = await backUp(url);
  await one.addDocuments([role('b', 'Changed'), role('c'), role('d')]);
  const settings = { CARDEA_PORT: '0', CARDEA_DATA_DIR: folder, CARDEA_STORE_URL: url };
  const other = await compose(parseConfig(settings), { log });
  const urls = [one.url, (await other.start()).url];
  const found = async (at: string) => {
    const answer = await fetch(`${at}/v3/search`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ indices: ['roles'], query: { query: '*' }, sort: ['id'] }),
    });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return (JSON.parse(text) as { id: string; name: string }[]).map(({ id, name }) => [id, name]);
  };
  /** Both nodes are ready and find this. */
  const holds = async (expected: readonly (readonly string[])[]) => {
    for (const at of urls) {
      await eventually(async () => {
        assert.deepEqual(await found(at), expected);
        const ready = await fetch(`${at}/ready`);
        assert.equal(ready.status, 200, await ready.text());
      });
    }
  };
  try {
    await holds([
      ['a', 'Role'],
      ['b', 'Changed'],
      ['c', 'Role'],
      ['d', 'Role'],
    ]);
    await restore();
    await holds([
      ['a', 'Role'],
      ['b', 'Kept'],
    ]);
    // It gets a number that another change had before.
    await other.documents.importDocuments(one.tenantId, lines([role('e')]));
    await holds([
      ['a', 'Role'],
      ['b', 'Kept'],
      ['e', 'Role'],
    ]);
  } finally {
    await other.stop();
    await one.stop();
  }
});

test('an empty database next to the index of a data directory is refused, and served with newStore', async () => {
  const dataDir = join(folder, 'emptied');
  const configOf = async (database: string) => {
    const CARDEA_STORE_URL = await postgres.migrated(database);
    return parseConfig({ CARDEA_PORT: '0', CARDEA_DATA_DIR: dataDir, CARDEA_STORE_URL });
  };
  const CARDEA_STORE_URL = await postgres.migrated('filled');
  const service = await startService({ CARDEA_STORE_URL, CARDEA_DATA_DIR: dataDir });
  await service.addDocuments([role('a')]);
  await service.cardea.stop();
  const refused = compose(await configOf('empty'), { log });
  await assert.rejects(refused, /database of CARDEA_STORE_URL is empty, but .*pg_restore.*--new/);
  await (await compose(await configOf('filled'), { log })).stop();
  const anew = await compose(await configOf('empty'), { log, newStore: true });
  await anew.stop();
});
