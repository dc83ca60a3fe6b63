import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planAggregate, testContext } from '../../../test/support/query-context.ts';
import { ServiceError } from '../../errors.ts';
import type { Aggregations } from '../aggregation.ts';

function planned(aggregationsDsl: unknown): Aggregations {
  const { plan } = planAggregate({ indices: ['identities'], aggregationsDsl }, {}, testContext());
  assert.deepEqual(JSON.parse(JSON.stringify(plan)), plan);
  return plan.targets[0]?.aggregations ?? {};
}

const reads = (name: string, body: unknown, aggregation: unknown): void => {
  test(`reads ${name}`, () => assert.deepEqual(planned({ a: body })['a'], aggregation));
};

const TERMS = {
  kind: 'terms',
  size: 10,
  minDocCount: 1,
  order: [{ by: 'count', order: 'desc' }],
  aggregations: {},
};

reads(
  'a text field as its whole values',
  { terms: { field: 'name' } },
  { ...TERMS, source: { kind: 'strings', field: 'name' } },
);
reads(
  '.exact as the same',
  { terms: { field: 'name.exact' } },
  { ...TERMS, source: { kind: 'strings', field: 'name' } },
);
reads(
  'an unknown field as none',
  { terms: { field: 'nope' } },
  { ...TERMS, source: { kind: 'none' } },
);
reads(
  'a nested field outside of nested as flattened',
  { terms: { field: 'access.name' } },
  { ...TERMS, source: { kind: 'strings', field: 'access.name', nestedPath: 'access' } },
);
reads(
  'the numbers of a nested field outside of nested as flattened',
  { max: { field: 'accounts.created' } },
  {
    kind: 'max',
    source: {
      kind: 'numbers',
      field: 'accounts.created',
      column: 'value',
      type: 'date',
      nestedPath: 'accounts',
    },
  },
);
reads(
  'a field of another array inside nested as none',
  { nested: { path: 'accounts' }, aggs: { a: { terms: { field: 'access.name' } } } },
  {
    kind: 'nested',
    path: 'accounts',
    aggregations: { a: { ...TERMS, source: { kind: 'none' } } },
  },
);
reads(
  'a constant field as its value',
  { terms: { field: 'org' } },
  { ...TERMS, source: { kind: 'constant', value: 'acme' } },
);
reads(
  'dates of a dynamic text field',
  { max: { field: 'created' } },
  {
    kind: 'max',
    source: { kind: 'numbers', field: 'created', column: 'value', type: 'date' },
  },
);
reads(
  'numbers of a dynamic text field',
  { avg: { field: 'attributes.city' } },
  {
    kind: 'avg',
    source: { kind: 'numbers', field: 'attributes.city', column: 'number', type: 'double' },
  },
);
reads(
  'sub-aggregations under either name',
  { nested: { path: 'access' }, aggregations: { b: { value_count: { field: '_id' } } } },
  {
    kind: 'nested',
    path: 'access',
    aggregations: { b: { kind: 'valueCount', source: { kind: 'id' } } },
  },
);
reads(
  'a path that the index does not have',
  { nested: { path: 'nope' } },
  { kind: 'nested', path: null, aggregations: {} },
);
reads(
  'filter queries in their scope',
  { nested: { path: 'access' }, aggs: { f: { filter: { term: { 'access.type': 'ROLE' } } } } },
  {
    kind: 'nested',
    path: 'access',
    aggregations: {
      f: {
        kind: 'filter',
        query: { kind: 'term', field: 'access.type', form: 'folded', value: 'role' },
        aggregations: {},
      },
    },
  },
);
reads(
  'date ranges as instants with their texts',
  { date_range: { field: 'created', ranges: [{ from: '2024-05', to: 'now/d' }] } },
  {
    kind: 'range',
    source: { kind: 'numbers', field: 'created', column: 'value', type: 'date' },
    ranges: [
      {
        key: '2024-05-01T00:00:00.000Z-2024-05-15T00:00:00.000Z',
        from: Date.parse('2024-05-01'),
        to: Date.parse('2024-05-15'),
        fromText: '2024-05-01T00:00:00.000Z',
        toText: '2024-05-15T00:00:00.000Z',
      },
    ],
    keyed: false,
    aggregations: {},
  },
);

reads(
  'the hits of a bucket with their defaults',
  { top_hits: {} },
  {
    ...{ kind: 'topHits', from: 0, size: 3, sort: [] },
    sourceFilter: { includes: [], excludes: [], nested: true },
  },
);
reads(
  'as many sort keys and names as a search may have',
  { top_hits: { sort: Array(32).fill('_score'), _source: Array(1024).fill('id') } },
  {
    ...{ kind: 'topHits', from: 0, size: 3 },
    sort: Array(32).fill({ field: '_score', order: 'desc', type: 'score' }),
    sourceFilter: { includes: Array(1024).fill('id'), excludes: [], nested: true },
  },
);
reads(
  'the default percents',
  { percentiles: { field: 'accessCount' } },
  {
    kind: 'percentiles',
    source: { kind: 'numbers', field: 'accessCount', column: 'value', type: 'long' },
    percents: [1, 5, 25, 50, 75, 95, 99],
    keyed: true,
  },
);
reads(
  'the bucket for all other documents, which has a name of its own',
  { filters: { filters: { a: { match_none: {} } }, other_bucket: true } },
  {
    kind: 'filters',
    filters: [{ name: 'a', query: { kind: 'matchNone' } }],
    keyed: true,
    other: '_other_',
    aggregations: {},
  },
);
reads(
  'an interval of days in any zone, with empty days',
  { date_histogram: { field: 'created', interval: '1d', time_zone: 'europe/paris' } },
  {
    kind: 'dateHistogram',
    source: { kind: 'numbers', field: 'created', column: 'value', type: 'date' },
    intervals: { every: 'd', timeZone: 'Europe/Paris', offsetMs: 0 },
    format: null,
    ...{ minDocCount: 0, keyed: false, order: [{ by: 'key', order: 'asc' }] },
    aggregations: {},
  },
);

const FAULTS: readonly (readonly [unknown, RegExp])[] = [
  [[], /aggregationsDsl/],
  [{ a: 1 }, /aggregationsDsl\.a: expected an object/],
  [{ a: { terms: { field: 'name' }, avg: { field: 'accessCount' } } }, /exactly one type/],
  [{ a: { terms: { field: 'name', size: 0 } } }, /terms\.size/],
  [{ a: { terms: { field: 'name', include: '(' } } }, /./],
  [{ a: { terms: { field: 'accessCount', include: '.*' } } }, /terms\.include/],
  [{ a: { terms: { field: 'name', order: { 'b>c': 'asc' } } } }, /names no sub-aggregation/],
  [
    {
      a: {
        terms: { field: 'name', order: { b: 'asc' } },
        aggs: { b: { stats: { field: 'accessCount' } } },
      },
    },
    /name one of its members/,
  ],
  [
    { a: { avg: { field: 'accessCount' }, aggs: { b: { avg: { field: 'accessCount' } } } } },
    /a metric cannot have sub-aggregations/,
  ],
  [
    { a: { nested: { path: 'access' }, aggs: { b: { avg: { field: 'access.name' } } } } },
    /holds no numbers/,
  ],
  [{ a: { date_histogram: { field: 'created' } } }, /calendar_interval/],
  [{ a: { date_histogram: { field: 'created', calendar_interval: '2d' } } }, /calendar_interval/],
  [{ a: { date_histogram: { field: 'created', fixed_interval: '1M' } } }, /fixed_interval/],
  [
    { a: { date_histogram: { field: 'created', calendar_interval: 'day', format: 'QQQ' } } },
    /format/,
  ],
  [{ a: { date_histogram: { field: 'accessCount', calendar_interval: 'day' } } }, /holds no dates/],
  [{ a: { histogram: { field: 'accessCount', interval: 0 } } }, /interval/],
  [{ a: { range: { field: 'accessCount', ranges: [{ from: 'x' }] } } }, /ranges\[0\]\.from/],
  [{ a: { percentiles: { field: 'accessCount', percents: [101] } } }, /percents\[0\]/],
  [{ a: { top_hits: { size: 101 } } }, /top_hits\.size/],
  [
    { a: { top_hits: { sort: Array(33).fill('name') } } },
    /32 keys in aggregationsDsl\.a\.top_hits\.sort, found 33; .*CARDEA_MAX_SORT_KEYS/,
  ],
  [
    {
      a: {
        top_hits: { _source: { includes: Array(1000).fill('*a*'), excludes: Array(25).fill('b') } },
      },
    },
    /1024 names in aggregationsDsl\.a\.top_hits\._source, found 1025; .*CARDEA_MAX_CLAUSES/,
  ],
  [
    { a: { terms: { field: 'name', order: Array(33).fill({ _count: 'asc' }) } } },
    /32 keys in aggregationsDsl\.a\.terms\.order, found 33; .*CARDEA_MAX_SORT_KEYS/,
  ],
  [
    {
      a: {
        histogram: { field: 'accessCount', interval: 1, order: Array(33).fill({ _key: 'asc' }) },
      },
    },
    /histogram\.order/,
  ],
  [
    {
      a: {
        filters: {
          filters: { gone: { match_all: {} }, _other_: { match_all: {} } },
          other_bucket: true,
        },
      },
    },
    /filters\._other_: has the name of the bucket for all other documents/,
  ],
  [
    {
      a: {
        date_range: {
          ...{ field: 'created', format: 'yyyy', keyed: true },
          ranges: [
            { from: '2024-01', to: '2024-06' },
            { from: '2024-06', to: '2024-12' },
          ],
        },
      },
    },
    /date_range\.ranges: several have the key "2024-2024"/,
  ],
  [
    { a: { date_histogram: { field: 'created', fixed_interval: '999999999999d' } } },
    /fixed_interval/,
  ],
  [
    {
      a: { date_histogram: { field: 'created', fixed_interval: '1d', offset: '-999999999999d' } },
    },
    /date_histogram\.offset/,
  ],
  [
    { a: { composite: { sources: [{ x: { terms: { field: 'name' } } }], after: { y: 1 } } } },
    /after\.y/,
  ],
  [{ a: { composite: { sources: [] } } }, /sources/],
  ...['', ' ', 'ada'].map((x): [object, RegExp] => [
    { a: { composite: { sources: [{ x: { terms: { field: 'accountCount' } } }], after: { x } } } },
    /after\.x: .* is not a key of this source/,
  ]),
];

for (const [body, cause] of FAULTS) {
  test(`rejects ${JSON.stringify(body).slice(0, 90)}`, () => {
    assert.throws(
      () => planned(body),
      (error) => error instanceof ServiceError && cause.test(error.details.causes?.[0] ?? ''),
    );
  });
}

test('accepts an aggregation named __proto__', () => {
  const body = JSON.parse('{"__proto__":{"max":{"field":"accessCount"}}}');
  assert.deepEqual(Object.keys(planned(body)), ['__proto__']);
});
