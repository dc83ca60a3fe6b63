// suite: slow
// Faults of the SQLite store: processes that are killed during a write, concurrent writers, a full
// disk.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openConnection } from '../../src/store/sqlite/sqlite-driver.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { assertSound } from '../support/sound-database.ts';
import { encoder } from './store-records.ts';

const WRITER = fileURLToPath(new URL('./sqlite-writer.js', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'cardea-faults-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** Starts a writer; `said` is called with each line of its output. */
function startWriter(
  args: readonly string[],
  said: (line: string) => void,
  shell?: string,
): ChildProcess {
  const command = [process.execPath, WRITER, ...args];
  const child =
    shell === undefined
      ? spawn(process.execPath, command.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] })
      : spawn('/bin/sh', ['-c', `${shell}; exec "$@"`, 'sh', ...command], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', said);
  return child;
}

/** Checks the file. @returns the last sequence and the number of documents */
async function inspect(
  path: string,
): Promise<{ sequence: number; documents: number; rows: number }> {
  const store = await openSqliteStore({ path });
  const sequence = await store.read.lastSequence();
  const { identities } = await store.read.documentCounts('tenant');
  let rows = 0;
  for (let at = 0, more = await store.read.changesAfter(0, 500); more.length > 0; ) {
    rows += more.length;
    at = more.at(-1)?.sequence ?? at;
    more = await store.read.changesAfter(at, 500);
  }
  await store.close();
  const connection = await openConnection(path, 60_000);
  assertSound(connection);
  connection.close();
  return { sequence, documents: identities, rows };
}

test('keeps all acknowledged writes of a writer that is killed repeatedly', async () => {
  const path = join(directory, 'killed.db');
  let acknowledged = 0;
  for (let round = 0; round < 6; round++) {
    const child = startWriter([path, `r${round}`], (line) => {
      acknowledged = Math.max(acknowledged, Number(line.replace('ok ', '')));
    });
    const exited = once(child, 'close');
    const from = acknowledged;
    const deadline = Date.now() + 120_000;
    // Some rounds are killed at once, while opening or migrating.
    while (round % 3 !== 0 && acknowledged <= from + 40 && Date.now() < deadline) await sleep(2);
    await sleep(round * 7);
    child.kill('SIGKILL');
    await exited;
    const { sequence, documents, rows } = await inspect(path);
    assert.ok(sequence >= acknowledged, `${sequence} is behind ${acknowledged}`);
    assert.equal(sequence % 20, 0, 'half a batch is there');
    assert.equal(documents, sequence);
    assert.equal(rows, sequence);
  }
  assert.ok(acknowledged > 0);
});

test('lets three processes write concurrently with one sequence', async () => {
  const path = join(directory, 'shared.db');
  const said = [0, 0, 0];
  const children = said.map((_, n) =>
    startWriter([path, `p${n}`], (line) => {
      assert.match(line, /^ok \d+$/);
      (said[n] as number)++;
    }),
  );
  const exited = children.map((child) => once(child, 'close'));
  const deadline = Date.now() + 120_000;
  while (said.some((count) => count < 10) && Date.now() < deadline) await sleep(5);
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(exited);
  assert.ok(
    said.every((count) => count >= 10),
    `batches of each: ${said}`,
  );
  const { sequence, documents, rows } = await inspect(path);
  assert.ok(sequence >= 20 * said.reduce((sum, count) => sum + count, 0));
  assert.equal(documents, sequence);
  assert.equal(rows, sequence);
});

test('refuses writes on a full disk, still reads, and loses no acknowledged write', async () => {
  const path = join(directory, 'full.db');
  const lines: string[] = [];
  // Limits files to 8192 blocks of 512 or 1024 bytes, which the log exceeds.
  const child = startWriter([path, 'f'], (line) => lines.push(line), 'ulimit -f 8192');
  const [code] = await once(child, 'close');
  assert.equal(code, 0);
  const [last, fault, ok] = [lines.at(-3), lines.at(-2), lines.at(-1)];
  assert.equal(fault, 'fault unavailable');
  assert.equal(ok, last);
  const { sequence, documents } = await inspect(path);
  assert.equal(`ok ${sequence}`, last);
  assert.equal(documents, sequence);
});

test('a write whose transaction SQLite has rolled back by itself leaves nothing, and others go on', async () => {
  const path = join(directory, 'ended.db');
  const store = await openSqliteStore({ path });
  const append = async (id: string) => {
    const event = { index: 'events', id, root: encoder.encode(JSON.stringify({ id })) } as const;
    await store.write((records) =>
      records.appendAuditEvents('tenant', [{ ...event, nested: new Uint8Array(0) }]),
    );
    return id;
  };
  await append('first');
  const connection = await openConnection(path, 60_000);
  connection.exec(`create trigger broken before insert on document when new.id like 'broken%'
    begin select raise(rollback, 'the disk failed'); end`);
  connection.close();
  await assert.rejects(append('broken'), /the disk failed/);
  const group = await Promise.allSettled(['a', 'broken2', 'b', 'c'].map(append));
  assert.equal(group[1]?.status, 'rejected');
  const kept = group.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const chain = await store.read.auditChain('tenant', 0, 10);
  assert.deepEqual(
    chain.map(({ id, number }) => [id, number]),
    ['first', ...kept].map((id, at) => [id, at + 1]),
  );
  await append('last');
  await store.close();
});

test('makes the file and its log readable only for their owner', async () => {
  const path = join(directory, 'private.db');
  const store = await openSqliteStore({ path });
  await store.write((r) => r.revokeToken('tenant', { id: 'x', expires: 0 }));
  for (const file of [path, `${path}-wal`]) assert.equal(statSync(file).mode & 0o777, 0o600);
  await store.close();
});

test('reports a missing directory as unavailable, with its name', async () => {
  await assert.rejects(openSqliteStore({ path: join(directory, 'missing', 'x.db') }), {
    code: 'unavailable',
    message: /cannot be opened/,
  });
});

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
