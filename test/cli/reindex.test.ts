// suite: slow
// cardea reindex on the embedded engine: broken off at will and killed, the next one goes on, and at the end the
// index holds what the store holds.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openOffline } from '../../src/compose/compose.ts';
import { parseConfig } from '../../src/config/config.ts';
import { planOf } from '../contract/backend-world.ts';
import { commandLine } from '../support/command-line.ts';
import { CARDEA } from '../support/program.ts';
import { searchOptions } from '../support/search-options.ts';

/** Several batches of the indexer. */
const DOCUMENTS = 12_000;
const DEADLINE_MS = 180_000;

const directory = mkdtempSync(join(tmpdir(), 'cardea-reindex-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const dataDir = join(directory, 'data');
const reindex = ['reindex', '--data-dir', dataDir];

async function json(args: readonly string[]) {
  const line = commandLine([...args, '--json']);
  const code = await line.ended;
  return { code, ...JSON.parse(line.out() || 'null') };
}

before(async () => {
  const lines = Array.from(
    { length: DOCUMENTS },
    (_, n) => `{"_type":"role","id":"r${n}","name":"Role ${n}"}`,
  );
  const file = join(directory, 'roles.ndjson');
  writeFileSync(file, lines.join('\n'));
  assert.equal((await json(['tenant', 'create', 'acme', '--data-dir', dataDir])).code, 0);
  assert.equal((await json(['import', file, '--data-dir', dataDir])).created, DOCUMENTS);
});

/** How many roles the index holds, whoever fed it; nobody feeds it now. */
async function searchable(): Promise<number> {
  const { backend, store, close } = await openOffline(
    parseConfig({ CARDEA_DATA_DIR: dataDir, CARDEA_LOG_LEVEL: 'silent' }),
  );
  try {
    assert.ok(backend);
    assert.equal(await backend.unreadyReason(), null);
    const [tenant] = await store.read.tenants();
    return await backend.count(String(tenant?.id), planOf(), searchOptions());
  } finally {
    await close();
  }
}

test('a whole index is built anew, and scripts are told what was done', async () => {
  const { code, seconds, ...report } = await json(reindex);
  assert.equal(code, 0);
  assert.ok(seconds > 0);
  const { sequence } = report;
  assert.deepEqual(report, {
    ...{ backend: 'embedded', from: 0, indexed: sequence, sequence, whole: true },
  });
  assert.ok(sequence >= DOCUMENTS);
  assert.equal(await searchable(), DOCUMENTS);
});

test('one that is stopped says how far it is, and the next goes on there', async () => {
  const stopped = commandLine([...reindex, '--json']);
  stopped.interrupt();
  assert.equal(await stopped.ended, 130);
  const { indexed, sequence, whole } = JSON.parse(stopped.out());
  assert.deepEqual([indexed > 0, indexed < sequence, whole], [true, true, false]);
  const line = commandLine(reindex);
  assert.equal(await line.ended, 0, line.err());
  assert.match(line.err(), /^Continuing after change [\d,]+, where it was interrupted\.\n/);
  const rest = String(sequence - indexed).replace(/\B(?=\d{3}$)/, ',');
  assert.ok(line.out().startsWith(`The search index is complete: ${rest} changes in `));
  assert.equal(await searchable(), DOCUMENTS);
  assert.equal((await json(reindex)).from, 0, 'a whole index is built anew');
});

test('one that is killed leaves nothing that the next one could trip over', async () => {
  const manifest = join(dataDir, 'index', 'manifest.json');
  const before = readFileSync(manifest);
  const child = spawn(process.execPath, [CARDEA, ...reindex], { stdio: 'ignore' });
  const ended = once(child, 'close');
  for (const end = Date.now() + DEADLINE_MS; readFileSync(manifest).equals(before); ) {
    assert.ok(Date.now() < end && child.exitCode === null, 'it never forgot the index');
    await pause(1);
  }
  child.kill('SIGKILL');
  await ended;
  const report = await json(reindex);
  assert.deepEqual([report.code, report.whole], [0, true]);
  assert.equal(await searchable(), DOCUMENTS);
});

test('without a store there is nothing to build from, and none is made', async () => {
  const nowhere = join(directory, 'nowhere');
  mkdirSync(nowhere);
  const line = commandLine(['reindex', '--data-dir', nowhere]);
  assert.equal(await line.ended, 2);
  assert.match(line.err(), /^error: There is no data in .*nowhere: choose another directory/);
});

test('an OpenSearch that is not there is a fault, and the embedded index is as it was', async () => {
  const line = commandLine([...reindex, '--search-url', 'http://ada:secret@127.0.0.1:1']);
  assert.equal(await line.ended, 1);
  assert.match(line.err(), /^error: .*OpenSearch/m);
  assert.doesNotMatch(line.err() + line.out(), /secret/);
  assert.equal(await searchable(), DOCUMENTS);
});
