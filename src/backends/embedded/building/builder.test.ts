import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { CorruptSegmentError } from '../../../engine/index/corrupt-segment-error.ts';
import { ServiceError } from '../../../errors.ts';
import { staticMapping } from '../../../query/mapping/document-types.ts';
import { type BuildJob, packDocuments, SharedRoom, unpackDocuments } from './build-job.ts';
import { Builder } from './builder.ts';

const job = (name: string) =>
  ({
    kind: 'build',
    name,
    mapping: staticMapping('roles', { name: 'acme', pod: 'cardea' }),
    documents: packDocuments([], new SharedRoom()),
    paths: null,
  }) satisfies BuildJob;

/** A builder whose thread is a script that is told its own number; `threads` counts the starts. */
function builderOf(script: string): { builder: Builder; threads: () => number } {
  let threads = 0;
  const builder = new Builder(() => {
    threads += 1;
    const code = `const { parentPort } = require('node:worker_threads'); const thread = ${threads};
      const answer = (id, name) => parentPort.postMessage({ id, built: { index: Buffer.from(name), sources: Buffer.alloc(0) } });
      parentPort.on('message', ({ id, job }) => { ${script} });`;
    return new Worker(code, { eval: true });
  });
  return { builder, threads: () => threads };
}

async function built(builder: Builder, name: string): Promise<string> {
  const made = await builder.run(job(name));
  assert.ok('index' in made);
  return Buffer.from(made.index).toString();
}

test('jobs are answered each with its own segment, by one thread', async () => {
  const { builder, threads } = builderOf('answer(id, job.name);');
  assert.deepEqual(await Promise.all(['a', 'b', 'c'].map((name) => built(builder, name))), [
    'a',
    'b',
    'c',
  ]);
  assert.equal(threads(), 1);
  await builder.close();
});

test('when the thread dies it is started again, and the job is done after all', async () => {
  const { builder, threads } = builderOf(
    'if (thread === 1) process.exit(7); else answer(id, job.name);',
  );
  assert.deepEqual(await Promise.all([built(builder, 'a'), built(builder, 'b')]), ['a', 'b']);
  assert.equal(threads(), 2);
  await builder.close();
});

test('a job the thread dies over twice is given up, the jobs behind it are not', async () => {
  const { builder } = builderOf(
    `if (job.name === 'bad') throw new Error('crash'); answer(id, job.name);`,
  );
  const bad = assert.rejects(
    builder.run(job('bad')),
    (error) => error instanceof ServiceError && error.code === 'unavailable',
  );
  assert.equal(await built(builder, 'good'), 'good');
  await bad;
  await builder.close();
});

test('a fault of the job itself reaches its caller, a damaged part by its name', async () => {
  const { builder, threads } = builderOf(
    `parentPort.postMessage({ id, fault: 'no good', corrupt: job.name === 'x' ? 's7' : null });`,
  );
  await assert.rejects(builder.run(job('y')), /no good/);
  await assert.rejects(
    builder.run(job('x')),
    (error) => error instanceof CorruptSegmentError && error.segment === 's7',
  );
  assert.equal(threads(), 1);
  await builder.close();
});

test('closing ends the thread and fails what it was doing', async () => {
  const { builder } = builderOf('');
  const running = assert.rejects(builder.run(job('a')), /closed/);
  await builder.close();
  await running;
  await assert.rejects(builder.run(job('b')), /closed/);
});

test('documents survive packing', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const documents = [
    { id: 'a', version: 3, root: bytes('{"a":1}'), nested: bytes('"b":[]') },
    { id: 'ü', version: 2 ** 40, root: bytes('{}'), nested: bytes('') },
  ];
  const unpacked = unpackDocuments(packDocuments(documents, new SharedRoom())).map((document) => ({
    ...document,
    root: Uint8Array.from(document.root),
    nested: Uint8Array.from(document.nested),
  }));
  assert.deepEqual(unpacked, documents);
});
