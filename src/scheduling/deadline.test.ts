import assert from 'node:assert/strict';
import { test } from 'node:test';
import { within } from './abort.ts';
import { Deadline } from './deadline.ts';

test('a deadline counts down from when it was made, and names the whole time', () => {
  let now = 5_000;
  const deadline = new Deadline(30_000, { now: () => now });
  for (const [passed, left] of [
    [0, 30_000],
    [29_000, 1_000],
    [30_000, 0],
    [40_000, -10_000],
  ] as const) {
    now = 5_000 + passed;
    assert.equal(deadline.leftMs, left);
    assert.match(deadline.exceeded().message, /longer than 30 s/);
  }
});

const never = new Promise<string>(() => {});
const late = () => 'late';
const fails = () => {
  throw new Error('too late');
};

test('work has its own outcome in time, and then that of being late', async () => {
  assert.equal(await within(60_000, Promise.resolve('done'), late), 'done');
  assert.equal(await within(1, never, late), 'late');
  await assert.rejects(within(60_000, Promise.reject(new Error('own')), late), /own/);
  await assert.rejects(within(1, never, fails), /too late/);
});
