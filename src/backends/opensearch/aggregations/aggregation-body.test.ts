// Aggregation requests and the reading of answers; incomplete answers of OpenSearch are errors.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RequestAggregation } from '../../../engine/aggregation/collecting/collector.ts';
import { addTo, newSum } from '../../../engine/aggregation/collecting/exact-sum.ts';
import {
  type Intermediate,
  newStats,
  type Stats,
} from '../../../engine/aggregation/collecting/intermediate.ts';
import type { Aggregation, Aggregations, ValueSource } from '../../../query/aggregation.ts';
import { DateCache } from '../../../query/dates/date-cache.ts';
import { staticMapping } from '../../../query/mapping/document-types.ts';
import { requestsOf } from './aggregation-body.ts';
import type { AggregationResponse, AggregationScope } from './aggregation-request.ts';
import { NamedDocuments } from './named-documents.ts';
import { checkSize } from './request-size.ts';

const mapping = staticMapping('identities', { name: 'acme', pod: 'cardea' });
const TERMS: Aggregation = {
  kind: 'terms',
  source: { kind: 'id' },
  size: 10,
  minDocCount: 1,
  order: [],
  aggregations: {},
};

const scope: AggregationScope = {
  ...{
    mapping,
    path: null,
    scored: false,
    part: null,
    countedTerms: [],
    zeroCountTerms: [],
    target: 0,
  },
  ...{ chooses: false, takesComposite: true },
  ...{ request: new RequestAggregation(1, new DateCache()), documents: new NamedDocuments(false) },
};

const requestFor = (aggregation: Aggregation, more: Partial<AggregationScope> = {}) =>
  requestsOf({ one: aggregation }, { ...scope, ...more });

const strings = (field: string): ValueSource => ({ kind: 'strings', field });
const numbers = (field: string): ValueSource => ({
  ...{ kind: 'numbers', field, column: 'value', type: 'long' },
});

const BODIES: readonly (readonly [what: string, aggregation: Aggregation, body: string])[] = [
  [
    'nests the sources of composite, with a bucket for rows without a value',
    {
      kind: 'composite',
      sources: [
        {
          ...{ kind: 'terms', name: 'a', order: 'asc', missingBucket: true },
          source: strings('name'),
        },
        {
          ...{ kind: 'histogram', name: 'b', order: 'asc', missingBucket: false, interval: 5 },
          source: numbers('accessCount'),
        },
      ],
      size: 10,
      aggregations: {},
    },
    '{"a0v":{"terms":{"field":"name%exact","size":65535},"aggs":{"a0v":{"histogram":{"field":"accessCount%value","interval":5,"min_doc_count":1},"aggs":{}}}},"a0m":{"missing":{"field":"name%exact"},"aggs":{"a0v":{"histogram":{"field":"accessCount%value","interval":5,"min_doc_count":1},"aggs":{}}}}}',
  ],
  [
    'requests percentiles as values, with those that a row has more than once',
    { kind: 'percentiles', source: numbers('accessCount'), percents: [50], keyed: true },
    '{"a0":{"terms":{"field":"accessCount%value","size":65535}},"a0r":{"terms":{"field":"%repeats","size":65535,"include":"accessCount\\\\%value [0-9]+ .*"}}}',
  ],
  [
    'has strings counted without listing them',
    { kind: 'valueCount', source: strings('name') },
    '{"a0":{"value_count":{"field":"name%exact"}}}',
  ],
  [
    'requests hits in sort order, ties by id',
    {
      ...{ kind: 'topHits', from: 1, size: 2, sourceFilter: null },
      sort: [{ field: 'name', order: 'desc', type: 'string' }],
    },
    '{"a0":{"top_hits":{"size":3,"sort":[{"name%exact":{"order":"desc","mode":"max","missing":"_last","unmapped_type":"keyword"}},{"%id":"asc"},"_doc"],"_source":false,"stored_fields":"_none_"}}}',
  ],
  [
    'uses the id of the document inside nested, and asks for it where `_id` may be shorter',
    { kind: 'nested', path: 'accounts', aggregations: { ids: TERMS } },
    '{"a0":{"nested":{"path":"accounts"},"aggs":{"a0":{"terms":{"field":"_id","size":65535},"aggs":{"document":{"reverse_nested":{},"aggs":{"id":{"terms":{"field":"%id","size":1}}}}}}}}}',
  ],
];

/** @param squares undefined: of a kind that does not need them */
const stats = (figures: Partial<Stats>, sum = 0, squares?: number): Intermediate => {
  const own = newStats();
  addTo(own.sum, sum);
  if (squares !== undefined) {
    own.squares = newSum();
    addTo(own.squares, squares);
  }
  return { kind: 'stats', stats: { ...own, ...figures } };
};
const EXTENDED = { count: 2, sum: 10, sum_of_squares: 68, min: 2, max: 8 };

const READINGS: readonly (readonly [
  what: string,
  aggregation: Aggregation,
  answer: AggregationResponse,
  intermediate: Intermediate | undefined,
])[] = [
  [
    'extended statistics',
    { kind: 'extendedStats', source: numbers('accessCount') },
    { a0: EXTENDED },
    stats({ count: 2, min: 2, max: 8 }, 10, 68),
  ],
  [
    'no statistics if no row has a value',
    { kind: 'stats', source: numbers('accessCount') },
    { a0: { count: 0, sum: 0, sum_of_squares: 0, min: null, max: null } },
    undefined,
  ],
  [
    'extended statistics with the value of `missing` for rows without a value',
    { kind: 'extendedStats', source: numbers('accessCount'), missing: 9 },
    { a0: EXTENDED, a0m: { doc_count: 3 } },
    stats({ count: 5, min: 2, max: 9 }, 37, 68 + 3 * 81),
  ],
  [
    'statistics of `missing` values only',
    { kind: 'stats', source: numbers('accessCount'), missing: 1 },
    { a0: { count: 0 }, a0m: { doc_count: 1 } },
    stats({ count: 1, min: 1, max: 1 }, 1),
  ],
  [
    'a count of strings, with `missing`',
    { kind: 'valueCount', source: strings('name'), missing: 'none' },
    { a0: { value: 5 }, a0m: { doc_count: 2 } },
    stats({ count: 7 }),
  ],
];

describe('aggregations on OpenSearch', () => {
  for (const [what, aggregation, body] of BODIES) {
    test(what, () => assert.equal(JSON.stringify(requestFor(aggregation).aggs), body));
  }

  test('restricts a global aggregation to the requested part of the documents', () => {
    const part = { range: { '%id': { gt: 'm' } } };
    const { aggs } = requestFor({ kind: 'global', aggregations: {} }, { part });
    assert.deepEqual(aggs, { a0: { global: {}, aggs: { part: { filter: part, aggs: {} } } } });
  });

  test('leaves out tuples up to `after`', () => {
    const request = requestFor({
      kind: 'composite',
      sources: [
        {
          ...{ kind: 'terms', name: 'a', order: 'desc', missingBucket: true },
          source: strings('name'),
        },
      ],
      size: 10,
      after: ['m'],
      aggregations: {},
    });
    const buckets = ['a', 'm', 'z'].map((key) => ({ key, doc_count: 1 }));
    const [composite] = request.read({ a0v: { buckets }, a0m: { doc_count: 2 } });
    assert.ok(composite?.kind === 'buckets');
    assert.deepEqual([...composite.buckets.keys()], ['["a"]', '[null]']);
  });

  for (const [what, aggregation, answer, intermediate] of READINGS) {
    test(`reads ${what}`, () => {
      assert.deepEqual(requestFor(aggregation).read(answer), [intermediate]);
    });
  }

  test('counts distinct values, and `missing` as one of them if a row has none', () => {
    const of = { kind: 'cardinality', source: strings('name'), missing: 'none' } as const;
    const buckets = ['a', 'none'].map((key) => ({ key, doc_count: 1 }));
    const counts: readonly (readonly [found: AggregationResponse, count: number])[] = [
      [{ a0: { buckets }, a0m: { doc_count: 0 } }, 2],
      [{ a0: { buckets }, a0m: { doc_count: 4 } }, 2],
      [{ a0: { buckets: buckets.slice(0, 1) }, a0m: { doc_count: 4 } }, 2],
      [{ a0: { buckets: [] }, a0m: { doc_count: 4 } }, 1],
    ];
    for (const [found, count] of counts) {
      const [distinct] = requestFor(of).read(found);
      assert.ok(distinct?.kind === 'distinct');
      assert.equal(distinct.keys.size, count);
      // Nothing is merged where OpenSearch may choose.
      assert.deepEqual(requestFor(of, { chooses: true }).read(found), [{ kind: 'count', count }]);
    }
  });

  test('reads a tuple of each pair of values, and of rows without one of them', () => {
    const request = requestFor({
      kind: 'composite',
      sources: [
        {
          ...{ kind: 'terms', name: 'a', order: 'asc', missingBucket: true },
          source: strings('name'),
        },
        {
          ...{ kind: 'histogram', name: 'b', order: 'asc', missingBucket: false, interval: 5 },
          source: numbers('accessCount'),
        },
      ],
      size: 10,
      aggregations: {},
    });
    const counts = (...keys: number[]) => ({
      a0v: { buckets: keys.map((key) => ({ key, doc_count: key + 1 })) },
    });
    const [composite] = request.read({
      a0v: { buckets: [{ key: 'x', doc_count: 9, ...counts(0, 5) }] },
      a0m: { doc_count: 2, ...counts(10) },
    });
    assert.ok(composite?.kind === 'buckets');
    assert.deepEqual(
      [...composite.buckets].map(([key, { docCount }]) => [key, docCount]),
      [
        ['["x",0]', 1],
        ['["x",5]', 6],
        ['[null,10]', 11],
      ],
    );
  });

  test('reads the document, the element and the sort values of hits', () => {
    const documents = new NamedDocuments(false);
    const sort = [
      { field: 'accounts.name', order: 'asc', type: 'string' },
      { field: 'name', order: 'asc', type: 'string' },
      { field: '_score', order: 'desc', type: 'score' },
    ] as const;
    const request = requestFor(
      { kind: 'topHits', from: 0, size: 1, sort, sourceFilter: null },
      { path: 'accounts', scored: true, target: 1, documents },
    );
    assert.deepEqual(Object.keys(request.aggs), ['a0', 'a0s']);
    const total = { value: 3, relation: 'eq' };
    const nestedHit = { _nested: { offset: 2 }, sort: ['x', 0.5, 'i1', 7] };
    const [hits] = request.read({
      a0: { hits: { total, hits: [nestedHit] } },
      a0s: { hits: { total, hits: [{ sort: [0.75, 0] }] } },
    });
    assert.ok(hits?.kind === 'hits');
    const [candidate] = hits.candidates;
    assert.ok(candidate);
    assert.deepEqual([hits.total, hits.maxScore], [3, 0.75]);
    assert.deepEqual([candidate.target, candidate.score], [1, 0.5]);
    assert.deepEqual(candidate.element, { path: 'accounts', offset: 2 });
    assert.deepEqual(candidate.sort, ['x', null, 0.5]);
    assert.equal(documents.id(candidate), 'i1');
    assert.equal(documents.numberOf(1, 'i1'), candidate.view);
    assert.notEqual(documents.numberOf(0, 'i1'), candidate.view);
  });

  test('counts a value as often as rows have it', () => {
    const aggregation = { kind: 'percentiles', percents: [50], keyed: true } as const;
    const request = requestFor({ ...aggregation, source: numbers('accessCount') });
    const values = [1, 2, 7].map((key) => ({ key, doc_count: 1 }));
    const repeats = [{ key: 'accessCount%value 5 7', doc_count: 1 }];
    const [digested] = request.read({ a0: { buckets: values }, a0r: { buckets: repeats } });
    assert.ok(digested?.kind === 'digest');
    const quantiles = [0, 0.2, 0.3, 1].map((q) => digested.digest.quantile(q));
    assert.deepEqual(quantiles, [1, 2, 7, 7]);
  });

  test('rejects a small tree that expands to more parts than a request may have', () => {
    const filters = Array.from({ length: 100 }, (_, at) => ({
      ...{ name: `f${at}`, query: { kind: 'matchAll' } as const },
    }));
    let aggregation: Aggregation = TERMS;
    for (let level = 0; level < 5; level++) {
      const inside: Aggregations = { one: aggregation };
      aggregation = { kind: 'filters', filters, keyed: true, other: null, aggregations: inside };
    }
    const { aggs } = requestFor(aggregation);
    assert.throws(() => checkSize(aggs), { code: 'limit_exceeded', message: /10000 parts/ });
    checkSize(requestFor(TERMS).aggs);
  });

  test('rejects an answer from which OpenSearch left out values', () => {
    const request = requestFor(TERMS);
    const [name = ''] = Object.keys(request.aggs);
    const answer = { [name]: { buckets: [{ key: 'a', doc_count: 1 }], sum_other_doc_count: 1 } };
    assert.throws(() => request.read(answer), { code: 'limit_exceeded' });
  });

  test('requests nothing for a path that an index does not have', () => {
    const request = requestFor({ kind: 'nested', path: 'unknown', aggregations: {} });
    assert.deepEqual(request.aggs, {});
    assert.deepEqual(request.read({}), [undefined]);
  });
});
