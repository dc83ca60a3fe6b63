// Rounds of kill -9 at random moments. After each, a start checks that all acknowledged changes
// exist and that the index equals the store.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { documentHash } from '../../src/service/documents/document-hash.ts';
import { MIGRATIONS, migrate } from '../../src/store/migrate.ts';
import { SqlExecutor } from '../../src/store/sql/executor.ts';
import { openConnection } from '../../src/store/sqlite/sqlite-driver.ts';
import { assertSound } from '../support/sound-database.ts';
import { batch, History, importedId, linesOf, TENANT } from './history.ts';
import { linesInIndex, linesInStore, type Service, startService } from './service.ts';

const VICTIM = fileURLToPath(import.meta.resolve('./victim.js'));

/** Maximum delay of the kill, after the start of the victim or after its first output. */
interface Moment {
  readonly withinMs: number;
  readonly after: 'start' | 'first word';
}

/** Starts the victim and kills it. @returns the last number of its output; null if none */
async function kill(
  what: 'write' | 'import' | 'migrate',
  data: string,
  first: number,
  { withinMs, after }: Moment,
): Promise<number | null> {
  const child = spawn(process.execPath, [VICTIM, what, data, String(first)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const started = once(child.stdout, 'data');
  const ended = once(child, 'close');
  if (after === 'first word') await Promise.race([started, ended]);
  const timer = setTimeout(() => child.kill('SIGKILL'), Math.random() * withinMs);
  const [code, signal] = await ended;
  clearTimeout(timer);
  assert.equal(signal, 'SIGKILL', `it ended by itself (${code})`);
  // Ignores an incomplete last line.
  const said = output.slice(0, output.lastIndexOf('\n') + 1).trimEnd();
  return said === '' ? null : Number(said.split('\n').at(-1));
}

/** Every fourth round is killed while starting. */
const momentOf = (round: number): Moment => ({
  withinMs: 300,
  after: round % 4 === 3 ? 'start' : 'first word',
});

/**
 * Restarts with the data of the killed process, runs `look`, and compares the index with the store.
 */
async function afterwards(
  data: string,
  round: number,
  look: (service: Service, stored: readonly string[]) => Promise<void>,
): Promise<void> {
  const service = await startService(data);
  try {
    const stored = await linesInStore(service.store);
    await look(service, stored);
    service.indexer.start();
    await service.indexer.waitFor(await service.store.read.lastSequence(), 60_000);
    assert.equal(await service.backend.unreadyReason(), null, `round ${round}`);
    assert.deepEqual(await linesInIndex(service.backend), stored, `round ${round}: the index`);
  } finally {
    await service.stop();
  }
}

async function inFolder(work: (data: string) => Promise<void>): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'cardea-kill-'));
  try {
    await work(data);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

/** Kills a process that writes, refreshes, commits and merges. */
export function killWriters(rounds: number): Promise<void> {
  return inFolder(async (data) => {
    const history = new History();
    let next = 1;
    for (let round = 0; round < rounds; round++) {
      const said = await kill('write', data, next, momentOf(round));
      const acknowledged = said ?? next - 1;
      history.advance(acknowledged);
      await afterwards(data, round, async (_, stored) => {
        // The batch in flight may be stored without having been acknowledged.
        next = acknowledged + 1;
        if (stored.join('\n') !== history.lines().join('\n')) {
          history.advance(acknowledged + 1);
          next = acknowledged + 2;
        }
        assert.deepEqual(stored, history.lines(), `round ${round}: the store`);
      });
    }
  });
}

/** Kills an import: a prefix of its input is stored, including all that it reported. */
export function killImports(rounds: number): Promise<void> {
  return inFolder(async (data) => {
    let next = 1;
    let imports = 0;
    for (let round = 0; round < rounds; round++) {
      const said = await kill('import', data, next, momentOf(round));
      await afterwards(data, round, async (_, stored) => {
        const all = stored.map((line) => line.slice(0, line.indexOf(' ')));
        const ids = all.filter((id) => /^i\d+$/.test(id));
        assert.ok(ids.length >= (said ?? next - 1), `round ${round}: ${ids.length} < ${said}`);
        const beginning = ids.map((_, at) => importedId(at + 1));
        assert.deepEqual(ids, beginning, `round ${round}: the store`);
        // Each import that changed something has left an event.
        if (ids.length >= next) imports += 1;
        assert.ok(all.length - ids.length >= imports, `round ${round}: the audit trail`);
        next = ids.length + 1;
      });
    }
  });
}

/** Kills a migration: the data remain, and the next start completes it. */
export async function killMigrations(rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await inFolder(async (data) => {
      const held = await oldStore(join(data, 'cardea.db'));
      const said = await kill('migrate', data, 1, { withinMs: 40, after: 'first word' });
      const steps = await stepsIn(join(data, 'cardea.db'));
      const all = MIGRATIONS.map(({ name }) => name);
      // Either the old or the new state.
      if (said === 1 || steps.length > 1) assert.deepEqual(steps, all, `round ${round}`);
      else assert.deepEqual(steps, all.slice(0, 1), `round ${round}`);
      await afterwards(data, round, async ({ store }, stored) => {
        assert.deepEqual(stored, held, `round ${round}: the store`);
        const credentials = (['pat', 'client', 'key'] as const).map(async (kind) =>
          (await store.read.credentialsOf(TENANT, kind)).map(({ id, secretHash }) => [
            ...[kind, id, secretHash],
          ]),
        );
        const kept = ['pat', 'client'].map((kind) => [[kind, `the ${kind}`, 'h']]);
        assert.deepEqual(await Promise.all(credentials), [...kept, []], `round ${round}`);
      });
    });
  }
}

/** Creates a store at the first migration step. @returns its content as lines */
async function oldStore(path: string): Promise<string[]> {
  const documents = [...batch(1).values()].filter((document) => document !== null);
  const connection = await openConnection(path, 0);
  try {
    const executor = new SqlExecutor('sqlite', connection);
    connection.exec('pragma journal_mode = wal');
    connection.exec('begin immediate');
    await migrate('sqlite', executor, MIGRATIONS.slice(0, 1));
    for (const [at, { index, id, root, nested }] of documents.entries()) {
      const hash = documentHash(root, nested);
      connection.run('insert into document values (?, ?, ?, ?, ?, ?, ?)', [
        ...[at + 1, TENANT, index, id, hash, root, nested],
      ]);
      connection.run(
        `insert into document_count values (?, ?, 1)
         on conflict (tenant_id, index_name) do update set documents = documents + 1`,
        [TENANT, index],
      );
    }
    connection.run(
      `insert into personal_access_token values ('the pat', ?, 'u', 'n', 'h', '[]', 60, null, 1, 0, '', null)`,
      [TENANT],
    );
    connection.run(
      `insert into oauth_client values ('the client', ?, 'n', 'h', '[]', '[]', '[]', 60, 1, '')`,
      [TENANT],
    );
    connection.run('update sequence_counter set value = ?', [documents.length]);
    connection.exec('commit');
  } finally {
    connection.close();
  }
  return linesOf(documents);
}

/** Checks a store. @returns its migration steps */
async function stepsIn(path: string): Promise<string[]> {
  const connection = await openConnection(path, 0);
  try {
    assertSound(connection);
    return connection
      .all('select name from schema_migration order by name', [])
      .map(({ name }) => String(name));
  } finally {
    connection.close();
  }
}
