// POST /search/aggregate as CSV, over real HTTP: chains of aggregations in either form become rows, others are refused.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;

const PEOPLE = [
  ['Rome', 'Sales', 3, '2024-03-30T22:30:00Z', ['Payroll Read', 'Mail']],
  ['Rome', 'Sales', 1, '2024-03-31T00:30:00Z', ['Mail']],
  ['Oslo', 'Sales', 1, '2024-04-02T10:00:00Z', ['Mail', 'Auditor']],
  ['Oslo, North', 'HR', 0, '2014-04-05T10:00:00Z', []],
] as const;

before(async () => {
  service = await startService();
  await service.addDocuments(
    PEOPLE.map(([city, department, accountCount, created, access], at) => ({
      _type: 'identity',
      id: `i${at + 1}`,
      name: `person.${at + 1}`,
      created,
      inactive: at === 3,
      accountCount,
      attributes: { city, department },
      access: access.map((name) => ({
        id: `x-${name}`,
        name,
        type: name === 'Auditor' ? 'ROLE' : 'ENTITLEMENT',
      })),
    })),
  );
});
after(() => service.stop());

describe('CSV', () => {
  const spec = {
    aggregationType: 'SAILPOINT',
    indices: ['identities'],
    aggregations: {
      bucket: { name: 'Department', field: 'attributes.department' },
      subAggregation: { bucket: { name: 'City', field: 'attributes.city' } },
    },
  };
  const csv = (body: object, accept: string) =>
    service.call('POST', '/v2024/search/aggregate', body, { accept });

  test('is there for the vendor form when it is preferred', async () => {
    const answer = await csv(spec, 'text/csv');
    assert.equal(answer.headers.get('content-type'), 'text/csv;charset=utf-8');
    assert.equal(
      await answer.text(),
      'Department,City,Count\nSales,Rome,2\nSales,Oslo,1\nHR,"Oslo, North",1\n',
    );
  });

  test('has booleans and numbers as values, and numbers calculated from booleans', async () => {
    for (const [type, value] of [
      ['MAX', 'true'],
      ['SUM', '1'],
    ]) {
      const metric = { name: 'Inactive', field: 'inactive', type };
      const answer = await csv({ ...spec, aggregations: { metric } }, 'text/csv');
      assert.equal(await answer.text(), `Inactive\n${value}\n`);
    }
  });

  test('gives way to JSON on a tie', async () => {
    const tie = await csv(spec, 'application/json, text/csv');
    assert.match(tie.headers.get('content-type') ?? '', /^application\/json/);
  });

  const inDsl = (aggregationsDsl: object) => ({ indices: ['identities'], aggregationsDsl });
  const city = { terms: { field: 'attributes.city' } };

  const CHAINS: readonly (readonly [string, object, string])[] = [
    [
      'buckets below buckets',
      { Department: { terms: { field: 'attributes.department' }, aggs: { City: city } } },
      'Department,City,Count\nSales,Rome,2\nSales,Oslo,1\nHR,"Oslo, North",1\n',
    ],
    [
      'single buckets without a column, and a metric',
      {
        Access: {
          nested: { path: 'access' },
          aggs: {
            Type: {
              terms: { field: 'access.type' },
              aggs: {
                People: {
                  reverse_nested: {},
                  aggs: { Cities: { cardinality: { field: 'attributes.city' } } },
                },
              },
            },
          },
        },
      },
      'Type,Cities\nENTITLEMENT,2\nROLE,1\n',
    ],
    [
      'dates as they are printed',
      {
        Year: {
          date_histogram: {
            field: 'created',
            calendar_interval: '1y',
            format: 'yyyy',
            min_doc_count: 1,
          },
        },
      },
      'Year,Count\n2014,1\n2024,3\n',
    ],
    [
      'ranges and named queries, keyed or not',
      {
        Size: {
          range: {
            field: 'accountCount',
            keyed: true,
            ranges: [
              { key: 'few', to: 2 },
              { key: 'many', from: 2 },
            ],
          },
          aggs: {
            Who: {
              filters: {
                filters: { gone: { term: { inactive: true } } },
                other_bucket_key: 'here',
              },
              aggs: { Most: { max: { field: 'accountCount' } } },
            },
          },
        },
      },
      'Size,Who,Most\nfew,gone,0\nfew,here,1\nmany,gone,\nmany,here,3\n',
    ],
    [
      'one percentile',
      { Middle: { percentiles: { field: 'accountCount', percents: [50] } } },
      'Middle\n1\n',
    ],
    [
      'one percentile in a list',
      { Middle: { percentiles: { field: 'accountCount', percents: [50], keyed: false } } },
      'Middle\n1\n',
    ],
    ['the least of booleans', { Least: { min: { field: 'inactive' } } }, 'Least\nfalse\n'],
    ['the average of booleans', { Share: { avg: { field: 'inactive' } } }, 'Share\n0.25\n'],
  ];
  for (const [what, aggregationsDsl, expected] of CHAINS) {
    test(`a chain of the DSL becomes rows: ${what}`, async () => {
      const answer = await csv(inDsl(aggregationsDsl), 'text/csv');
      assert.equal(answer.headers.get('content-type'), 'text/csv;charset=utf-8');
      assert.equal(await answer.text(), expected);
    });
  }

  const NO_CHAINS: readonly (readonly [object, RegExp])[] = [
    [{}, /^aggregationsDsl: there is no aggregation/],
    [
      { City: city, Department: city },
      /^aggregationsDsl: .*one aggregation at each level, not "City", "Department"/,
    ],
    [{ City: { ...city, aggs: { A: city, B: city } } }, /^aggregationsDsl\.City\.aggs: .*"A", "B"/],
    [
      { City: { ...city, aggs: { Who: { top_hits: {} } } } },
      /^aggregationsDsl\.City\.aggs\.Who: top_hits/,
    ],
    [{ Load: { stats: { field: 'accountCount' } } }, /^aggregationsDsl\.Load: .*ask for avg/],
    [{ Load: { percentiles: { field: 'accountCount' } } }, /^aggregationsDsl\.Load: .*one percent/],
    [
      { All: { filters: { filters: [{ match_all: {} }] } } },
      /^aggregationsDsl\.All: filters in a list/,
    ],
    [{ All: { composite: { sources: [{ city }] } } }, /^aggregationsDsl\.All: .*after_key/],
  ];
  test('what no rows can tell is a 406 that says where and why, or JSON where that is accepted', async () => {
    for (const [aggregationsDsl, cause] of NO_CHAINS) {
      const answer = await csv(inDsl(aggregationsDsl), 'text/csv');
      const fault = (await answer.json()) as { detailCode: string; causes: { text: string }[] };
      assert.equal(answer.status, 406, JSON.stringify(fault));
      assert.equal(fault.detailCode, '406 Not acceptable');
      assert.match(fault.causes[0]?.text ?? '', cause);
      assert.match(fault.causes[0]?.text ?? '', /Accept: application\/json/);
      const json = await csv(inDsl(aggregationsDsl), 'text/csv, application/json;q=0.5');
      assert.equal(json.status, 200);
      assert.match(json.headers.get('content-type') ?? '', /^application\/json/);
    }
  });
});
