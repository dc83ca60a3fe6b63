// Trends of numbers: the slots of a period, and the change against the time before.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  MONTH,
  type Period,
  periodOf,
  startOf,
  trendAggregations,
  trendOf,
  trendText,
} from './trend.ts';

const NOW = Date.parse('2026-03-31T15:30:00Z');
const WEEK: Period = { from: 'now-7d/d', label: 'last 7 days', slot: 'day' };
const HOURS: Period = { from: 'now-24h', label: 'last 24 hours', slot: 'hour' };
const YEAR: Period = { from: 'now-1y/d', label: 'last year', slot: 'day' };

const bucket = (start: string, doc_count: number) => ({ key: Date.parse(start), doc_count });
const results = (buckets: ReturnType<typeof bucket>[], previous: number) => ({
  current: {
    doc_count: buckets.reduce((sum, { doc_count }) => sum + doc_count, 0),
    times: { buckets },
  },
  previous: { doc_count: previous },
});

const STARTS: readonly (readonly [period: Period, start: string, slots: number])[] = [
  [HOURS, '2026-03-30T15:30:00.000Z', 25],
  [WEEK, '2026-03-24T00:00:00.000Z', 8],
  [MONTH, '2026-03-01T00:00:00.000Z', 31],
  [YEAR, '2025-03-31T00:00:00.000Z', 366],
];
for (const [period, start, slots] of STARTS) {
  test(`the ${period.label} are the range of their search, in ${slots} slots`, () => {
    const span = { from: period.from, to: 'now' };
    assert.deepEqual(periodOf(span), period);
    assert.equal(new Date(startOf(period, NOW)).toISOString(), start);
    const trend = trendOf(
      results([bucket(start, 2), bucket('2026-03-31T15:00:00Z', 3)], 0),
      period,
      NOW,
    );
    assert.equal(trend.values.length, slots);
    assert.deepEqual([trend.values[0], trend.values.at(-1)], [2, 3]);
  });
}

test('fixed dates are no period', () => {
  assert.equal(periodOf(null), null);
  assert.equal(periodOf({ from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' }), null);
});

test('compares with as long a time before the range', () => {
  assert.deepEqual(trendAggregations('created', WEEK, NOW), {
    current: {
      filter: { range: { created: { gte: 'now-7d/d', lt: 'now' } } },
      aggs: { times: { date_histogram: { field: 'created', calendar_interval: 'day' } } },
    },
    previous: {
      filter: { range: { created: { gte: '2026-03-16T08:30:00.000Z', lt: 'now-7d/d' } } },
    },
  });
});

test('the slots add up to the number of documents, also if the clock of the service is ahead', () => {
  const buckets = [bucket('2026-03-23', 1), bucket('2026-03-25', 4), bucket('2026-04-01', 6)];
  const { values, current, previous } = trendOf(results(buckets, 5), WEEK, NOW);
  assert.deepEqual(values, [1, 4, 0, 0, 0, 0, 0, 6]);
  assert.deepEqual([current, previous], [11, 5]);
});

const CHANGES: readonly (readonly [current: number, previous: number, text: string])[] = [
  [3, 4, 'in the last 7 days, 25% fewer than before'],
  [4, 4, 'in the last 7 days, as many as before'],
  [5, 0, 'in the last 7 days, none before'],
  [0, 8, 'in the last 7 days, 100% fewer than before'],
  [5_000, 1, 'in the last 7 days, 4,999 more than before'],
  [1_001, 1_000, 'in the last 7 days, 1 more than before'],
];
for (const [current, previous, text] of CHANGES) {
  test(`${current} after ${previous}: ${text}`, () => {
    const trend = trendOf(results([bucket('2026-03-30', current)], previous), WEEK, NOW);
    assert.equal(trendText(trend), text);
  });
}
