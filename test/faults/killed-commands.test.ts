// suite: slow
// kill -9 of commands at random points: the same command, run again, ends as if it had never been killed,
// and what a repair moves out of the store is in a file, however often it is killed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { INDEX_NAMES } from '../../src/query/mapping/document-types.ts';
import { openConnection } from '../../src/store/sqlite/sqlite-driver.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { caseCount } from '../support/case-count.ts';
import { temporaryFolder } from '../support/empty-store.ts';
import { copyOf, run } from './damage-world.ts';

const MAIN = fileURLToPath(import.meta.resolve('../../src/cli/main.js'));
const KILLS = caseCount(4, 12);
const ROLES = 3_000;
const DAMAGED = 150;

const folder = temporaryFolder();
const template = join(folder, 'template');
const file = join(folder, 'roles.ndjson');

const roleLine = (n: number, text: string) =>
  JSON.stringify({
    _type: 'entitlement',
    id: `e${n}`,
    name: text,
    attributes: { [`a${n % 9}`]: text },
  });

before(async () => {
  const lines = (text: string) =>
    Array.from({ length: ROLES }, (_, n) => roleLine(n, `${text} ${n}`)).join('\n');
  writeFileSync(file, lines('first'));
  assert.equal((await run(template, 'tenant', 'create', 'acme')).code, 0);
  const imported = await run(template, 'import', file);
  assert.equal(imported.code, 0, imported.err);
  writeFileSync(file, lines('second'));
});

/** Runs a command. @param withinMs it is killed at a random point before; null: it is not */
async function command(dataDir: string, args: readonly string[], withinMs: number | null) {
  const child = spawn(process.execPath, [MAIN, ...args, '--data-dir', dataDir], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let err = '';
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const ended = once(child, 'close');
  const timer =
    withinMs === null
      ? undefined
      : setTimeout(() => child.kill('SIGKILL'), Math.random() * withinMs);
  const [code, signal] = await ended;
  clearTimeout(timer);
  return { code, isKilled: signal === 'SIGKILL', err };
}

/** All that the store has but the trail, and what derived tables say. */
async function contentOf(dataDir: string): Promise<unknown> {
  const store = await openSqliteStore({ path: join(dataDir, 'cardea.db') });
  try {
    const { read } = store;
    const [tenant] = await read.tenants();
    assert.ok(tenant);
    const documents = [];
    for (const index of INDEX_NAMES) {
      if (index === 'events') continue;
      for (const { id, root, nested } of await read.documentPage(tenant.id, index, '', 100_000)) {
        // The service adds the time to documents without it.
        const text = Buffer.from(root)
          .toString()
          .replace(/"synced":"[^"]*",/, '');
        documents.push([index, id, text, Buffer.from(nested).toString()]);
      }
    }
    const fields = (await read.dynamicFields(tenant.id)).flatMap(({ since: _, ...field }) =>
      field.index === 'events' ? [] : field,
    );
    const { events, ...counts } = await read.documentCounts(tenant.id);
    const administrators = await read.countHolders(tenant.id, 'ORG_ADMIN', '');
    return { documents, fields, counts, administrators, wrong: await read.inconsistencies() };
  } finally {
    await store.close();
  }
}

/** Damages documents, and removes derived rows. */
async function damage(dataDir: string): Promise<void> {
  const connection = await openConnection(join(dataDir, 'cardea.db'), 60_000);
  try {
    connection.exec(`update document set root = cast('damaged ' || id as blob)
      where id in (select id from document where index_name = 'entitlements' order by id limit ${DAMAGED})`);
    connection.exec('delete from dynamic_field');
    connection.exec("insert into capability_holder values ('nobody', 'ORG_ADMIN', 'x')");
    connection.exec('update document_count set documents = 1');
  } finally {
    connection.close();
  }
}

/** The ids of the documents that were moved to files. */
function movedIn(dataDir: string): ReadonlySet<string> {
  const directory = join(dataDir, 'damaged');
  if (!existsSync(directory)) return new Set();
  const lines = readdirSync(directory)
    .flatMap((name) => readFileSync(join(directory, name), 'utf8').split('\n'))
    .filter((line) => line.endsWith('}'));
  const roots = lines.flatMap((line) => (JSON.parse(line) as { root?: string }).root ?? []);
  return new Set(roots.map((root) => Buffer.from(root, 'base64').toString()));
}

const COMMANDS: Readonly<
  Record<string, { readonly args: readonly string[]; readonly damages: boolean }>
> = {
  'doctor --repair': { args: ['doctor', '--repair'], damages: true },
  import: { args: ['import', file], damages: false },
  reindex: { args: ['reindex'], damages: false },
};

for (const [name, { args, damages }] of Object.entries(COMMANDS)) {
  test(`${name} that is killed at any point and run again ends well`, async () => {
    const start = async (dataDir: string) => {
      copyOf(template, dataDir, true);
      if (damages) await damage(dataDir);
    };
    const whole = join(folder, 'whole');
    await start(whole);
    const began = performance.now();
    const uninterrupted = await command(whole, args, null);
    const tookMs = performance.now() - began;
    assert.equal(uninterrupted.code, 0, uninterrupted.err);
    const truth = await contentOf(whole);
    const dataDir = join(folder, 'killed');
    await start(dataDir);
    for (let kill = 0; kill < KILLS; kill++) {
      const { code, isKilled, err } = await command(dataDir, args, tookMs);
      assert.ok(isKilled || code === 0, err);
    }
    const last = await command(dataDir, args, null);
    assert.equal(last.code, 0, last.err);
    assert.deepEqual(await contentOf(dataDir), truth);
    const doctor = await run(dataDir, 'doctor');
    assert.equal(doctor.code, 0, doctor.out);
    assert.equal(movedIn(dataDir).size, damages ? DAMAGED : 0);
    for (const directory of [whole, dataDir]) rmSync(directory, { recursive: true });
  });
}
