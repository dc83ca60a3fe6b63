// Guessing is slowed down by pair and window, and memory stays bounded.
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

async function waitOf(asked: Promise<void>): Promise<number | undefined> {
  try {
    await asked;
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.code === 'rate_limited');
    return error.details.retryAfterSeconds;
  }
}

test('after so many failures the pair waits, and waiting that long is enough', async () => {
  const guesses = fresh();
  for (let i = 0; i < limits.attempts; i++) {
    assert.equal(await waitOf(guesses.check('a', 'x')), undefined);
    assert.equal(await waitOf(guesses.failed('a', 'x')), undefined);
  }
  clock.time += 10_500;
  const wait = await waitOf(guesses.check('a', 'x'));
  assert.equal(wait, 50);
  assert.equal(await waitOf(guesses.check('b', 'x')), undefined, 'another address');
  assert.equal(await waitOf(guesses.check('a', 'y')), undefined, 'another id');
  clock.time += (wait ?? 0) * 1000;
  assert.equal(await waitOf(guesses.check('a', 'x')), undefined);
});

test('of many made at once only so many hear that they were wrong', async () => {
  const guesses = fresh();
  const heard = await Promise.all(
    Array.from({ length: 20 }, async () => {
      await guesses.check('a', 'x');
      return waitOf(guesses.failed('a', 'x'));
    }),
  );
  assert.equal(heard.filter((wait) => wait === undefined).length, limits.attempts);
});

test('a clock that is set back locks nobody out', async () => {
  const guesses = fresh();
  for (let i = 0; i < limits.attempts; i++) await guesses.failed('a', 'x');
  clock.time -= 3_600_000;
  assert.equal(await waitOf(guesses.check('a', 'x')), undefined);
});

test('the oldest pair is forgotten when there are too many', async () => {
  const guesses = fresh();
  for (let i = 0; i < limits.attempts; i++) await guesses.failed('a', 'x');
  for (let i = 0; i < 10_000; i++) await guesses.failed('a', `y${i}`);
  assert.equal(await waitOf(guesses.check('a', 'x')), undefined);
});
