// suite: slow
// Threads that count together, racing and terminated at any point.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { createProcessCounts, ProcessCounts } from '../../src/http/admission/process-counts.ts';
import { Shares } from '../../src/http/admission/shares.ts';
import { SMALL } from '../support/connected-threads.ts';
import { type CountingThreadData, HELD, MOST, TAKES } from '../support/counting-figures.ts';
import { eventually } from '../support/eventually.ts';

const SCRIPT = new URL('../support/counting-thread.js', import.meta.url);
const THREADS = 4;
const TOTAL = 12;

/** The counts of this thread, the last, and a function that starts the others. */
function process(settings: Pick<CountingThreadData, 'job' | 'rounds'>) {
  const data = createProcessCounts(THREADS + 1, SMALL);
  const figures = new Int32Array(new SharedArrayBuffer(12));
  const counts = new ProcessCounts(data, THREADS, { tell: () => {}, onEvent: () => {} });
  const start = (thread: number, change: Partial<CountingThreadData> = {}) => {
    const workerData = { data, thread, figures, total: TOTAL, ...settings, ...change };
    return new Worker(SCRIPT, { workerData });
  };
  const rules = { total: TOTAL, groupShare: 0.75, memberShare: 0.75, weightOf: () => 1 };
  const shares = new Shares(rules, counts.placesOf('searches').running);
  return { counts, figures, start, shares };
}

const result = async (worker: Worker) => (await once(worker, 'message'))[0];
const threads = Array.from({ length: THREADS }, (_, thread) => thread);
const read = (figures: Int32Array, index: number) => Atomics.load(figures, index);

test('threads that race never hold more than the total, and give back all of it', async () => {
  const { start, figures, shares } = process({ job: 'shares', rounds: 40_000 });
  const takes = await Promise.all(threads.map((thread) => result(start(thread))));
  assert.equal(
    takes.reduce((sum, one) => sum + one, 0),
    read(figures, TAKES),
  );
  assert.ok(read(figures, TAKES) > THREADS * 1_000, 'they took something');
  assert.ok(read(figures, MOST) <= TOTAL, `${read(figures, MOST)} were held`);
  assert.equal(read(figures, HELD), 0);
  assert.equal(shares.held, 0);
  for (let group = 0; group < 40; group++) assert.ok(shares.isIdle(`g${group}`), `g${group}`);
});

test('threads that count the events of a key get each number once', async () => {
  const { start } = process({ job: 'events', rounds: 20_000 });
  const counts = await Promise.all(threads.map((thread) => result(start(thread))));
  const sorted = Int32Array.from(counts.flat()).sort();
  assert.equal(sorted.length, THREADS * 20_000);
  assert.ok(sorted.every((count, index) => count === index + 1));
});

test('what terminated threads held is given back, and the others go on', async () => {
  const { counts, start, figures, shares } = process({ job: 'shares', rounds: 200_000 });
  const others = threads.slice(1).map((thread) => start(thread));
  const results = Promise.all(others.map(result));
  let hasEnded = false;
  const ended = results.finally(() => {
    hasEnded = true;
  });
  let deaths = 0;
  for (; deaths < 5 || !hasEnded; deaths++) {
    const takes = read(figures, TAKES);
    const victim = start(0, { rounds: Number.POSITIVE_INFINITY });
    await once(victim, 'online');
    await eventually(() => assert.ok(hasEnded || read(figures, TAKES) > takes));
    await victim.terminate();
    counts.forgetThread(0);
  }
  const takes = await ended;
  assert.ok(takes.every((count) => count > 0));
  assert.equal(shares.held, 0, `after ${deaths} deaths`);
  for (let group = 0; group < 40; group++) assert.ok(shares.isIdle(`g${group}`), `g${group}`);
});

test('a lock whose holder was terminated unnoticed is taken over', async () => {
  const { counts, shares } = process({ job: 'shares', rounds: 0 });
  const party = { group: 'a', member: '', anonymous: false };
  assert.equal(shares.take(party, 2), null);
  // This thread, as another: it ends between `lock` and `unlock`.
  counts.placesOf('searches').running.lock();
  assert.equal(shares.take(party, 1), null);
  assert.equal(shares.held, 3);
});
