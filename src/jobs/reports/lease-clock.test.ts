import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dueTimes, isDue, StoreClock } from './lease-clock.ts';

/** A store whose clock can be set, and counts its readings. */
class ClockStore {
  ms = 5_000_000.4;
  readings = 0;

  async now(): Promise<number> {
    this.readings += 1;
    return this.ms;
  }
}

test('follows the clock of the store, which is read again after ten seconds', async () => {
  const store = new ClockStore();
  let elapsedMs = 100;
  const elapsing = { now: () => elapsedMs };
  const clock = new StoreClock(store, elapsing, elapsing);
  await clock.refresh();
  assert.equal(clock.now(), 5_000_000);
  elapsedMs += 9_000;
  await clock.refresh();
  assert.equal(clock.now(), 5_009_000);
  assert.equal(store.readings, 1);
  elapsedMs += 1_000;
  store.ms = 7_000_000;
  await clock.refresh();
  assert.equal(clock.now(), 7_000_000);
});

test('is read again after the machine was suspended, and not for a small correction', async () => {
  const store = new ClockStore();
  let [elapsedMs, systemMs] = [0, 9_000_000];
  const clock = new StoreClock(store, { now: () => elapsedMs }, { now: () => systemMs });
  await clock.refresh();
  for (const [passedMs, correctedMs] of [
    [500, 900],
    [500, -1_800],
  ] as const) {
    elapsedMs += passedMs;
    systemMs += passedMs + correctedMs;
    await clock.refresh();
  }
  assert.equal(store.readings, 1);
  elapsedMs += 500;
  systemMs += 60_500;
  store.ms = 5_061_500;
  await clock.refresh();
  assert.equal(clock.now(), 5_061_500);
  await clock.refresh();
  assert.equal(store.readings, 2);
});

test('is the system clock where the store has none', async () => {
  const clock = new StoreClock({ now: async () => null });
  await clock.refresh();
  assert.ok(Math.abs(clock.now() - Date.now()) < 60_000);
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
