// suite: slow
// The limit of four million buckets that a request may collect; each test collects as many.
import assert from 'node:assert/strict';
import test from 'node:test';
import { bucketsOf, tuples } from '../../../test/support/aggregated-segment.ts';
import type { Aggregations } from '../../query/aggregation.ts';

const FORTY_TAGS = Array.from({ length: 40 }, (_, n) => `t${n}`);
const TOO_MANY = { code: 'limit_exceeded', message: /more than 4000000 buckets/ };

/** Tuples of the key of a document and two of its tags: 1,600 for each document of forty tags. */
function tuplesByKey(after?: readonly string[]): Aggregations {
  const key = { kind: 'terms', order: 'asc', missingBucket: false, name: 'key' } as const;
  const { all } = tuples(2, after);
  assert.ok(all?.kind === 'composite');
  const sources = [{ ...key, source: { kind: 'strings', field: 'key' } } as const, ...all.sources];
  return { all: { ...all, sources } };
}

test('tuples of many documents count towards the limit even if none of them is on the page', () => {
  const aggregations = tuplesByKey(['z', 'z', 'z']);
  assert.throws(() => bucketsOf(3_000, aggregations, FORTY_TAGS), TOO_MANY);
});

test('a tuple counts once towards the limit, on a page or not', () => {
  const pageOf = (after?: readonly string[]) => {
    const { all } = bucketsOf(1_300, tuplesByKey(after), FORTY_TAGS) as {
      all: { buckets: { key: Record<string, string> }[] };
    };
    return all.buckets.map(({ key }) => Object.values(key).join(' '));
  };
  assert.deepEqual(pageOf().slice(0, 3), ['k0 t0 t0', 'k0 t0 t1', 'k0 t0 t10']);
  assert.deepEqual(pageOf(['k999', 't9', 't8']), ['k999 t9 t9']);
});

test('a tuple counts in each bucket that it is in', () => {
  const aggregations: Aggregations = {
    keys: {
      ...{ kind: 'terms', source: { kind: 'strings', field: 'key' }, size: 1, minDocCount: 1 },
      ...{ order: [], aggregations: tuples(2) },
    },
  };
  assert.throws(() => bucketsOf(3_000, aggregations, FORTY_TAGS), TOO_MANY);
});
