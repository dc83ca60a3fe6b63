import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DocumentDamage } from '../service/ports/store.ts';
import { type CheckLock, checkRecords, type StoreCheck, StoreChecks } from './store-checks.ts';

const SOUND: DocumentDamage = { count: 0, documents: [] };
const CHECKED: StoreCheck = {
  ...{ checkedAt: 1_234, faults: [] },
  ...{ damage: SOUND, wrong: [], trails: [] },
};

/** A lock that nodes hold one after the other. */
function oneLock(): CheckLock {
  let free = Promise.resolve();
  return {
    async acquire(signal) {
      const before = free;
      let release = () => {};
      free = new Promise((resolve) => {
        release = resolve;
      });
      const aborted = new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      await Promise.race([before, aborted]);
      if (signal.aborted) {
        void before.then(release);
        return null;
      }
      return { lost: new Promise(() => {}), release: async () => release() };
    },
  };
}

/** Runs the checks of a node, and resolves with its first report. */
function node(lock: CheckLock, read: (pause: () => Promise<void>) => Promise<DocumentDamage>) {
  const reports: (StoreCheck | string)[] = [];
  let tell = () => {};
  const reported = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const report = (outcome: StoreCheck | string) => {
    reports.push(outcome);
    tell();
  };
  const store = {
    read: {
      documentDamage: ({ pause }: { pause: () => Promise<void> }) => read(pause),
      ...{ wrongRows: async () => [], tenants: async () => [] },
    },
  } as unknown as Parameters<typeof checkRecords>[0];
  const checks = new StoreChecks({
    ...{ lock, intervalMs: 1, clock: { now: () => 1_234 } },
    check: (signal) => checkRecords(store, signal),
    ...{ onChecked: report, onFailed: report },
  });
  checks.start();
  // A timer that keeps the process, as those of the checks do not.
  const alive = setInterval(() => {}, 1_000);
  const stop = async () => {
    clearInterval(alive);
    await checks.stop();
  };
  return { reports, reported, stop };
}

test('one of several nodes checks, and another one once it stops', async () => {
  const lock = oneLock();
  const first = node(lock, async () => SOUND);
  const second = node(lock, async () => SOUND);
  await first.reported;
  assert.deepEqual(first.reports[0], CHECKED);
  assert.deepEqual(second.reports, []);
  await first.stop();
  await second.reported;
  await second.stop();
});

test('a check that fails is told, and the next one is made', async () => {
  let runs = 0;
  const checks = node(oneLock(), async () => {
    runs++;
    if (runs === 1) throw new Error('no answer');
    return SOUND;
  });
  while (checks.reports.length < 2) await new Promise(setImmediate);
  assert.deepEqual(checks.reports.slice(0, 2), ['no answer', CHECKED]);
  await checks.stop();
});

test('a check rests as long as it read, and ends when the node stops', async () => {
  let slices = 0;
  const checks = node(oneLock(), async (pause) => {
    for (;;) {
      slices++;
      await pause();
    }
  });
  while (slices < 3) await new Promise(setImmediate);
  await checks.stop();
  const ended = slices;
  await new Promise(setImmediate);
  assert.equal(slices, ended);
  assert.deepEqual(checks.reports, []);
});
