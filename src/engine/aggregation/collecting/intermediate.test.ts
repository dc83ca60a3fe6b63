import assert from 'node:assert/strict';
import test from 'node:test';
import { addTo, newSum, rounded } from './exact-sum.ts';
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

test('sums of many parts lose nothing to rounding', () => {
  const part = (sum: number, square: number) => {
    const figures = { sum: newSum(), squares: newSum() };
    addTo(figures.sum, sum);
    addTo(figures.squares, square);
    return figures;
  };
  const ones = Array.from({ length: 1_000 }, () => part(1, 0.1));
  const { sum, squares } = statsOf([part(2 ** 53, 2 ** 70), ...ones, part(-(2 ** 53), -(2 ** 70))]);
  assert.deepEqual([rounded(sum), rounded(squares ?? newSum())], [1_000, 100]);
});

test('squares of a part are kept if another part has none', () => {
  const squares = newSum();
  addTo(squares, 0.25);
  const result = statsOf([{}, { squares }, {}]);
  assert.equal(rounded(result.squares ?? newSum()), 0.25);
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
