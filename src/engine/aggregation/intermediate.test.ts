import assert from 'node:assert/strict';
import test from 'node:test';
import { type Intermediate, merge, newStats, type Stats } from './intermediate.ts';

const stats = (figures: Partial<Stats>): Intermediate => ({
  kind: 'stats',
  stats: { ...newStats(), ...figures },
});

/** Merges all parts into the first. */
function merged(parts: readonly Intermediate[]): Intermediate | undefined {
  let into: Intermediate | undefined;
  for (const part of parts) {
    const steps = merge(into, part);
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    into = step.value;
  }
  return into;
}

const statsOf = (parts: readonly Partial<Stats>[]): Stats => {
  const result = merged(parts.map(stats));
  assert.ok(result?.kind === 'stats');
  return result.stats;
};

test('merged counts, minima and maxima equal those of the whole', () => {
  const { count, min, max } = statsOf([
    { count: 2, min: 3, max: 8 },
    { count: 1, min: -1, max: -1 },
    { count: 4, min: 0, max: 9 },
  ]);
  assert.deepEqual([count, min, max], [7, -1, 9]);
});

test('sums of many parts keep what rounding would lose', () => {
  const ones = Array.from({ length: 1_000 }, () => ({ sum: 1, sumOfSquares: 1 }));
  const large = { sum: 2 ** 53, sumOfSquares: 2 ** 54 };
  const { sum, sumOfSquares } = statsOf([
    large,
    ...ones,
    { sum: -(2 ** 53), sumOfSquares: -(2 ** 54) },
  ]);
  assert.deepEqual([sum, sumOfSquares], [1_000, 1_000]);
});

test('the rounding error of a part is added with the part', () => {
  // Both parts hold 2^53 + 1: the sum is one too small, which the compensation records.
  const part = {
    sum: 2 ** 53,
    sumCompensation: -1,
    sumOfSquares: 2 ** 53,
    squaresCompensation: -1,
  };
  const { sum, sumOfSquares } = statsOf([part, part]);
  assert.deepEqual([sum, sumOfSquares], [2 ** 54 + 2, 2 ** 54 + 2]);
});

test('an infinite sum stays infinite', () => {
  const infinite = { sum: Number.POSITIVE_INFINITY, sumOfSquares: Number.POSITIVE_INFINITY };
  const { sum, sumOfSquares } = statsOf([infinite, { sum: 1, sumOfSquares: 1 }, infinite]);
  assert.deepEqual([sum, sumOfSquares], [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
});

test('buckets are merged by key, with the results of sub-aggregations', () => {
  const buckets = (entries: Record<string, number>): Intermediate => ({
    kind: 'buckets',
    buckets: new Map(
      Object.entries(entries).map(([key, docCount]) => [
        key,
        { docCount, subResults: [stats({ count: docCount }), undefined] },
      ]),
    ),
  });
  const result = merged([buckets({ a: 1, b: 2 }), buckets({ b: 3, c: 4 })]);
  assert.ok(result?.kind === 'buckets');
  const counts = [...result.buckets].map(([key, { docCount, subResults }]) => {
    assert.ok(subResults[0]?.kind === 'stats');
    assert.equal(subResults[0].stats.count, docCount);
    return [key, docCount];
  });
  assert.deepEqual(counts, [
    ['a', 1],
    ['b', 5],
    ['c', 4],
  ]);
});

test('results of different aggregations do not merge', () => {
  const digestless: Intermediate = { kind: 'count', count: 1 };
  assert.throws(() => merged([stats({}), digestless]), /stats and count do not merge/);
});
