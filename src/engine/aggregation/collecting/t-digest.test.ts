import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TDigest } from './t-digest.ts';

function digestOf(values: Iterable<number>): TDigest {
  const digest = new TDigest();
  for (const value of values) digest.add(value);
  return digest;
}

test('a percentile of few values is one of them', () => {
  const digest = digestOf([4, 10, 1, 3, 2]);
  assert.deepEqual(
    [0, 0.25, 0.5, 0.75, 1].map((q) => digest.quantile(q)),
    [1, 2, 3, 4, 10],
  );
  assert.equal(digestOf([1, 2, 3, 4]).quantile(0.5), 3);
  assert.equal(digestOf([7]).quantile(0.99), 7);
});

test('a percentile of no values is NaN', () => {
  assert.ok(Number.isNaN(new TDigest().quantile(0.5)));
});

test('a percentile of many values is close to the exact one, with exact ends', () => {
  const count = 100_000;
  const values = Array.from({ length: count }, (_, i) => (i * 7919) % count);
  const digest = digestOf(values);
  assert.equal(digest.quantile(0), 0);
  assert.equal(digest.quantile(1), count - 1);
  for (const q of [0.001, 0.01, 0.25, 0.5, 0.75, 0.99, 0.999]) {
    const error = Math.abs(digest.quantile(q) / count - q);
    assert.ok(error < 0.002 + 0.02 * q * (1 - q), `${q}: off by ${error}`);
  }
});

test('addTimes of a very frequent value equals adding it that often', () => {
  const digest = new TDigest();
  digest.addTimes(1, 3_000_000);
  digest.addTimes(2, 1_000_000);
  const quantiles = [0, 0.5, 0.7, 0.8, 1].map((q) => digest.quantile(q));
  assert.deepEqual(quantiles, [1, 1, 1, 2, 2]);
  const few = new TDigest();
  few.addTimes(1, 3);
  few.addTimes(2, 1);
  assert.deepEqual(
    [0.5, 0.75].map((q) => few.quantile(q)),
    [1, 2],
  );
});

for (const { kind, size } of [
  { kind: 'exact', size: 5_000 },
  { kind: 'compressed', size: 20_000 },
]) {
  test(`merged digests are as accurate as one: ${kind} parts`, () => {
    // In ascending order the largest values wait for a merge last, and must not be lost.
    const parts = Array.from({ length: 9 }, (_, part) =>
      digestOf(Array.from({ length: size }, (_, i) => i * 9 + part)),
    );
    const merged = new TDigest();
    for (const part of parts) merged.addAll(part);
    const count = 9 * size;
    assert.equal(merged.quantile(0), 0);
    assert.equal(merged.quantile(1), count - 1);
    for (const q of [0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99]) {
      const error = Math.abs(merged.quantile(q) / count - q);
      assert.ok(error < 0.002 + 0.02 * q * (1 - q), `${q}: off by ${error}`);
    }
  });
}

test('a digest for exact percentiles keeps all values, in any order', () => {
  const values = Array.from({ length: 20_000 }, (_, i) => ((i * 7919) % 20_000) / 10);
  const parts = [values.slice(0, 9_000), values.slice(9_000)].map((part) => {
    const digest = new TDigest(Number.POSITIVE_INFINITY);
    for (const value of part) digest.add(value);
    return digest;
  });
  const [digest, other] = parts as [TDigest, TDigest];
  digest.addAll(other);
  assert.deepEqual(
    [0, 0.5, 0.99, 1].map((q) => digest.quantile(q)),
    [0, 1_000, 1_980, 1_999.9],
  );
});

test('digests of few values merge exactly', () => {
  const few = digestOf([1, 2]);
  few.addAll(digestOf([3]));
  assert.equal(few.quantile(0.5), 2);
});
