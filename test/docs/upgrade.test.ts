// suite: slow
// The commands of docs/upgrade.md, in their order, on a data directory that an earlier version wrote
// (test/data/earlier-version): it is backed up, migrated, refused by the earlier version, and
// restored.
import assert from 'node:assert/strict';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { MIGRATIONS, migrate } from '../../src/store/migrate.ts';
import { SqlExecutor } from '../../src/store/sql/executor.ts';
import { openConnection } from '../../src/store/sqlite/sqlite-driver.ts';
import { sqliteMigrations } from '../../src/store/sqlite/sqlite-migrations.ts';
import { tokenOf } from '../support/callers.ts';
import { commandLine } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';

const FIXTURE = 'test/data/earlier-version';
/** The last migration of the version that wrote it. */
const LAST = '0007-audit-origin';
const EARLIER = MIGRATIONS.slice(0, MIGRATIONS.findIndex(({ name }) => name === LAST) + 1);
/** The roles in it; the version also deleted one. */
const ROLES = ['r1', 'r2', 'r4', 'r5'];

const folder = mkdtempSync(join(tmpdir(), 'cardea-upgrade-'));
const dataDir = join(folder, 'data');
const store = join(dataDir, 'cardea.db');
const backups = join(folder, 'backups');
after(() => rmSync(folder, { recursive: true, force: true }));

/** The commands of the page by the heading that they are below, without `cardea`. */
function commandsBelow(heading: string): string[][] {
  const page = readFileSync('docs/upgrade.md', 'utf8');
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const commands = blocks.flatMap((block) => block.trim().split('\n'));
  assert.ok(commands.length > 0, `${heading} has commands`);
  return commands.map((command) => {
    const [cardea, ...args] = command.split(' ');
    assert.equal(cardea, 'cardea', command);
    return args.map((arg) => arg.replace(/^\/backups/, backups));
  });
}

const env = { CARDEA_DATA_DIR: dataDir, CARDEA_PORT: '0', CARDEA_LOG_LEVEL: 'error' };

/** Runs the commands of a section; each must succeed. @returns their outputs */
async function runBelow(heading: string): Promise<string[]> {
  const outputs: string[] = [];
  for (const args of commandsBelow(heading)) {
    const line = commandLine(args, { env });
    assert.equal(await line.ended, 0, `${args.join(' ')}: ${line.err()}${line.out()}`);
    outputs.push(line.out());
  }
  return outputs;
}

/** Opens a database file as a version with only those migrations does. */
async function openAs(path: string, migrations: typeof MIGRATIONS): Promise<void> {
  const connection = await openConnection(path, 60_000);
  try {
    connection.exec('begin immediate');
    try {
      await migrate('sqlite', new SqlExecutor('sqlite', connection), migrations);
    } finally {
      connection.exec('rollback');
    }
  } finally {
    connection.close();
  }
}

/** Runs the server of the page; `work` gets its address. */
async function serving(work: (url: string) => Promise<void>): Promise<void> {
  const [serve = []] = commandsBelow('One node');
  assert.deepEqual(serve, ['serve']);
  const server = commandLine(serve, { env });
  let url = '';
  await eventually(() => {
    url = /Cardea serves at (\S+)/.exec(server.err())?.[1] ?? assert.fail(server.err());
  });
  await eventually(async () => assert.equal((await fetch(`${url}/ready`)).status, 200));
  try {
    await work(url);
  } finally {
    server.interrupt();
    assert.equal(await server.ended, 0, server.err());
  }
}

/** The ids of the roles that a search finds, asked with the credentials of the earlier version. */
async function rolesAt(url: string): Promise<string[]> {
  const { clientId, clientSecret } = JSON.parse(
    readFileSync(join(FIXTURE, 'credentials.json'), 'utf8'),
  ) as { clientId: string; clientSecret: string };
  const token = await tokenOf(url, { clientId, clientSecret });
  const answer = await fetch(`${url}/v2024/search`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ indices: ['roles'], query: { query: '*' }, sort: ['id'] }),
  });
  return ((await answer.json()) as { id: string }[]).map(({ id }) => id);
}

before(async () => {
  cpSync(join(FIXTURE, 'index'), join(dataDir, 'index'), { recursive: true });
  copyFileSync(join(FIXTURE, 'secrets.key'), join(dataDir, 'secrets.key'));
  // Git keeps no modes.
  for (const path of [dataDir, join(dataDir, 'index')]) chmodSync(path, 0o700);
  chmodSync(join(dataDir, 'secrets.key'), 0o600);
  const connection = await openConnection(store, 0);
  connection.exec(readFileSync(join(FIXTURE, 'store.sql'), 'utf8'));
  connection.close();
  assert.deepEqual(
    await sqliteMigrations(store),
    EARLIER.map(({ name }) => name),
  );
});

describe('an upgrade', () => {
  test('before it, the store is looked at and backed up as it is', async () => {
    const [looked = ''] = await runBelow('Before');
    assert.match(
      looked,
      /^warning +store +of an earlier version, \d+ migrations? (is|are) missing/m,
    );
    const names = EARLIER.map(({ name }) => name);
    assert.deepEqual(await sqliteMigrations(store), names, 'nothing was migrated');
    const copy = join(folder, 'before.db');
    copyFileSync(join(backups, 'before-upgrade', 'cardea.db'), copy);
    assert.deepEqual(await sqliteMigrations(copy), names);
    await openAs(copy, EARLIER);
  });

  test('the first start migrates the store and builds the index again', async () => {
    await serving(async (url) => assert.deepEqual(await rolesAt(url), ROLES));
    assert.deepEqual(
      await sqliteMigrations(store),
      MIGRATIONS.map(({ name }) => name),
    );
  });

  test('after it, store, index and audit trail are in order, and are backed up', async () => {
    const [checked = ''] = await runBelow('After');
    assert.match(checked, /^ok +search index +up to date with the store/m);
    assert.doesNotMatch(checked, /^(fault|warning)/m);
    await serving(async (url) => assert.deepEqual(await rolesAt(url), ROLES));
  });

  test('the earlier version refuses the store then, and changes nothing', async () => {
    const before = readFileSync(store);
    const newer = MIGRATIONS[EARLIER.length]?.name;
    await assert.rejects(openAs(store, EARLIER), {
      code: 'unavailable',
      message: `The database was written by a newer version (step ${newer}); start that version instead, or restore a backup.`,
    });
    assert.deepEqual(readFileSync(store), before);
    const copy = join(folder, 'after.db');
    copyFileSync(join(backups, 'after-upgrade', 'cardea.db'), copy);
    await assert.rejects(openAs(copy, EARLIER), /newer version/, 'nor does its backup help');
  });

  test('the backup made before is the way back, without what came later', async () => {
    const file = join(folder, 'later.ndjson');
    cpSync('test/data/earlier-version/later.ndjson', file);
    const imported = commandLine(['import', file], { env });
    assert.equal(await imported.ended, 0, imported.err());
    await serving(async (url) => assert.deepEqual(await rolesAt(url), [...ROLES, 'r6']));
    const [restored = ''] = await runBelow('Back to an earlier version');
    assert.match(restored, /The previous store is now .*cardea\.db\.before-/);
    assert.ok(readdirSync(dataDir).some((name) => name.startsWith('cardea.db.before-')));
    await serving(async (url) => assert.deepEqual(await rolesAt(url), ROLES));
  });
});
