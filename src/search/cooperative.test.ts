import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../errors.ts';
import {
  CooperativeScheduler,
  type SchedulerOptions,
  type ShortWork,
  type Work,
} from './cooperative.ts';

/** A clock that moves only when told, and turns that run only when asked. */
function harness(options: Pick<SchedulerOptions, 'sliceMs' | 'more'> = {}) {
  let time = 0;
  const turns: (() => void)[] = [];
  const scheduler = new CooperativeScheduler({
    clock: { now: () => time },
    defer: (turn) => turns.push(turn),
    ...options,
  });
  return {
    scheduler,
    pass: (ms: number) => {
      time += ms;
    },
    turn: () => turns.shift()?.(),
    pending: () => turns.length,
  };
}

/** What the work comes to. */
function run<T>(
  scheduler: CooperativeScheduler,
  steps: Generator<void, T>,
  options: Pick<ShortWork<T>, 'timeoutMs' | 'signal' | 'firstMs' | 'elsewhere'>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    scheduler.begin({ steps, ...options, resolve: (value) => resolve(value), reject });
  });
}

/** Work of `steps` steps that each take one millisecond. */
function* work<T>(h: ReturnType<typeof harness>, steps: number, value: T, trace: T[] = []) {
  for (let i = 0; i < steps; i++) {
    h.pass(1);
    trace.push(value);
    yield;
  }
  return value;
}

function* endless(h: ReturnType<typeof harness>, cleanUp: () => void): Generator<void, never> {
  try {
    for (;;) {
      h.pass(1);
      yield;
    }
  } finally {
    cleanUp();
  }
}

test('short work needs no turn of the event loop', async () => {
  const h = harness();
  assert.equal(await run(h.scheduler, work(h, 1, 'done'), { timeoutMs: 100 }), 'done');
  assert.equal(h.pending(), 0);
});

test('long work is cut into slices of at most five milliseconds', async () => {
  const h = harness();
  const trace: string[] = [];
  const result = run(h.scheduler, work(h, 15, 'x', trace), { timeoutMs: 100 });
  assert.equal(trace.length, 2);
  h.turn();
  assert.equal(trace.length, 7);
  h.turn();
  assert.equal(trace.length, 12);
  h.turn();
  assert.equal(await result, 'x');
});

test('tasks take turns, one slice a turn', async () => {
  const h = harness({ sliceMs: 2 });
  const trace: string[] = [];
  const a = run(h.scheduler, work(h, 6, 'a', trace), { timeoutMs: 100 });
  const b = run(h.scheduler, work(h, 4, 'b', trace), { timeoutMs: 100 });
  while (h.pending() > 0) h.turn();
  assert.deepEqual(await Promise.all([a, b]), ['a', 'b']);
  assert.equal(trace.join(''), 'aabbaabbaa');
});

test('short work is done at once, whatever else is under way, until it is too much of it', async () => {
  const h = harness();
  const trace: string[] = [];
  const long = run(h.scheduler, work(h, 30, 'x', trace), { timeoutMs: 100 });
  const short = Array.from({ length: 12 }, (_, n) =>
    run(h.scheduler, work(h, 1, String(n % 10), trace), { timeoutMs: 100 }),
  );
  assert.equal(trace.join(''), 'xx01234567');
  h.turn();
  assert.equal(trace.join('').slice(10), '8901xxxxx');
  while (h.pending() > 0) h.turn();
  assert.equal((await Promise.all([long, ...short])).length, 13);
});

test('work that its first slice is not enough for may go elsewhere, and its steps are cleaned up', async () => {
  const h = harness();
  let cleaned = false;
  const result = new Promise((resolve, reject) => {
    h.scheduler.begin({
      steps: endless(h, () => {
        cleaned = true;
      }),
      timeoutMs: 100,
      firstMs: 1,
      elsewhere: () => {
        resolve('elsewhere');
        return true;
      },
      resolve,
      reject,
    });
  });
  assert.equal(await result, 'elsewhere');
  assert.equal(cleaned, true);
  assert.equal(h.pending(), 0);
});

test('work that waits is taken when there is nothing else, or when all tasks had their share', async () => {
  const trace: string[] = [];
  const waiting: Work<unknown>[] = [];
  const h = harness({ more: () => waiting.shift() ?? null });
  const wait = (steps: number, name: string) =>
    waiting.push({
      steps: work(h, steps, name, trace),
      timeoutMs: 1_000,
      resolve: () => trace.push(name.toUpperCase()),
      reject: (error) => assert.fail(String(error)),
    });
  wait(60, 'a');
  wait(1, 'b');
  h.scheduler.wake();
  for (let i = 0; i < 10; i++) h.turn();
  assert.equal(trace.join(''), 'a'.repeat(50));
  while (h.pending() > 0) h.turn();
  assert.equal(trace.join('').slice(50), 'bBaaaaaaaaaaA');
});

test('work past its deadline ends with deadline_exceeded and is cleaned up', async () => {
  const h = harness();
  let cleaned = false;
  const steps = endless(h, () => {
    cleaned = true;
  });
  const result = run(h.scheduler, steps, { timeoutMs: 30 });
  for (let i = 0; i < 10; i++) h.turn();
  await assert.rejects(
    result,
    (e) => e instanceof ServiceError && e.code === 'deadline_exceeded' && /0.03 s/.test(e.message),
  );
  assert.equal(cleaned, true);
  assert.equal(h.pending(), 0);
});

test('a caller that goes away ends the work at its next turn', async () => {
  const h = harness();
  const trace: string[] = [];
  const controller = new AbortController();
  const result = run(h.scheduler, work(h, 1000, 'x', trace), {
    timeoutMs: 10_000,
    signal: controller.signal,
  });
  h.turn();
  controller.abort();
  const before = trace.length;
  h.turn();
  await assert.rejects(result, (e) => e instanceof ServiceError && e.code === 'cancelled');
  assert.equal(trace.length, before);
  assert.equal(h.pending(), 0);
});

test('what the work throws reaches its caller and nobody else', async () => {
  const h = harness({ sliceMs: 2 });
  // biome-ignore lint/correctness/useYield: it throws before it gets there
  function* broken(): Generator<void, string> {
    throw new Error('broken');
  }
  const good = run(h.scheduler, work(h, 5, 'good'), { timeoutMs: 100 });
  const bad = run(h.scheduler, broken(), { timeoutMs: 100 });
  const rejected = assert.rejects(bad, /broken/);
  while (h.pending() > 0) h.turn();
  await rejected;
  assert.equal(await good, 'good');
});

/** Far more than a slice, far less than a query: a busy machine may pause the process by itself. */
const HELD_MS_MAX = 1_000;

test('with the real event loop, twenty endless queries leave room for timers', async () => {
  const scheduler = new CooperativeScheduler();
  function* spin(): Generator<void, never> {
    for (;;) {
      for (let i = 0; i < 1000; i++) Math.sqrt(i);
      yield;
    }
  }
  const tasks = Array.from({ length: 20 }, () =>
    assert.rejects(run(scheduler, spin(), { timeoutMs: 2_000 }), /longer than/),
  );
  let worst = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    worst = Math.max(worst, now - last);
    last = now;
  }, 1);
  await Promise.all(tasks);
  clearInterval(timer);
  assert.ok(worst < HELD_MS_MAX, `the event loop was held for ${worst} ms`);
});
