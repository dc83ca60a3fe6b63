import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../../errors.ts';
import { localRateLimit, type RateLimit } from './rate-limit.ts';

function retryAfter(limit: RateLimit, key: string): number | null {
  try {
    limit.admit(key);
    return null;
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.code === 'rate_limited');
    return error.details.retryAfterSeconds ?? Number.NaN;
  }
}

test('passes exactly N requests in a window, and again after Retry-After', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 0, max: 10_000_000 }),
      (requests, windowSeconds, start) => {
        const clock = { ms: start, now: () => clock.ms };
        const limit = localRateLimit({ requests, windowSeconds }, clock);
        for (let i = 0; i < requests; i++) assert.equal(retryAfter(limit, 'a'), null);
        const seconds = retryAfter(limit, 'a');
        assert.ok(seconds !== null && Number.isInteger(seconds) && seconds >= 1);
        assert.equal(retryAfter(limit, 'b'), null, 'other keys are not affected');
        clock.ms += seconds * 1000;
        assert.equal(retryAfter(limit, 'a'), null);
      },
    ),
    { numRuns: 200 },
  );
});

test('a clock that jumps back starts a new window instead of locking clients out', () => {
  const clock = { ms: 100_000, now: () => clock.ms };
  const limit = localRateLimit({ requests: 1, windowSeconds: 10 }, clock);
  assert.equal(retryAfter(limit, 'a'), null);
  assert.equal(retryAfter(limit, 'a'), 10);
  clock.ms -= 3_600_000;
  assert.equal(retryAfter(limit, 'a'), null);
});
