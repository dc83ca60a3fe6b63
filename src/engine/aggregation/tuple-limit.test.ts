// The limit of four million buckets that a request may collect; each test collects as many.
import assert from 'node:assert/strict';
import test from 'node:test';
import { drive } from '../../../test/support/engine-search.ts';
import { sourceDocument, testMapping, testSegment } from '../../../test/support/segments.ts';
import type { Aggregations } from '../../query/aggregation/aggregation.ts';
import type { Query } from '../../query/query.ts';
import { QueryCache } from '../index/query-cache.ts';
import { aggregate } from './aggregator.ts';

const mapping = testMapping({ id: 'keyword', name: 'text', key: 'keyword', tags: 'keyword' });
const EVERYBODY: Query = { kind: 'term', field: 'name', form: 'word', value: 'ada' };

/** The buckets of a segment whose documents all have different keys. */
function bucketsOf(
  documents: number,
  aggregations: Aggregations,
  tags: readonly string[] = ['a', 'b', 'c'],
): unknown {
  const segment = testSegment(
    mapping,
    Array.from({ length: documents }, (_, n) =>
      sourceDocument(`i${String(n).padStart(5, '0')}`, { name: 'Ada', key: `k${n}`, tags }),
    ),
  );
  const views = [{ segment, liveDocs: null, liveCount: documents }];
  const target = {
    ...{ mapping, views, cache: new QueryCache() },
    ...{ query: EVERYBODY, aggregations },
    index: 'identities',
  } as const;
  return drive(aggregate([target], [aggregations], 100)).value;
}

/** Tuples of the same tags, `sources` in each. */
function tuples(sources: number, after?: readonly string[]): Aggregations {
  const tag = { kind: 'terms', order: 'asc', missingBucket: false } as const;
  return {
    all: {
      ...{ kind: 'composite', size: 10, aggregations: {}, ...(after && { after }) },
      sources: Array.from({ length: sources }, (_, at) => ({
        ...{ ...tag, name: `tag${at}`, source: { kind: 'strings', field: 'tags' } },
      })),
    },
  };
}

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
