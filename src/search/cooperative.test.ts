import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../errors.ts';
import { CooperativeScheduler } from './cooperative.ts';

/** A clock that moves only when told, and turns that run only when asked. */
function harness(options: { sliceMs?: number } = {}) {
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

/** Work of `steps` steps that each take one millisecond. */
function* work<T>(h: ReturnType<typeof harness>, steps: number, value: T, trace: T[] = []) {
  for (let i = 0; i < steps; i++) {
    h.pass(1);
    trace.push(value);
    yield;
  }
  return value;
}

test('short work needs no turn of the event loop', async () => {
  const h = harness();
  assert.equal(await h.scheduler.run(work(h, 1, 'done'), { timeoutMs: 100 }), 'done');
  assert.equal(h.pending(), 0);
});

test('long work is cut into slices of at most ten milliseconds', async () => {
  const h = harness();
  const trace: string[] = [];
  const result = h.scheduler.run(work(h, 25, 'x', trace), { timeoutMs: 100 });
  assert.equal(trace.length, 2);
  h.turn();
  assert.equal(trace.length, 12);
  h.turn();
  assert.equal(trace.length, 22);
  h.turn();
  assert.equal(await result, 'x');
});

test('tasks take turns, one slice a turn', async () => {
  const h = harness({ sliceMs: 2 });
  const trace: string[] = [];
  const a = h.scheduler.run(work(h, 6, 'a', trace), { timeoutMs: 100 });
  const b = h.scheduler.run(work(h, 4, 'b', trace), { timeoutMs: 100 });
  while (h.pending() > 0) h.turn();
  assert.deepEqual(await Promise.all([a, b]), ['a', 'b']);
  assert.equal(trace.join(''), 'aaaabbaabb');
});

test('work past its deadline ends with deadline_exceeded and is cleaned up', async () => {
  const h = harness();
  let cleaned = false;
  function* endless(): Generator<void, never> {
    try {
      for (;;) {
        h.pass(1);
        yield;
      }
    } finally {
      cleaned = true;
    }
  }
  const result = h.scheduler.run(endless(), { timeoutMs: 30 });
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
  const result = h.scheduler.run(work(h, 1000, 'x', trace), {
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
  const good = h.scheduler.run(work(h, 5, 'good'), { timeoutMs: 100 });
  const bad = h.scheduler.run(broken(), { timeoutMs: 100 });
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
    assert.rejects(scheduler.run(spin(), { timeoutMs: 2_000 }), /longer than/),
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
