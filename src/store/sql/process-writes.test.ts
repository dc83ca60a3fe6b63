import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { ProcessWrites } from './process-writes.ts';

/** Atomics.waitAsync keeps no process alive. */
const alive = setInterval(() => {}, 1_000);
after(() => clearInterval(alive));

const threads = (count: number) => {
  const memory = ProcessWrites.memory(count);
  return Array.from({ length: count }, (_, thread) => new ProcessWrites(memory, thread));
};
const at = <T>(values: readonly T[], index: number): T => {
  const value = values[index];
  assert.ok(value !== undefined);
  return value;
};

test('a write of one thread is counted, and told to the listeners of all', async () => {
  const all = threads(2);
  const told = new Promise<number>((resolve) => {
    const end = at(all, 0).onEnded(() => {
      end();
      resolve(at(all, 0).ended);
    });
  });
  at(all, 1).end(3);
  assert.equal(at(all, 0).ended, 3);
  assert.equal(await told, 3);
});

test('turns are given in the order in which they were asked for', async () => {
  const all = threads(3);
  const order: number[] = [];
  const endFirst = await at(all, 0).turn();
  const later = [2, 1].map((thread) =>
    at(all, thread)
      .turn()
      .then((end) => {
        order.push(thread);
        end();
      }),
  );
  await pause(5);
  assert.deepEqual(order, []);
  endFirst();
  // A turn is ended once, however often it is said.
  endFirst();
  await Promise.all(later);
  assert.deepEqual(order, [2, 1]);
});

test('a thread that has died gives back its turn, and one that it waited for', async () => {
  for (const deadHolds of [true, false]) {
    const all = threads(3);
    const dead = at(all, 1);
    const endOther = deadHolds ? () => {} : await at(all, 0).turn();
    if (deadHolds) await dead.turn();
    else void dead.turn();
    const next = at(all, 2).turn();
    const forgotten = at(all, 0).forget(1);
    endOther();
    (await next)();
    await forgotten;
  }
});

test('a thread that never wrote gives back nothing', async () => {
  const all = threads(2);
  const end = await at(all, 0).turn();
  await at(all, 0).forget(1);
  let given = false;
  const next = at(all, 0)
    .turn()
    .then((endNext) => {
      given = true;
      endNext();
    });
  await pause(5);
  assert.equal(given, false);
  end();
  await next;
});

const RACER = `
  import { workerData, parentPort } from 'node:worker_threads';
  const { ProcessWrites } = await import(workerData.module);
  const writes = new ProcessWrites(workerData.memory, workerData.thread);
  const shared = new Int32Array(workerData.shared);
  const alive = setInterval(() => {}, 1_000);
  for (let n = 0; n < 500; n++) {
    const end = await writes.turn();
    // Not atomic on purpose: only one thread at a time is here.
    const value = shared[0];
    await null;
    shared[0] = value + 1;
    writes.end(1);
    end();
  }
  clearInterval(alive);
`;

test('threads that race exclude each other, and none is left out', async () => {
  const memory = ProcessWrites.memory(4);
  const shared = new SharedArrayBuffer(4);
  const module = new URL('./process-writes.js', import.meta.url).href;
  const program = new URL(`data:text/javascript,${encodeURIComponent(RACER)}`);
  await Promise.all(
    [1, 2, 3].map(
      (thread) =>
        new Promise<void>((resolve, reject) => {
          const worker = new Worker(program, { workerData: { memory, shared, thread, module } });
          worker.on('error', reject);
          worker.on('exit', () => resolve());
        }),
    ),
  );
  assert.equal(new Int32Array(shared)[0], 1_500);
  assert.equal(new ProcessWrites(memory, 0).ended, 1_500);
});
