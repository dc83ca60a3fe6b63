// Trends of numbers: the slots of a period, and the change against the period before.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MONTH, periodOf, startOf, trendOf } from './trend.ts';

const NOW = Date.parse('2026-03-31T15:30:00Z');
const on = (day: string, doc_count: number) => ({ key: Date.parse(day), doc_count });
const WEEK = periodOf({ from: 'now-7d/d', to: 'now' });

test('counts the slots of the last period, and sums the one before', () => {
  const buckets = [
    ...[on('2026-03-17', 99), on('2026-03-18', 2), on('2026-03-24', 3)],
    ...[on('2026-03-25', 4), on('2026-03-31', 6), on('2026-04-01', 99)],
  ];
  const trend = trendOf(buckets, WEEK, NOW);
  assert.deepEqual(trend.values, [4, 0, 0, 0, 0, 0, 6]);
  assert.deepEqual([trend.current, trend.previous], [10, 5]);
  assert.equal(trend.text, '10 in the last 7 days, 100% more than before');
});

const CHANGES: readonly (readonly [current: number, previous: number, text: string])[] = [
  [3, 4, '3 in the last 7 days, 25% fewer than before'],
  [4, 4, '4 in the last 7 days, as many as before'],
  [0, 0, '0 in the last 7 days, as many as before'],
  [5, 0, '5 in the last 7 days, none before'],
  [0, 8, '0 in the last 7 days, 100% fewer than before'],
  [5_000, 1, '5,000 in the last 7 days, 4,999 more than before'],
  [1_001, 1_000, '1,001 in the last 7 days, 1 more than before'],
];
for (const [current, previous, text] of CHANGES) {
  test(text, () => {
    const buckets = [on('2026-03-20', previous), on('2026-03-30', current)];
    assert.equal(trendOf(buckets, WEEK, NOW).text, text);
  });
}

test('a range that ends now is its own period, any other one 30 days', () => {
  assert.equal(periodOf({ from: 'now-24h', to: 'now' }).slot, 'hour');
  assert.equal(periodOf(null), MONTH);
  assert.equal(periodOf({ from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' }), MONTH);
  assert.equal(new Date(startOf(WEEK, 1, NOW)).toISOString(), '2026-03-25T00:00:00.000Z');
});
