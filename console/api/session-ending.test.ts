// When the console warns that the session is about to end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endingOf, type SessionLimits } from './session-ending.ts';

const MINUTE_MS = 60_000;
/** Of a session that began at 0, is idle for half an hour at most, and lasts twelve hours. */
const limits = (lastUse: number, change: Partial<SessionLimits> = {}): SessionLimits => ({
  idle: { from: lastUse * MINUTE_MS, to: (lastUse + 30) * MINUTE_MS },
  longest: { from: 0, to: 720 * MINUTE_MS },
  token: { from: 0, to: Number.MAX_SAFE_INTEGER },
  mayRenew: false,
  ...change,
});
/** @param minutes from the beginning of the session on */
const token = (minutes: number, mayRenew: boolean) => ({
  token: { from: 0, to: minutes * MINUTE_MS },
  mayRenew,
});
const short = { longest: { from: 0, to: 4 * MINUTE_MS } };

const CASES: readonly (readonly [
  name: string,
  limits: SessionLimits,
  minute: number,
  ending: ReturnType<typeof endingOf>,
])[] = [
  ['a session in use', limits(10), 20, null],
  ['a session that is idle for 27 minutes', limits(10), 37, null],
  ['a session that is idle for 28 minutes', limits(10), 38, 'idle'],
  ['a session of almost twelve hours', limits(717), 717, null],
  ['a session of twelve hours', limits(718), 718, 'final'],
  ['an idle session of twelve hours', limits(689), 718, 'final'],
  ['a short session', limits(0, short), 2.9, null],
  ['the last quarter of a short session', limits(0, short), 3, 'final'],
  ['a token of an hour', limits(55, token(60, false)), 57, null],
  ['a token of an hour that expires', limits(55, token(60, false)), 58, 'final'],
  ['a token whose renewal is due', limits(55, token(60, true)), 58, null],
  ['a token whose renewal is overdue', limits(55, token(60, true)), 59, 'final'],
  ['a token of five minutes whose renewal is due', limits(0, token(5, true)), 4, null],
  ['a token of five minutes whose renewal is overdue', limits(0, token(5, true)), 4.5, 'final'],
];
for (const [name, of, minute, ending] of CASES) {
  test(`${ending === null ? 'does not warn' : `warns (${ending})`} of the end of ${name}`, () =>
    assert.equal(endingOf(of, minute * MINUTE_MS), ending));
}
