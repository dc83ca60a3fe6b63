// The pace of requests to a remote tenant.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RequestPace } from './request-pace.ts';

/** The times at which requests that arrive after these pauses are sent. */
function sentAt(rate: { requests: number; seconds: number }, pauses: readonly number[]): number[] {
  let now = 0;
  const pace = new RequestPace(rate, () => now);
  return pauses.map((pause) => {
    now += pause;
    return now + pace.reserve();
  });
}

test('never sends more than the rate in any window', () => {
  const rates = fc.record({
    requests: fc.integer({ min: 1, max: 120 }),
    seconds: fc.integer({ min: 1, max: 10 }),
  });
  const pauses = fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 300 });
  fc.assert(
    fc.property(rates, pauses, (rate, arrivals) => {
      const times = sentAt(rate, arrivals);
      for (const [i, from] of times.entries()) {
        // A request at the end of the window belongs to the next one.
        const until = from + rate.seconds * 1_000 - 1e-6;
        const inWindow = times.slice(i).filter((time) => time < until).length;
        // With one request, the bucket and its refill are the same request.
        assert.ok(inWindow <= Math.max(rate.requests, 2), `${inWindow} of ${rate.requests}`);
      }
    }),
  );
});

test('sends a tenth at once and the rest evenly', () => {
  const times = sentAt({ requests: 100, seconds: 10 }, Array(100).fill(0));
  assert.equal(times.filter((time) => time === 0).length, 10);
  assert.ok(Math.abs((times.at(-1) ?? 0) - 10_000) < 1, String(times.at(-1)));
});

test('waits for nothing without a rate, and for everybody after a pause', () => {
  const pace = new RequestPace(null, () => 5);
  assert.deepEqual([pace.reserve(), pace.reserve()], [0, 0]);
  const paced = new RequestPace({ requests: 100, seconds: 10 }, () => 5);
  paced.pause(3_000);
  assert.equal(paced.reserve(), 3_000);
  assert.ok(paced.reserve() > 3_000);
});
