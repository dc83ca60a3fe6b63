// Wrong secrets are counted by address and window, and memory stays bounded.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../errors.ts';
import { Guesses, localGuesses } from './guesses.ts';

const clock = { time: 0, now: () => clock.time };
const limits = { attempts: 3, windowMs: 60_000 };

function fresh(): Guesses {
  clock.time = 1_000_000;
  return new Guesses(localGuesses(limits, clock), limits);
}

async function waitOf(counted: Promise<void>): Promise<number | undefined> {
  try {
    await counted;
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.code === 'rate_limited');
    return error.details.retryAfterSeconds;
  }
}

test('after so many wrong secrets an address waits, and waiting that long is enough', async () => {
  const guesses = fresh();
  for (let i = 0; i < limits.attempts; i++) {
    assert.equal(await waitOf(guesses.failed('192.0.2.1')), undefined);
  }
  clock.time += 10_500;
  const wait = await waitOf(guesses.failed('192.0.2.1'));
  assert.equal(wait, 50);
  assert.equal(await waitOf(guesses.failed('192.0.2.2')), undefined, 'another address');
  clock.time += (wait ?? 0) * 1000;
  assert.equal(await waitOf(guesses.failed('192.0.2.1')), undefined);
});

test('all addresses of an IPv6 network are counted together', async () => {
  const guesses = fresh();
  for (let i = 0; i < limits.attempts; i++) await guesses.failed(`2001:db8::${i}`);
  assert.equal(await waitOf(guesses.failed('2001:db8::ffff')), 60);
});

test('of many made at once only so many learn that they were wrong', async () => {
  const guesses = fresh();
  const waits = await Promise.all(
    Array.from({ length: 20 }, () => waitOf(guesses.failed('192.0.2.1'))),
  );
  assert.equal(waits.filter((wait) => wait === undefined).length, limits.attempts);
});

test('a clock that is set back locks nobody out', async () => {
  const guesses = fresh();
  for (let i = 0; i < limits.attempts; i++) await guesses.failed('192.0.2.1');
  clock.time -= 3_600_000;
  assert.equal(await waitOf(guesses.failed('192.0.2.1')), undefined);
});

test('the oldest address is forgotten when there are too many', async () => {
  const guesses = fresh();
  for (let i = 0; i < limits.attempts; i++) await guesses.failed('192.0.2.1');
  for (let i = 0; i < 10_000; i++) await guesses.failed(`10.0.${i >> 8}.${i & 255}`);
  assert.equal(await waitOf(guesses.failed('192.0.2.1')), undefined);
});
