// Aggregations of one segment, for the tests of buckets and their limits.

import { aggregate } from '../../src/engine/aggregation/aggregator.ts';
import { QueryCache } from '../../src/engine/index/query-cache.ts';
import type { Aggregations } from '../../src/query/aggregation.ts';
import type { Query } from '../../src/query/query.ts';
import { drive } from './engine-search.ts';
import { sourceDocument, testMapping, testSegment } from './segments.ts';

const mapping = testMapping({ id: 'keyword', name: 'text', key: 'keyword', tags: 'keyword' });
const EVERYBODY: Query = { kind: 'term', field: 'name', form: 'word', value: 'ada' };

/** The buckets of a segment whose documents all have different keys. */
export function bucketsOf(
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
export function tuples(sources: number, after?: readonly string[]): Aggregations {
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
