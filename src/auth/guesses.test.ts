// Counting of wrong secrets by address and window, in bounded memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../errors.ts';
import { Guesses, localGuesses } from './guesses.ts';
import { ADDRESSES } from './window-counter.ts';

const clock = { time: 0, now: () => clock.time };
const limits = { attempts: 3, windowMs: 60_000 };

function fresh(): Guesses {
  clock.time = 1_000_000;
  return new Guesses(localGuesses(limits, clock), limits);
}

async function waitSeconds(counted: Promise<void>): Promise<number | undefined> {
  try {
    await counted;
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.code === 'rate_limited');
    return error.details.retryAfterSeconds;
  }
}

test('an address waits after too many wrong secrets, and no longer than announced', async () => {
  const guesses = fresh();
  for (let i = 0; i < limits.attempts; i++) {
    assert.equal(await waitSeconds(guesses.failed('192.0.2.1')), undefined);
  }
  clock.time += 10_500;
  const wait = await waitSeconds(guesses.failed('192.0.2.1'));
  assert.equal(wait, 50);
  assert.equal(await waitSeconds(guesses.failed('192.0.2.2')), undefined, 'another address');
  clock.time += (wait ?? 0) * 1000;
  assert.equal(await waitSeconds(guesses.failed('192.0.2.1')), undefined);
});

test('counts all addresses of an IPv6 network together', async () => {
  const guesses = fresh();
  for (let i = 0; i < limits.attempts; i++) await guesses.failed(`2001:db8::${i}`);
  assert.equal(await waitSeconds(guesses.failed('2001:db8::ffff')), 60);
});

test('limits concurrent guesses too', async () => {
  const guesses = fresh();
  const waits = await Promise.all(
    Array.from({ length: 20 }, () => waitSeconds(guesses.failed('192.0.2.1'))),
  );
  assert.equal(waits.filter((wait) => wait === undefined).length, limits.attempts);
});

test('does not lock addresses out when the clock is set back', async () => {
  const guesses = fresh();
  for (let i = 0; i < limits.attempts; i++) await guesses.failed('192.0.2.1');
  clock.time -= 3_600_000;
  assert.equal(await waitSeconds(guesses.failed('192.0.2.1')), undefined);
});

test('drops the oldest address when there are too many', async () => {
  const guesses = fresh();
  for (let i = 0; i < limits.attempts; i++) await guesses.failed('192.0.2.1');
  for (let i = 0; i < 3 * ADDRESSES; i++) await guesses.failed(`10.0.${i >> 8}.${i & 255}`);
  assert.equal(await waitSeconds(guesses.failed('192.0.2.1')), undefined);
});
