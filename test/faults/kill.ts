// Rounds of kill -9 at random moments, each followed by a start that looks whether everything acknowledged is there and
// whether the index answers what the store holds.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SqlExecutor } from '../../src/store/executor.ts';
import { MIGRATIONS, migrate } from '../../src/store/migrate.ts';
import { recordsOver } from '../../src/store/records/records.ts';
import { openConnection } from '../../src/store/sqlite/sqlite-driver.ts';
import { assertSound } from '../support/sound-database.ts';
import { batch, History, importedId, linesOf, TENANT } from './history.ts';
import { linesInIndex, linesInStore, type Service, startService } from './service.ts';

const VICTIM = fileURLToPath(import.meta.resolve('./victim.js'));

/** When the victim is killed: so many milliseconds at most after it was started, or after its first word. */
interface Moment {
  readonly withinMs: number;
  readonly after: 'start' | 'first word';
}

/** Starts the victim, kills it, and answers the last number it said; null: it said none. */
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
  // A line that was cut off was not said.
  const said = output.slice(0, output.lastIndexOf('\n') + 1).trimEnd();
  return said === '' ? null : Number(said.split('\n').at(-1));
}

/** Every fourth round dies while it starts. */
const momentOf = (round: number): Moment => ({
  withinMs: 300,
  after: round % 4 === 3 ? 'start' : 'first word',
});

/** Starts over what the killed one left, and lets `look` look; afterwards the index must answer what the store holds. */
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

/** Kills who writes, refreshes, commits and merges. */
export function killWriters(rounds: number): Promise<void> {
  return inFolder(async (data) => {
    const history = new History();
    let next = 1;
    for (let round = 0; round < rounds; round++) {
      const said = await kill('write', data, next, momentOf(round));
      const acknowledged = said ?? next - 1;
      history.advance(acknowledged);
      await afterwards(data, round, async (_, stored) => {
        // The batch in flight may have been kept without the writer having learnt it.
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

/** Kills who imports: of what it read a beginning is kept, and all that it reported. */
export function killImports(rounds: number): Promise<void> {
  return inFolder(async (data) => {
    let next = 1;
    for (let round = 0; round < rounds; round++) {
      const said = await kill('import', data, next, momentOf(round));
      await afterwards(data, round, async (_, stored) => {
        assert.ok(
          stored.length >= (said ?? next - 1),
          `round ${round}: ${stored.length} < ${said}`,
        );
        const ids = stored.map((line) => line.slice(0, line.indexOf(' ')));
        const beginning = ids.map((_, at) => importedId(at + 1));
        assert.deepEqual(ids, beginning, `round ${round}: the store`);
        next = stored.length + 1;
      });
    }
  });
}

/** Kills who brings a store up to date: what it held is there, and the next start ends the work. */
export async function killMigrations(rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await inFolder(async (data) => {
      const held = await oldStore(join(data, 'cardea.db'));
      const said = await kill('migrate', data, 1, { withinMs: 40, after: 'first word' });
      const steps = await stepsIn(join(data, 'cardea.db'));
      const all = MIGRATIONS.map(({ name }) => name);
      // Either as it was or as it should be.
      if (said === 1 || steps.length > 1) assert.deepEqual(steps, all, `round ${round}`);
      else assert.deepEqual(steps, all.slice(0, 1), `round ${round}`);
      await afterwards(data, round, async ({ store }, stored) => {
        assert.deepEqual(stored, held, `round ${round}: the store`);
        assert.deepEqual(await store.read.apiKeys(TENANT), [], `round ${round}: a new table`);
      });
    });
  }
}

/** Makes a store as the first step left it. @returns what it holds, as lines */
async function oldStore(path: string): Promise<string[]> {
  const documents = [...batch(1).values()].filter((document) => document !== null);
  const connection = await openConnection(path, 0);
  try {
    const executor = new SqlExecutor('sqlite', connection);
    connection.exec('pragma journal_mode = wal');
    connection.exec('begin immediate');
    await migrate('sqlite', executor, MIGRATIONS.slice(0, 1));
    await recordsOver(executor).putDocuments(TENANT, documents);
    connection.exec('commit');
  } finally {
    connection.close();
  }
  return linesOf(documents);
}

/** The steps that a store has; it must be sound. */
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
