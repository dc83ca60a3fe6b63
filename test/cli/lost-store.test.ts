// suite: slow
// A data directory whose store was lost while the search index is there: every start refuses, says
// what it found and the ways out, and leaves the index as it was.
import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pino } from 'pino';
import { compose, openOffline } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { operatorOf } from '../../src/service/audit/operator-event.ts';
import type { Store } from '../../src/service/ports/store.ts';
import type { StoredDocument } from '../../src/service/ports/stored-document.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { commandLine } from '../support/command-line.ts';
import { moveLogIn } from '../support/demo-data.ts';

const folder = mkdtempSync(join(tmpdir(), 'cardea-lost-'));
const template = join(folder, 'template');
/** Of the template, before its last change. */
const backup = join(folder, 'backup');
const LOG = pino({ level: 'silent' });
after(() => rmSync(folder, { recursive: true, force: true }));

async function run(...args: string[]) {
  const line = commandLine(args);
  return { code: await line.ended, out: line.out(), err: line.err() };
}

async function succeeds(...args: string[]): Promise<void> {
  const { code, err } = await run(...args);
  assert.equal(code, 0, err);
}

async function importRoles(dataDir: string, names: readonly string[]): Promise<void> {
  const file = join(folder, 'roles.ndjson');
  const lines = names.map((name) => JSON.stringify({ _type: 'role', id: name, name }));
  writeFileSync(file, lines.join('\n'));
  await succeeds('import', file, '--data-dir', dataDir);
}

before(async () => {
  await succeeds('tenant', 'create', 'acme', '--data-dir', template);
  await importRoles(template, ['Auditor', 'Clerk']);
  await succeeds('backup', backup, '--data-dir', template);
  await importRoles(template, ['Manager']);
});

let copies = 0;
function copyOfTemplate(): string {
  copies += 1;
  const dataDir = join(folder, `copy${copies}`);
  cpSync(template, dataDir, { recursive: true });
  return dataDir;
}

const storeOf = (dataDir: string) => join(dataDir, 'cardea.db');
const indexOf = (dataDir: string) => {
  const names = readdirSync(join(dataDir, 'index')).sort();
  return names.map((name) => [name, readFileSync(join(dataDir, 'index', name)).length]);
};
const removeStore = (dataDir: string) => {
  for (const suffix of ['', '-wal', '-shm']) rmSync(storeOf(dataDir) + suffix, { force: true });
};
/** Starts a server and stops it again. @returns the number of documents that a search finds */
async function rolesServed(dataDir: string, newStore = false): Promise<number> {
  const config = parseConfig({ CARDEA_PORT: '0', CARDEA_DATA_DIR: dataDir });
  const cardea = await compose(config, { log: LOG, newStore });
  await cardea.start();
  try {
    const [tenant] = await cardea.store.read.tenants();
    if (tenant === undefined) return 0;
    await cardea.indexer.waitFor(await cardea.store.read.lastSequence(), 60_000);
    const caller = operatorOf(tenant.id);
    const body = { indices: ['roles'], query: { query: '*' } };
    return (await cardea.services.search.count(caller, body)).total;
  } finally {
    await cardea.stop();
  }
}

const LOSSES: readonly (readonly [string, (dataDir: string) => unknown])[] = [
  ['is missing', removeStore],
  ['is empty', (dataDir) => truncateSync(storeOf(dataDir), 0)],
  [
    'is empty, with tables',
    async (dataDir) => {
      removeStore(dataDir);
      await (await openSqliteStore({ path: storeOf(dataDir) })).close();
    },
  ],
];

for (const [loss, lose] of LOSSES) {
  const [fault = ''] = loss.split(',');
  const sentence = new RegExp(`${fault}.*restore a backup \\(cardea restore .*--new`);

  test(`a store that ${loss}, next to an index is refused until it is restored`, async () => {
    const dataDir = copyOfTemplate();
    await lose(dataDir);
    const left = existsSync(storeOf(dataDir)) ? readFileSync(storeOf(dataDir)) : null;
    const index = indexOf(dataDir);
    const starts = [
      ['serve', '--port', '0'],
      ['demo', '--port', '0', '--identities', '1'],
      ['tenant', 'create', 'other'],
      ['doctor'],
    ];
    for (const args of starts) {
      const { code, out, err } = await run(...args, '--data-dir', dataDir);
      assert.equal(code, args[0] === 'doctor' ? 1 : 2, `${args}: ${out}`);
      const lines = (out + err).split('\n').filter((line) => line.includes(fault));
      assert.equal(lines.length, 1, out + err);
      assert.match(lines[0] ?? '', sentence);
    }
    assert.deepEqual(indexOf(dataDir), index);
    if (loss === fault) {
      assert.deepEqual(existsSync(storeOf(dataDir)) ? readFileSync(storeOf(dataDir)) : null, left);
    }
    await succeeds('restore', backup, '--replace', '--data-dir', dataDir);
    assert.equal(await rolesServed(dataDir), 2);
  });

  test(`a store that ${loss}, next to an index begins anew with --new, and only then`, async () => {
    const dataDir = copyOfTemplate();
    await lose(dataDir);
    assert.equal(await rolesServed(dataDir, true), 0);
    assert.deepEqual(
      readdirSync(join(dataDir, 'index')).filter((name) => name.endsWith('.index')),
      [],
    );
    assert.equal(await rolesServed(dataDir), 0);
    await succeeds('tenant', 'create', 'acme', '--data-dir', dataDir);
    await importRoles(dataDir, ['Anew']);
    assert.equal(await rolesServed(dataDir), 1);
  });
}

test('--new leaves a store that has tenants as it is', async () => {
  assert.equal(await rolesServed(copyOfTemplate(), true), 3);
});

/** Changes the store of a data directory while its index is elsewhere. */
async function importBesideIndex(dataDir: string, names: readonly string[]): Promise<void> {
  const [index, aside] = [join(dataDir, 'index'), join(dataDir, 'aside')];
  renameSync(index, aside);
  await importRoles(dataDir, names);
  rmSync(index, { recursive: true });
  renameSync(aside, index);
}

const MANY = Array.from({ length: 20 }, (_, n) => `Role ${n}`);

/** Stores that the index was not built from: what is put in place, its roles, and what the log says. */
const OTHER_STORES: Readonly<
  Record<string, { put(dataDir: string): Promise<void>; roles: number; says: RegExp }>
> = {
  'an older copy': {
    put: async (dataDir) => cpSync(join(backup, 'cardea.db'), storeOf(dataDir)),
    roles: 2,
    says: /the store is older than the index, its last change is \d+/,
  },
  'an older copy that went another way': {
    async put(dataDir) {
      cpSync(join(backup, 'cardea.db'), storeOf(dataDir));
      await importBesideIndex(dataDir, MANY);
    },
    roles: 2 + MANY.length,
    says: /built from another store/,
  },
  'the store of another service': {
    async put(dataDir) {
      const other = `${dataDir}-other`;
      await succeeds('tenant', 'create', 'other', '--data-dir', other);
      await importRoles(other, MANY);
      await succeeds('backup', `${other}-backup`, '--data-dir', other);
      cpSync(join(`${other}-backup`, 'cardea.db'), storeOf(dataDir));
    },
    roles: MANY.length,
    says: /built from another store/,
  },
};

/** Writes roles without an event of the audit trail, as a mirror does between its first and its last one. */
function writeRoles(store: Store, names: readonly string[]): Promise<unknown> {
  return store.write(async (records) => {
    const [tenant] = await records.tenants();
    assert.ok(tenant);
    const documents = names.map((id): StoredDocument => {
      const root = Buffer.from(JSON.stringify({ id, name: id }));
      return { index: 'roles', id, root, nested: new Uint8Array(0) };
    });
    await records.putDocuments(tenant.id, documents);
  });
}

test('an older copy to which a mirror wrote further is served after its index was filled again', async () => {
  const dataDir = copyOfTemplate();
  await moveLogIn(dataDir);
  const older = `${storeOf(dataDir)}.older`;
  cpSync(storeOf(dataDir), older);
  const config = parseConfig({ CARDEA_DATA_DIR: dataDir });
  const data = await openOffline(config, { log: LOG });
  await writeRoles(data.store, ['false', 'also false']);
  data.indexer?.start();
  await data.indexer?.waitFor(await data.store.read.lastSequence(), 60_000);
  await data.close();
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  await (await openOffline(config, { log })).close();
  assert.deepEqual(lines, [], 'the index is of this store');
  removeStore(dataDir);
  renameSync(older, storeOf(dataDir));
  const store = await openSqliteStore({ path: storeOf(dataDir) });
  await writeRoles(store, MANY);
  await store.close();
  await (await openOffline(config, { log })).close();
  assert.match(lines.join(''), /built from another store/);
  assert.equal(await rolesServed(dataDir), 3 + MANY.length);
});

for (const [store, { put, roles, says }] of Object.entries(OTHER_STORES)) {
  test(`${store} is served after its index was filled again, and the log says why`, async () => {
    const dataDir = copyOfTemplate();
    removeStore(dataDir);
    await put(dataDir);
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const config = parseConfig({ CARDEA_DATA_DIR: dataDir });
    await (await openOffline(config, { log })).close();
    assert.match(lines.join(''), says);
    assert.equal(await rolesServed(dataDir), roles);
  });
}
