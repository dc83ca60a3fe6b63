import assert from 'node:assert/strict';
import test from 'node:test';
import { bucketsOf, tuples } from '../../../test/support/aggregated-segment.ts';

test('a bucket counts once towards the bucket limit, however many blocks its rows are collected in', () => {
  // With scores, rows are collected one by one.
  const result = bucketsOf(3_000, {
    keys: {
      ...{ kind: 'terms', source: { kind: 'strings', field: 'key' }, size: 1, minDocCount: 1 },
      order: [],
      aggregations: {
        best: { kind: 'topHits', from: 0, size: 1, sort: [], sourceFilter: null },
      },
    },
  }) as { keys: { buckets: { doc_count: number }[]; sum_other_doc_count: number } };
  assert.deepEqual(
    result.keys.buckets.map(({ doc_count }) => doc_count),
    [1],
  );
  assert.equal(result.keys.sum_other_doc_count, 2_999);
});

test('a row with several values is counted for each of them, however many there are', () => {
  const result = bucketsOf(3_000, {
    tags: {
      ...{ kind: 'terms', source: { kind: 'strings', field: 'tags' }, size: 9, minDocCount: 1 },
      order: [],
      aggregations: {},
    },
  }) as { tags: { buckets: { key: string; doc_count: number }[] } };
  assert.deepEqual(
    result.tags.buckets.map(({ key, doc_count }) => [key, doc_count]),
    [
      ['a', 3_000],
      ['b', 3_000],
      ['c', 3_000],
    ],
  );
});

test('a document whose values form too many tuples is refused before they are made', () => {
  const tags = Array.from({ length: 60 }, (_, n) => `t${String(n).padStart(2, '0')}`);
  const refusal = { code: 'limit_exceeded', message: /one document form more than 65535 buckets/ };
  assert.throws(() => bucketsOf(1, tuples(6), tags), refusal);
  // Also if none of them is on the page.
  const last = Array.from({ length: 6 }, () => 't99');
  assert.throws(() => bucketsOf(1, tuples(6, last), tags), refusal);
  const { all } = bucketsOf(2, tuples(2), tags) as { all: { buckets: unknown[] } };
  assert.equal(all.buckets.length, 10);
});
