import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClockSetting, parseClock, TestClock } from './test-clock.ts';

const settings: readonly [string, ClockSetting][] = [
  ['real', { mode: 'real' }],
  ['2026-01-15', { mode: 'frozen', at: Date.UTC(2026, 0, 15) }],
  ['2026-01-15T09:00:00Z', { mode: 'frozen', at: Date.UTC(2026, 0, 15, 9) }],
  ['2026-01-15T09:00:00.250+01:00', { mode: 'frozen', at: Date.UTC(2026, 0, 15, 8, 0, 0, 250) }],
  ['+90d', { mode: 'shifted', byMs: 90 * 86_400_000 }],
  ['-6h', { mode: 'shifted', byMs: -6 * 3_600_000 }],
];
for (const [text, setting] of settings) {
  test(`reads ${text}`, () => assert.deepEqual(parseClock(text), setting));
}

for (const text of ['', 'now', '90d', '2026-13-01', '2026-01-15T09:00:00', '+90y', 'yesterday']) {
  test(`rejects ${JSON.stringify(text)}`, () => assert.throws(() => parseClock(text), RangeError));
}

test('stands still, runs shifted, and goes back to its start', () => {
  const clock = new TestClock(parseClock('2026-01-15'));
  assert.equal(clock.now(), Date.UTC(2026, 0, 15));
  clock.set({ now: '+1d' });
  assert.ok(Math.abs(clock.now() - Date.now() - 86_400_000) < 60_000);
  clock.reset();
  assert.deepEqual(clock.describe(), { now: '2026-01-15T00:00:00.000Z', mode: 'frozen' });
  for (const value of [null, {}, { now: 5 }, { now: 'x' }]) {
    assert.throws(() => clock.set(value), { code: 'request_invalid' });
  }
});
