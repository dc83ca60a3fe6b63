import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dueTimes, isDue, StoreClock } from './lease-clock.ts';

test('follows the clock of the store, which is read again after ten seconds', async () => {
  let [storeMs, elapsedMs, readings] = [5_000_000.4, 100, 0];
  const store = {
    async now() {
      readings += 1;
      return storeMs;
    },
  };
  const clock = new StoreClock(store, { now: () => elapsedMs });
  await clock.refresh();
  assert.equal(clock.now(), 5_000_000);
  elapsedMs += 9_000;
  await clock.refresh();
  assert.equal(clock.now(), 5_009_000);
  assert.equal(readings, 1);
  elapsedMs += 1_000;
  storeMs = 7_000_000;
  await clock.refresh();
  assert.equal(clock.now(), 7_000_000);
});

test('is the system clock where the store has none', async () => {
  const clock = new StoreClock({ now: async () => null });
  await clock.refresh();
  assert.ok(Math.abs(clock.now() - Date.now()) < 1_000);
});

test('what has passed is due, and what is further ahead than any lease: a wrong clock set it', () => {
  const due = dueTimes({ now: () => 1_000 }, 100);
  for (const [openAt, expected] of [
    [null, false],
    [0, true],
    [1_000, true],
    [1_001, false],
    [1_200, false],
    [1_201, true],
  ] as const) {
    assert.equal(isDue(openAt, due), expected, `${openAt}`);
  }
});
