import assert from 'node:assert/strict';
import test from 'node:test';
import { monthOf } from './document-month.ts';

for (const [created, month] of [
  ['2026-01-31T23:59:59.999Z', '2026-01'],
  ['2026-12-01', '2026-12'],
  ['2026-02-01T00:30:00+02:00', '2026-02'],
  ['2099-12-31T00:00:00Z', '2099-12'],
  ['1999-12-31T00:00:00Z', 'other'],
  ['2100-01-01T00:00:00Z', 'other'],
  ['2026-13-01T00:00:00Z', 'other'],
  ['2026', 'other'],
  ['', 'other'],
  [1_767_225_600_000, 'other'],
  [null, 'other'],
  [['2026-01-01T00:00:00Z'], 'other'],
  [undefined, 'other'],
] as const) {
  test(`the home month of ${JSON.stringify(created)} is ${month}`, () => {
    const root = Buffer.from(JSON.stringify({ id: 'e1', name: '"created":', created, type: 'x' }));
    assert.equal(monthOf(root), month);
  });
}

test('a part of a larger buffer is read alone', () => {
  const whole = Buffer.from('{"created":"2026-01-01"}{"id":"e2"}');
  assert.equal(monthOf(whole.subarray(24)), 'other');
  assert.equal(monthOf(whole.subarray(0, 24)), '2026-01');
});
