// The contract of all window counters. It uses real time, since Redis has its own clock, and polls
// until a window has ended.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { WindowCounter, WindowRules } from '../../src/auth/window-counter.ts';
import { RateLimit as Limit, type RateLimit } from '../../src/http/admission/rate-limit.ts';

export interface OpenedCounters {
  /** Counters with the same name share their counts. */
  counter(name: string, rules: WindowRules): WindowCounter;
  close(): Promise<void>;
}

/** Longer than any test. */
const LONG_MS = 900_000_000;
const SHORT_MS = 1_000;
const DEADLINE_MS = 120_000;

export function windowCounterContract(name: string, open: () => Promise<OpenedCounters>): void {
  describe(`counters of windows: ${name}`, () => {
    let opened: OpenedCounters;
    before(async () => {
      opened = await open();
    });
    after(() => opened.close());
    const fresh = (rules: WindowRules) => opened.counter(randomUUID(), rules);

    for (const start of ['clock', 'first'] as const) {
      test(`counts each key separately, and does not count reads (${start})`, async () => {
        const counter = fresh({ windowMs: LONG_MS, start });
        assert.deepEqual(await counter.read('a'), { count: 0, leftMs: 0 });
        for (let n = 1; n <= 5; n++) assert.equal((await counter.add('a')).count, n);
        assert.equal((await counter.add('b')).count, 1);
        assert.equal((await counter.read('a')).count, 5);
        const { leftMs } = await counter.read('a');
        assert.ok(leftMs > 0 && leftMs <= LONG_MS, String(leftMs));
      });

      test(`ends a window on time, and starts the next one at zero (${start})`, async () => {
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

    test('counts each of many concurrent calls once', async () => {
      const counter = fresh({ windowMs: LONG_MS, start: 'clock' });
      const counts = await Promise.all(
        Array.from({ length: 200 }, async () => (await counter.add('a')).count),
      );
      assert.deepEqual(
        counts.sort((a, b) => a - b),
        Array.from({ length: 200 }, (_, n) => n + 1),
      );
    });

    test('accepts long keys with any characters', async () => {
      const counter = fresh({ windowMs: LONG_MS, start: 'first' });
      const keys = ['', ' ', 'a b', 'é\u0000\r\n*3', '{x}', 'k'.repeat(600)];
      for (const key of keys) assert.equal((await counter.add(key)).count, 1, key);
      for (const key of keys) assert.equal((await counter.read(key)).count, 1, key);
    });

    test('lets exactly the limit pass, and returns a sufficient wait', async () => {
      const settings = { requests: 25, windowSeconds: 2 };
      const limit = new Limit(settings, fresh({ windowMs: 2_000, start: 'clock' }));
      // If the window ends during the calls, they fill the next one: then another client tries.
      for (let tries = 0; ; tries++) {
        const client = `client ${tries}`;
        const waits = await Promise.all(Array.from({ length: 100 }, () => waitOf(limit, client)));
        const passed = waits.filter((wait) => wait === null).length;
        if (passed !== settings.requests && tries < 20) continue;
        assert.equal(passed, settings.requests);
        const seconds = waits.find((wait) => wait !== null) ?? Number.NaN;
        assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 2, String(seconds));
        await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
        assert.equal(await waitOf(limit, client), null);
        return;
      }
    });
  });
}

/** The seconds to wait; null if the call passed. */
async function waitOf(limit: RateLimit, client: string): Promise<number | null> {
  try {
    await limit.admit(client);
    return null;
  } catch (error) {
    const { code, details } = error as { code: string; details: { retryAfterSeconds: number } };
    assert.equal(code, 'rate_limited');
    return details.retryAfterSeconds;
  }
}
