import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FillAllowance } from './fill-allowance.ts';

test('a request may begin until a tenth of the time is taken, and again when that is paid back', () => {
  let now = 0;
  const allowance = new FillAllowance(() => now);
  for (const [tookMs, passedMs, isLeft] of [
    // A tenth of a second is saved up at the start.
    [0, 0, true],
    [99, 0, true],
    // 250 ms are taken of the one that is left: 2,490 ms pay back.
    [250, 0, false],
    [0, 2_480, false],
    [0, 20, true],
    // An hour saves up no more than a tenth of a second.
    [0, 3_600_000, true],
    [101, 0, false],
  ] as const) {
    allowance.take(tookMs);
    now += passedMs;
    assert.equal(allowance.isLeft, isLeft, `${tookMs} ms taken, ${passedMs} ms passed`);
  }
});

test('requests that always take what they may are given a tenth of the time', () => {
  let now = 0;
  let takenMs = 0;
  const allowance = new FillAllowance(() => now);
  for (; now < 100_000; now += 10) {
    if (!allowance.isLeft) continue;
    allowance.take(40);
    takenMs += 40;
  }
  assert.ok(takenMs > 9_900 && takenMs < 10_400, String(takenMs));
});
