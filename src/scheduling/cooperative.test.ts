import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../errors.ts';
import { CooperativeScheduler, type SchedulerOptions, type Work } from './cooperative.ts';
import { Deadline } from './deadline.ts';

/** A manual clock, and turns that run on request only. */
function harness(options: Pick<SchedulerOptions, 'sliceMs'> = {}) {
  let time = 0;
  const turns: (() => void)[] = [];
  const clock = { now: () => time };
  const scheduler = new CooperativeScheduler({
    clock,
    defer: (turn) => turns.push(turn),
    ...{ sliceMs: 5, firstSliceMs: 2 },
    ...options,
  });
  return {
    scheduler,
    clock,
    pass: (ms: number) => {
      time += ms;
    },
    turn: () => turns.shift()?.(),
    pending: () => turns.length,
  };
}

type Options = 'signal' | 'tenantId';

/** The outcome of the work. */
function run<T>(
  { scheduler, clock }: Pick<ReturnType<typeof harness>, 'scheduler' | 'clock'>,
  steps: Generator<void, T>,
  { timeoutMs, ...options }: { timeoutMs: number } & Pick<Work<T>, Options>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const deadline = new Deadline(timeoutMs, clock);
    scheduler.begin({ steps, deadline, ...options, resolve: (value) => resolve(value), reject });
  });
}

/** Work of `steps` steps that take one millisecond each. */
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
  assert.equal(await run(h, work(h, 1, 'done'), { timeoutMs: 100 }), 'done');
  assert.equal(h.pending(), 0);
});

test('long work is cut into slices', async () => {
  const h = harness();
  const trace: string[] = [];
  const result = run(h, work(h, 15, 'x', trace), { timeoutMs: 100 });
  assert.equal(trace.length, 2);
  h.turn();
  assert.equal(trace.length, 7);
  h.turn();
  assert.equal(trace.length, 12);
  h.turn();
  assert.equal(await result, 'x');
});

test('tasks take turns, one slice per turn', async () => {
  const h = harness({ sliceMs: 2 });
  const trace: string[] = [];
  const a = run(h, work(h, 6, 'a', trace), { timeoutMs: 100 });
  const b = run(h, work(h, 4, 'b', trace), { timeoutMs: 100 });
  while (h.pending() > 0) h.turn();
  assert.deepEqual(await Promise.all([a, b]), ['a', 'b']);
  assert.equal(trace.join(''), 'aabbaabbaa');
});

test('short work runs at once, whatever else is running, until it adds up', async () => {
  const h = harness();
  const trace: string[] = [];
  const long = run(h, work(h, 30, 'x', trace), { timeoutMs: 100 });
  const short = Array.from({ length: 12 }, (_, n) =>
    run(h, work(h, 1, String(n % 10), trace), { timeoutMs: 100 }),
  );
  assert.equal(trace.join(''), 'xx01234567');
  h.turn();
  assert.equal(trace.join('').slice(10), '8901x');
  while (h.pending() > 0) h.turn();
  assert.equal((await Promise.all([long, ...short])).length, 13);
});

test('a long first step gets a turn of its own, but not twice while others wait', async () => {
  const h = harness();
  const trace: string[] = [];
  function* longStep(name: string) {
    h.pass(20);
    trace.push(name);
    yield;
  }
  const other = run(h, work(h, 12, 'x', trace), { timeoutMs: 1_000 });
  const long = [run(h, longStep('A'), { timeoutMs: 1_000 })];
  assert.equal(trace.join(''), 'xxA');
  h.turn();
  assert.equal(trace.join(''), 'xxA', 'the turn is left to the step before it');
  long.push(run(h, longStep('B'), { timeoutMs: 1_000 }));
  h.turn();
  assert.equal(trace.join(''), 'xxABxxxxx');
  while (h.pending() > 0) h.turn();
  await Promise.all([other, ...long]);
  assert.equal(trace.join(''), 'xxABxxxxxxxxxx');
});

test('a tenant that comes later gets as much time as one with many tasks', async () => {
  const h = harness();
  const trace: string[] = [];
  const begin = (tenantId: string) =>
    run(h, work(h, 50, tenantId, trace), { timeoutMs: 10_000, tenantId });
  const many = Array.from({ length: 10 }, () => begin('a'));
  for (let i = 0; i < 20; i++) h.turn();
  const before = trace.length;
  const one = begin('b');
  while (h.pending() > 0) h.turn();
  await Promise.all([...many, one]);
  const meanwhile = trace.slice(before, trace.lastIndexOf('b')).filter((name) => name === 'a');
  assert.ok(meanwhile.length <= 60, `${meanwhile.length} ms beside 50 ms of its own`);
});

test('runs the task of a tenant that has run least first', async () => {
  const h = harness();
  const trace: string[] = [];
  const long = run(h, work(h, 40, 'x', trace), { timeoutMs: 1_000 });
  for (let i = 0; i < 4; i++) h.turn();
  const short = run(h, work(h, 12, 'y', trace), { timeoutMs: 1_000 });
  while (h.pending() > 0) h.turn();
  await Promise.all([long, short]);
  assert.equal(trace.join('').slice(22, 34), 'y'.repeat(12));
});

test('gives no credit for idle time of a tenant', async () => {
  const h = harness();
  const trace: string[] = [];
  const options = { timeoutMs: 10_000 };
  const own = (tenantId: string, steps: number) =>
    run(h, work(h, steps, tenantId, trace), { ...options, tenantId });
  const first = own('b', 3);
  const long = own('a', 300);
  for (let i = 0; i < 40; i++) h.turn();
  await first;
  const before = trace.length;
  const later = own('b', 100);
  for (let i = 0; i < 20; i++) h.turn();
  const shares = trace.slice(before);
  const b = shares.filter((name) => name === 'b').length;
  assert.ok(b > 40 && b < 60, `${b} of ${shares.length} ms`);
  while (h.pending() > 0) h.turn();
  await Promise.all([later, long]);
});

test('work past its deadline ends with deadline_exceeded and is cleaned up', async () => {
  const h = harness();
  let cleaned = false;
  const steps = endless(h, () => {
    cleaned = true;
  });
  const result = run(h, steps, { timeoutMs: 30 });
  for (let i = 0; i < 10; i++) h.turn();
  await assert.rejects(
    result,
    (e) => e instanceof ServiceError && e.code === 'deadline_exceeded' && /0.03 s/.test(e.message),
  );
  assert.equal(cleaned, true);
  assert.equal(h.pending(), 0);
});

test('ends the work at its next turn when the caller disconnects', async () => {
  const h = harness();
  const trace: string[] = [];
  const controller = new AbortController();
  const result = run(h, work(h, 1000, 'x', trace), {
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

test('errors of the work reach only its caller', async () => {
  const h = harness({ sliceMs: 2 });
  // biome-ignore lint/correctness/useYield: it throws before it gets there
  function* broken(): Generator<void, string> {
    throw new Error('broken');
  }
  const good = run(h, work(h, 5, 'good'), { timeoutMs: 100 });
  const bad = run(h, broken(), { timeoutMs: 100 });
  const rejected = assert.rejects(bad, /broken/);
  while (h.pending() > 0) h.turn();
  await rejected;
  assert.equal(await good, 'good');
});

/** Out of some 2,000 slices in 2 s; fewer on a busy machine. */
const TICKS_MIN = 10;

test('with the real event loop, twenty endless queries leave room for timers', async () => {
  const scheduler = new CooperativeScheduler();
  function* spin(): Generator<void, never> {
    for (;;) {
      for (let i = 0; i < 1000; i++) Math.sqrt(i);
      yield;
    }
  }
  const tasks = Array.from({ length: 20 }, () =>
    assert.rejects(
      run({ scheduler, clock: performance }, spin(), { timeoutMs: 2_000 }),
      /longer than/,
    ),
  );
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, 1);
  await Promise.all(tasks);
  clearInterval(timer);
  assert.ok(ticks >= TICKS_MIN, `a timer fired ${ticks} times in 2 s`);
});
