// Guessing is slowed down by pair and window, and memory stays bounded.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../errors.ts';
import { Guesses } from './guesses.ts';

const clock = { time: 0, now: () => clock.time };
const limits = { attempts: 3, windowMs: 60_000, pairs: 100 };

function fresh(): Guesses {
  clock.time = 1_000_000;
  return new Guesses(clock, limits);
}

function waitOf(guesses: Guesses, address: string, id: string): number | undefined {
  try {
    guesses.check(address, id);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.code === 'rate_limited');
    return error.details.retryAfterSeconds;
  }
}

test('after so many failures the pair waits, and waiting that long is enough', () => {
  const guesses = fresh();
  for (let i = 0; i < limits.attempts; i++) {
    assert.equal(waitOf(guesses, 'a', 'x'), undefined);
    guesses.failed('a', 'x');
  }
  clock.time += 10_500;
  const wait = waitOf(guesses, 'a', 'x');
  assert.equal(wait, 50);
  assert.equal(waitOf(guesses, 'b', 'x'), undefined, 'another address');
  assert.equal(waitOf(guesses, 'a', 'y'), undefined, 'another id');
  clock.time += (wait ?? 0) * 1000;
  assert.equal(waitOf(guesses, 'a', 'x'), undefined);
});

test('a clock that is set back locks nobody out', () => {
  const guesses = fresh();
  for (let i = 0; i < limits.attempts; i++) guesses.failed('a', 'x');
  clock.time -= 3_600_000;
  assert.equal(waitOf(guesses, 'a', 'x'), undefined);
});

test('the oldest pair is forgotten when there are too many', () => {
  const guesses = fresh();
  for (let i = 0; i < limits.attempts; i++) guesses.failed('a', 'x');
  for (let i = 0; i < limits.pairs; i++) guesses.failed('a', `y${i}`);
  assert.equal(waitOf(guesses, 'a', 'x'), undefined);
});
