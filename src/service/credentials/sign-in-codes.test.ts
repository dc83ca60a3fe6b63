import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SignInCodes } from './sign-in-codes.ts';

const HOUR_MS = 3_600_000;

function codesAt(time: { now: number }): SignInCodes {
  return new SignInCodes({ clock: { now: () => time.now } });
}

test('a code identifies its credential once', () => {
  const codes = codesAt({ now: 0 });
  assert.equal(codes.isOffered(), false);
  const [one, other] = [codes.create('a'), codes.create('b')];
  assert.equal(codes.isOffered(), true);
  assert.notEqual(one, other);
  assert.deepEqual([codes.redeem(one), codes.redeem(one)], ['a', null]);
  assert.equal(codes.redeem(other), 'b');
});

test('a wrong code identifies nothing, and leaves other codes valid', () => {
  const codes = codesAt({ now: 0 });
  const code = codes.create('a');
  for (const wrong of ['', code.slice(1), `${code}x`]) assert.equal(codes.redeem(wrong), null);
  assert.equal(codes.redeem(code), 'a');
});

test('a code expires after twelve hours', () => {
  const time = { now: 0 };
  const codes = codesAt(time);
  const [early, late] = [codes.create('a'), codes.create('a')];
  time.now = 12 * HOUR_MS - 1;
  assert.equal(codes.redeem(early), 'a');
  time.now += 1;
  assert.equal(codes.redeem(late), null);
});
