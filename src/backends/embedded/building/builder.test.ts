import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { testMapping } from '../../../../test/support/segments.ts';
import { CorruptSegmentError } from '../../../engine/sections/corrupt-segment-error.ts';
import { ServiceError } from '../../../errors.ts';
import { staticMapping } from '../../../query/mapping/document-types.ts';
import { type BuildJob, packDocuments, SharedBuffer, unpackDocuments } from './build-job.ts';
import { Builder } from './builder.ts';
import { runJob } from './run-job.ts';

/** @param characters the length of its document, by default too long to be built without a thread */
const job = (name: string, characters = 40_000) => {
  const root = new TextEncoder().encode(`{"name":"${'x'.repeat(characters)}"}`);
  const document = { id: name, version: 1, root, nested: new Uint8Array(0) };
  return {
    kind: 'build',
    name,
    mapping: staticMapping('roles', { name: 'acme', pod: 'cardea' }),
    documents: packDocuments([document], new SharedBuffer()),
    paths: null,
  } satisfies BuildJob;
};

/**
 * A builder whose thread runs a script with its own number; `threads` counts the starts.
 * @param failing the number of a thread that cannot be started
 */
function builderOf(script: string, failing = 0): { builder: Builder; threads: () => number } {
  let threads = 0;
  const builder = new Builder(() => {
    threads += 1;
    if (threads === failing) throw new Error('ERR_WORKER_INIT_FAILED');
    const code = `const { parentPort } = require('node:worker_threads'); const thread = ${threads};
      const answer = (id, name) => parentPort.postMessage({ id, built: { index: Buffer.from(name), sources: Buffer.alloc(0) } });
      parentPort.on('message', ({ id, job }) => { ${script} });`;
    return new Worker(code, { eval: true });
  });
  return { builder, threads: () => threads };
}

/** The highest of the next handles: those with the lowest numbers that are not in use. */
function nextHandles(): number {
  const handles = [0, 1, 2].map(() => openSync(fileURLToPath(import.meta.url), 'r'));
  for (const handle of handles) closeSync(handle);
  return Math.max(...handles);
}

async function build(builder: Builder, name: string): Promise<string> {
  const result = await builder.run(job(name));
  assert.ok('index' in result);
  return Buffer.from(result.index).toString();
}

test('one thread returns the segment of each job', async () => {
  const { builder, threads } = builderOf('answer(id, job.name);');
  assert.deepEqual(await Promise.all(['a', 'b', 'c'].map((name) => build(builder, name))), [
    'a',
    'b',
    'c',
  ]);
  assert.equal(threads(), 1);
  await builder.close();
});

test('a small segment is built without a thread, as a thread builds it', async () => {
  const { builder, threads } = builderOf('process.exit(1);');
  const small = job('a', 20_000);
  assert.deepEqual(await builder.run(small), runJob(small));
  assert.equal(threads(), 0);
  const late = assert.rejects(builder.run(small), /closed/);
  await builder.close();
  await late;
});

test('a job that writes files leaves none of them open', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cardea-builder-'));
  try {
    const before = nextHandles();
    const paths = { index: join(folder, 'index'), sources: join(folder, 'sources') };
    runJob({ ...job('a'), paths });
    assert.ok(statSync(paths.sources).size > 0);
    // Fewer, where threads of the tests before end meanwhile.
    assert.ok(nextHandles() <= before);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a small segment of an index with many fields is built by a thread', async () => {
  const { builder, threads } = builderOf('answer(id, job.name);');
  const fields = Array.from({ length: 300 }, (_, at) => [`attributes.a${at}`, 'text'] as const);
  await builder.run({ ...job('a', 9), mapping: testMapping(Object.fromEntries(fields)) });
  assert.equal(threads(), 1);
  await builder.close();
});

test('restarts a thread that died and runs its job again', async () => {
  const { builder, threads } = builderOf(
    'if (thread === 1) process.exit(7); else answer(id, job.name);',
  );
  assert.deepEqual(await Promise.all([build(builder, 'a'), build(builder, 'b')]), ['a', 'b']);
  assert.equal(threads(), 2);
  await builder.close();
});

test('gives up a job after two deaths of the thread, but not the jobs after it', async () => {
  const { builder } = builderOf(
    `if (job.name === 'bad') throw new Error('crash'); answer(id, job.name);`,
  );
  const bad = assert.rejects(
    builder.run(job('bad')),
    (error) => error instanceof ServiceError && error.code === 'unavailable',
  );
  assert.equal(await build(builder, 'good'), 'good');
  await bad;
  await builder.close();
});

for (const failing of [1, 2]) {
  test(`a job for which thread ${failing} cannot be started fails, and the next one is run`, async () => {
    const { builder, threads } = builderOf(
      `if (thread < ${failing}) process.exit(7); else answer(id, job.name);`,
      failing,
    );
    const refused = assert.rejects(builder.run(job('a')), { code: 'unavailable' });
    assert.equal(await build(builder, 'b'), 'b');
    await refused;
    assert.equal(threads(), failing + 1);
    await builder.close();
  });
}

test('rejects with the error of the job, and with the name of a damaged segment', async () => {
  const { builder, threads } = builderOf(
    `parentPort.postMessage({ id, fault: 'no good', corrupt: job.name === 'x' ? 's7' : null });`,
  );
  await assert.rejects(builder.run(job('y')), /no good/);
  await assert.rejects(
    builder.run(job('x')),
    (error) =>
      error instanceof CorruptSegmentError && error.segment === 's7' && error.what === 'no good',
  );
  assert.equal(threads(), 1);
  await builder.close();
});

test('close ends the thread and rejects its job', async () => {
  const { builder } = builderOf('');
  const running = assert.rejects(builder.run(job('a')), /closed/);
  await builder.close();
  await running;
  await assert.rejects(builder.run(job('b')), /closed/);
});

test('packing and unpacking preserves documents', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const documents = [
    { id: 'a', version: 3, root: bytes('{"a":1}'), nested: bytes('"b":[]') },
    { id: 'ü', version: 2 ** 40, root: bytes('{}'), nested: bytes('') },
  ];
  const unpacked = unpackDocuments(packDocuments(documents, new SharedBuffer())).map(
    (document) => ({
      ...document,
      root: Uint8Array.from(document.root),
      nested: Uint8Array.from(document.nested),
    }),
  );
  assert.deepEqual(unpacked, documents);
});
