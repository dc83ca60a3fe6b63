// What every counter of windows must do, whoever keeps the count. Time is real here, since Redis has a clock of its own;
// windows are waited for by looking until they have ended.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { WindowCounter, WindowRules } from '../../src/auth/window-counter.ts';
import { RateLimit as Limit, type RateLimit } from '../../src/http/admission/rate-limit.ts';

export interface OpenedCounters {
  /** Counters of the same name count together. */
  counter(name: string, rules: WindowRules): WindowCounter;
  close(): Promise<void>;
}

/** So long that no test sees the end of one. */
const LONG_MS = 900_000_000;
const SHORT_MS = 1_000;
const DEADLINE_MS = 30_000;

export function windowCounterContract(name: string, open: () => Promise<OpenedCounters>): void {
  describe(`counters of windows: ${name}`, () => {
    let opened: OpenedCounters;
    before(async () => {
      opened = await open();
    });
    after(() => opened.close());
    const fresh = (rules: WindowRules) => opened.counter(randomUUID(), rules);

    for (const start of ['clock', 'first'] as const) {
      test(`each key is counted for itself, and reading counts nothing (${start})`, async () => {
        const counter = fresh({ windowMs: LONG_MS, start });
        assert.deepEqual(await counter.read('a'), { count: 0, leftMs: 0 });
        for (let n = 1; n <= 5; n++) assert.equal((await counter.add('a')).count, n);
        assert.equal((await counter.add('b')).count, 1);
        assert.equal((await counter.read('a')).count, 5);
        const { leftMs } = await counter.read('a');
        assert.ok(leftMs > 0 && leftMs <= LONG_MS, String(leftMs));
      });

      test(`a window ends when it was said to, and the next one begins at nothing (${start})`, async () => {
        const counter = fresh({ windowMs: SHORT_MS, start });
        const first = await counter.add('a');
        assert.ok(first.leftMs <= SHORT_MS);
        const deadline = performance.now() + DEADLINE_MS;
        for (let last = first; last.count > 0; last = await counter.read('a')) {
          assert.ok(last.leftMs <= first.leftMs, 'the end does not move');
          assert.ok(performance.now() < deadline, 'the window never ended');
        }
        assert.equal((await counter.add('a')).count, 1);
      });
    }

    test('of many at once each is counted once', async () => {
      const counter = fresh({ windowMs: LONG_MS, start: 'clock' });
      const counts = await Promise.all(
        Array.from({ length: 200 }, async () => (await counter.add('a')).count),
      );
      assert.deepEqual(
        counts.sort((a, b) => a - b),
        Array.from({ length: 200 }, (_, n) => n + 1),
      );
    });

    test('keys may hold anything, and be long', async () => {
      const counter = fresh({ windowMs: LONG_MS, start: 'first' });
      const keys = ['', ' ', 'a b', 'é\u0000\r\n*3', '{x}', 'k'.repeat(600)];
      for (const key of keys) assert.equal((await counter.add(key)).count, 1, key);
      for (const key of keys) assert.equal((await counter.read(key)).count, 1, key);
    });

    test('under a limit exactly so many pass, and waiting as long as told is enough', async () => {
      const settings = { requests: 25, windowSeconds: 2 };
      const limit = new Limit(settings, fresh({ windowMs: 2_000, start: 'clock' }));
      // A window may end while this one is filled: then the next one is.
      for (let tries = 0; ; tries++) {
        const waits = await Promise.all(Array.from({ length: 100 }, () => waitOf(limit)));
        const passed = waits.filter((wait) => wait === null).length;
        if (passed !== settings.requests && tries < 3) continue;
        assert.equal(passed, settings.requests);
        const seconds = waits.find((wait) => wait !== null) ?? Number.NaN;
        assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 2, String(seconds));
        await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
        assert.equal(await waitOf(limit), null);
        return;
      }
    });
  });
}

/** The seconds to wait, null where it passed. */
async function waitOf(limit: RateLimit): Promise<number | null> {
  try {
    await limit.admit('client');
    return null;
  } catch (error) {
    const { code, details } = error as { code: string; details: { retryAfterSeconds: number } };
    assert.equal(code, 'rate_limited');
    return details.retryAfterSeconds;
  }
}
