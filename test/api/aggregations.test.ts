// POST /search/aggregate through the whole service: both forms, every path and what is counted. Faults are in
// aggregation-refusals.test.ts, CSV in aggregation-csv.test.ts.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { publicPrefixes } from '../../src/http/requests/path-versions.ts';
import { type RunningService, startService } from '../support/service.ts';
import { aggregationCalls, documents } from './aggregation-calls.ts';

let service: RunningService;

before(async () => {
  service = await startService();
  await service.addDocuments(documents());
});
after(() => service.stop());

interface Answer {
  readonly aggregations: Record<string, unknown>;
  readonly hits: readonly Record<string, unknown>[];
}

const { ask, aggregations, dsl, refused, sailpoint } = aggregationCalls(() => service);
const terms = (...buckets: readonly object[]) => ({
  doc_count_error_upper_bound: 0,
  sum_other_doc_count: 0,
  buckets,
});

describe('the form of the DSL', () => {
  test('counts documents by value, without a query by all of them', async () => {
    assert.deepEqual(await dsl({ City: { terms: { field: 'attributes.city' } } }), {
      City: terms(
        { key: 'Rome', doc_count: 2 },
        { key: 'Oslo', doc_count: 1 },
        { key: 'Oslo, North', doc_count: 1 },
      ),
    });
  });

  test('names the buckets of a keyed histogram by their keys', async () => {
    const histogram = { field: 'accountCount', interval: 2, keyed: true };
    assert.deepEqual(await dsl({ Accounts: { histogram } }), {
      Accounts: {
        buckets: { '0.0': { key: 0, doc_count: 3 }, '2.0': { key: 2, doc_count: 1 } },
      },
    });
  });

  test('orders buckets by what lies two levels below them', async () => {
    const roles = { filter: { term: { 'access.type': 'ROLE' } } };
    const cities = async (direction: string) => {
      const order = { 'Access>Roles': direction };
      const aggs = { Access: { nested: { path: 'access' }, aggs: { Roles: roles } } };
      const { City } = await dsl({ City: { terms: { field: 'attributes.city', order }, aggs } });
      return (City as { buckets: { key: string }[] }).buckets.map(({ key }) => key);
    };
    assert.deepEqual(await cities('desc'), ['Oslo', 'Oslo, North', 'Rome']);
    assert.deepEqual(await cities('asc'), ['Oslo, North', 'Rome', 'Oslo']);
  });

  test('goes into nested elements, filters them and comes back to the documents', async () => {
    const results = await dsl({
      Access: {
        nested: { path: 'access' },
        aggs: {
          Entitlements: {
            filter: { term: { 'access.type': 'ENTITLEMENT' } },
            aggs: {
              Name: {
                terms: { field: 'access.name.exact' },
                aggs: {
                  People: {
                    reverse_nested: {},
                    aggs: { City: { cardinality: { field: 'attributes.city' } } },
                  },
                },
              },
            },
          },
        },
      },
    });
    assert.deepEqual(results, {
      Access: {
        doc_count: 5,
        Entitlements: {
          doc_count: 4,
          Name: terms(
            { key: 'Mail', doc_count: 3, People: { doc_count: 3, City: { value: 2 } } },
            { key: 'Payroll Read', doc_count: 1, People: { doc_count: 1, City: { value: 1 } } },
          ),
        },
      },
    });
  });

  test('counts documents without the field as one distinct value where missing is given', async () => {
    const distinct = async (missing: object, query = '*', field = 'attribute') => {
      const body = { indices: ['entitlements'], query: { query } };
      const results = await dsl({ Types: { cardinality: { field, ...missing } } }, body);
      return (results['Types'] as { value: number }).value;
    };
    const none = { missing: 'none' };
    assert.equal(await distinct({}), 2);
    assert.equal(await distinct(none), 3);
    assert.equal(await distinct({ missing: 'group' }), 2);
    assert.equal(await distinct(none, '*', 'name.exact'), 2);
    assert.equal(await distinct({}, 'name:without'), 0);
    assert.equal(await distinct(none, 'name:without'), 1);
    assert.equal(await distinct(none, 'NOT name:without'), 2);
    const byName = await dsl(
      {
        Names: {
          terms: { field: 'name.exact' },
          aggs: { Types: { cardinality: { field: 'attribute', ...none } } },
        },
      },
      { indices: ['entitlements'] },
    );
    const { buckets } = byName['Names'] as {
      buckets: readonly { readonly key: string; readonly Types: { readonly value: number } }[];
    };
    assert.deepEqual(
      buckets.map(({ key, Types }) => [key, Types.value]),
      [
        ['with', 2],
        ['without', 1],
      ],
    );
  });

  test('finds duplicate accounts by the published recipe', async () => {
    const results = (await dsl({
      accounts: {
        nested: { path: 'accounts' },
        aggs: {
          source_id: {
            terms: { field: 'accounts.source.id', min_doc_count: 2 },
            aggs: {
              identities: {
                terms: { field: '_id', min_doc_count: 2 },
                aggs: { accounts: { top_hits: {} } },
              },
            },
          },
        },
      },
    })) as never as {
      accounts: {
        source_id: {
          buckets: {
            key: string;
            identities: {
              buckets: { key: string; accounts: { hits: { hits: Record<string, unknown>[] } } }[];
            };
          }[];
        };
      };
    };
    const ad = results.accounts.source_id.buckets.find(({ key }) => key === 'src-AD');
    const [only, ...others] = ad?.identities.buckets ?? [];
    assert.equal(others.length, 0);
    assert.equal(only?.key, 'i1');
    assert.deepEqual(only?.accounts.hits.hits, [
      {
        _index: 'identities',
        _id: 'i1',
        _nested: { field: 'accounts', offset: 0 },
        _score: 1,
        _source: { id: 'a00', name: 'AD-00', source: { id: 'src-AD', name: 'AD' } },
      },
      {
        _index: 'identities',
        _id: 'i1',
        _nested: { field: 'accounts', offset: 1 },
        _score: 1,
        _source: { id: 'a01', name: 'AD-01', source: { id: 'src-AD', name: 'AD' } },
      },
    ]);
  });

  test('has days of the zone that is asked for, also when clocks change', async () => {
    const query = { query: { query: 'created:[2024-01-01 TO *]' } };
    const results = await dsl(
      {
        Day: {
          date_histogram: { field: 'created', calendar_interval: 'day', time_zone: 'Europe/Paris' },
        },
      },
      query,
    );
    const bucket = (day: string, offset: string, doc_count: number) => ({
      key_as_string: `2024-${day}T00:00:00.000${offset}`,
      key: Date.parse(`2024-${day}T00:00:00.000${offset}`),
      doc_count,
    });
    assert.deepEqual(results['Day'], {
      buckets: [
        bucket('03-30', '+01:00', 1),
        bucket('03-31', '+01:00', 1),
        bucket('04-01', '+02:00', 0),
        bucket('04-02', '+02:00', 1),
      ],
    });
  });

  test('spells booleans, dates and constants', async () => {
    const results = await dsl(
      {
        Inactive: { terms: { field: 'inactive' } },
        Newest: { max: { field: 'created' } },
        Type: { terms: { field: '_type' } },
        Nothing: { avg: { field: 'no.such.field' } },
      },
      { indices: ['identities', 'roles'] },
    );
    assert.deepEqual(results, {
      Inactive: terms(
        { key: 0, key_as_string: 'false', doc_count: 3 },
        { key: 1, key_as_string: 'true', doc_count: 1 },
      ),
      Newest: {
        value: Date.parse('2024-04-02T10:00:00Z'),
        value_as_string: '2024-04-02T10:00:00.000Z',
      },
      Type: terms({ key: 'identity', doc_count: 4 }, { key: 'role', doc_count: 1 }),
      Nothing: { value: null },
    });
  });

  test('counts documents by the values of their elements, and by elements inside nested', async () => {
    const types = { terms: { field: 'access.type' } };
    const results = await dsl({
      Types: { ...types, aggs: { Sources: { terms: { field: 'accounts.source.name' } } } },
      None: { missing: { field: 'access.type' } },
      Names: { value_count: { field: 'access.name' } },
      Access: { nested: { path: 'access' }, aggs: { Types: types } },
    });
    const sources = (...counts: readonly (readonly [string, number])[]) => ({
      Sources: terms(...counts.map(([key, doc_count]) => ({ key, doc_count }))),
    });
    assert.deepEqual(results, {
      Types: terms(
        { key: 'ENTITLEMENT', doc_count: 3, ...sources(['AD', 2], ['HR', 2]) },
        { key: 'ROLE', doc_count: 1, ...sources(['HR', 1]) },
      ),
      None: { doc_count: 1 },
      Names: { value: 5 },
      Access: {
        doc_count: 5,
        Types: terms({ key: 'ENTITLEMENT', doc_count: 4 }, { key: 'ROLE', doc_count: 1 }),
      },
    });
    await refused(
      { aggregationsDsl: { a: { avg: { field: 'access.name' } } } },
      /access\.name holds no numbers/,
    );
  });

  /** The buckets of all pages, as their keys and counts. */
  async function composite(
    size: number,
    sources: readonly object[],
    more: object = {},
  ): Promise<string[]> {
    const seen: string[] = [];
    for (let after: object | undefined; seen.length < 20; ) {
      const form = { size, sources, ...(after && { after }) };
      const { All } = (await dsl({ All: { composite: form } }, more)) as never as {
        All: { after_key?: object; buckets: { key: Record<string, string>; doc_count: number }[] };
      };
      for (const { key, doc_count } of All.buckets) {
        seen.push(`${Object.values(key).join('/')}=${doc_count}`);
      }
      if (All.after_key === undefined) break;
      after = All.after_key;
    }
    return seen;
  }

  test('pages through composite buckets', async () => {
    const department = { department: { terms: { field: 'attributes.department' } } };
    const city = { city: { terms: { field: 'attributes.city' } } };
    assert.deepEqual(await composite(2, [department, city]), [
      'HR/Oslo, North=1',
      'Sales/Oslo=1',
      'Sales/Rome=2',
    ]);
  });

  const FORMATS: readonly (readonly [format: string, zone: string, keys: readonly string[]])[] = [
    ['yyyy-MM-dd', 'America/New_York', ['2014-04-05=1', '2024-03-30=2', '2024-04-02=1']],
    ['dd.MM.yyyy', '+02:00', ['05.04.2014=1', '31.03.2024=2', '02.04.2024=1']],
    ['basic_date', 'Z', ['20140405=1', '20240330=1', '20240331=1', '20240402=1']],
    ['epoch_second', 'Z', ['1396656000=1', '1711756800=1', '1711843200=1', '1712016000=1']],
    // Texts that are not read, or as another date.
    ['d/d', 'Z', ['5/5=1', '30/30=1', '31/31=1', '2/2=1']],
    ['yyyy', 'Z', ['2014=1', '2024=1', '2024=1', '2024=1']],
    ['HH:mm', 'Europe/Paris', ['00:00=1', '00:00=1', '00:00=1', '00:00=1']],
  ];
  for (const [format, time_zone, keys] of FORMATS) {
    test(`pages through days printed as ${format} in ${time_zone}`, async () => {
      const day = { field: 'created', calendar_interval: 'day', format, time_zone };
      assert.deepEqual(await composite(1, [{ day: { date_histogram: day } }]), keys);
    });
  }

  test('pages through the hour that occurs twice when clocks are set back, in either order', async () => {
    const at = ['05:10', '06:10', '06:50', '07:10'];
    await service.addDocuments(
      at.map((time) => ({
        ...{ _type: 'accessprofile', id: `a${time}`, name: time },
        created: `2024-11-03T${time}:00Z`,
      })),
    );
    const hours = async (order: string) => {
      const zone = { format: "yyyy-MM-dd'T'HH", time_zone: 'America/New_York' };
      const hour = { field: 'created', calendar_interval: 'hour', order, ...zone };
      const sources = [{ hour: { date_histogram: hour } }];
      return composite(1, sources, { indices: ['accessprofiles'] });
    };
    const [first, second, last] = ['2024-11-03T01=1', '2024-11-03T01=2', '2024-11-03T02=1'];
    assert.deepEqual(await hours('asc'), [first, second, last]);
    assert.deepEqual(await hours('desc'), [last, second, first]);
  });

  test('an empty object is no aggregation', async () => {
    assert.deepEqual(await dsl({}), {});
    assert.deepEqual(await aggregations({}), {});
  });
});

describe('the form of the vendor', () => {
  test('nests a sub-aggregation below a bucket', async () => {
    const results = await sailpoint({
      bucket: { name: 'Department', field: 'attributes.department' },
      subAggregation: { bucket: { name: 'City', field: 'attributes.city', minDocCount: 2 } },
    });
    assert.deepEqual(results, {
      Department: terms(
        { key: 'Sales', doc_count: 3, City: terms({ key: 'Rome', doc_count: 2 }) },
        { key: 'HR', doc_count: 1, City: terms() },
      ),
    });
  });

  test('takes the path of nested from field or from type, and the filter in any case', async () => {
    for (const nested of [
      { name: 'Access', field: 'access', type: 'TERMS' },
      { name: 'Access', type: 'access' },
    ]) {
      const results = await sailpoint({
        nested,
        filter: { name: 'Roles', field: 'type', value: 'role' },
        bucket: { name: 'Name', field: 'access.name' },
      });
      assert.deepEqual(results, {
        Access: {
          doc_count: 5,
          Roles: { doc_count: 1, Name: terms({ key: 'Auditor', doc_count: 1 }) },
        },
      });
    }
  });

  test('without an @ outside of nested documents are counted', async () => {
    const metric = { name: 'People', field: 'id', type: 'COUNT' };
    const results = await sailpoint({ bucket: { name: 'Type', field: 'access.type' }, metric });
    assert.deepEqual(results, {
      Type: terms(
        { key: 'ENTITLEMENT', doc_count: 3, People: { value: 3 } },
        { key: 'ROLE', doc_count: 1, People: { value: 1 } },
      ),
    });
  });

  test('an @ outside of nested brings a level of its own', async () => {
    const metric = (type: string) => ({ metric: { name: 'M', type, field: '@access.name' } });
    assert.deepEqual(await sailpoint(metric('COUNT')), {
      access: { doc_count: 5, M: { value: 5 } },
    });
    assert.deepEqual(await sailpoint(metric('UNIQUE_COUNT')), {
      access: { doc_count: 5, M: { value: 3 } },
    });
  });

  test('calculates every metric', async () => {
    const value = async (type: string) => {
      const { M } = await sailpoint({ metric: { name: 'M', type, field: 'accountCount' } });
      return M;
    };
    assert.deepEqual(await value('COUNT'), { value: 4 });
    assert.deepEqual(await value('AVG'), { value: 1.25 });
    assert.deepEqual(await value('SUM'), { value: 5 });
    assert.deepEqual(await value('MIN'), { value: 0 });
    assert.deepEqual(await value('MAX'), { value: 3 });
    assert.deepEqual(await value('MEDIAN'), { values: { '50.0': 1 } });
  });

  test('is meant when only its member says anything', async () => {
    const metric = { name: 'Cities', field: 'attributes.city' };
    assert.deepEqual(await aggregations({ aggregations: { metric } }), { Cities: { value: 3 } });
    assert.deepEqual(await aggregations({ aggregations: { metric }, aggregationsDsl: {} }), {
      Cities: { value: 3 },
    });
  });
});

test('what is not selected is not looked at', async () => {
  const spec = { metric: { name: 'Cities', field: 'attributes.city' } };
  const results = await sailpoint(spec, { aggregationsDsl: { x: { script: {} } }, queryDsl: 7 });
  assert.deepEqual(results, { Cities: { value: 3 } });
  await dsl({}, { aggregations: { bucket: {} }, textQuery: [] });
});

test('hits are those of a search under the same page, and never limit what is aggregated', async () => {
  const body = {
    aggregationsDsl: { n: { value_count: { field: 'name' } } },
    sort: ['-name'],
    query: { query: 'attributes.department:sales' },
  };
  const answer = await ask(body, '?limit=1&offset=1&count=true');
  assert.equal(answer.headers.get('x-total-count'), '3');
  const { aggregations: results, hits } = (await answer.json()) as Answer;
  assert.deepEqual(results, { n: { value: 3 } });
  assert.deepEqual(
    hits.map(({ id, _type }) => [id, _type]),
    [['i2', 'identity']],
  );
  const none = (await (await ask(body, '?limit=0')).json()) as Answer;
  assert.deepEqual(none.hits, []);
  const filtered = await dsl(body.aggregationsDsl, {
    filters: { 'attributes.city': { type: 'TERMS', terms: ['rome'] } },
  });
  assert.deepEqual(filtered, { n: { value: 2 } });
});

test('with an inner hit the hits are its rows, and their documents are aggregated', async () => {
  const query = { query: '*', innerHit: { query: 'type:ROLE', type: 'access' } };
  const aggregationsDsl = { City: { terms: { field: 'attributes.city' } } };
  const answer = await ask({ query, aggregationsDsl }, '?count=true');
  assert.equal(answer.headers.get('x-total-count'), '1');
  const { aggregations: results, hits } = (await answer.json()) as Answer;
  assert.deepEqual(results, { City: terms({ key: 'Oslo', doc_count: 1 }) });
  assert.deepEqual(
    hits.map(({ name, _type, _originalType }) => [name, _type, _originalType]),
    [['Auditor', 'access', 'identity']],
  );
});

test('a type-ahead chooses the documents, which are the hits', async () => {
  const answer = await ask({
    queryType: 'TYPEAHEAD',
    typeAheadQuery: { query: 'ro', field: 'attributes.city', size: 1 },
    aggregationsDsl: { people: { value_count: { field: 'id' } } },
    sort: ['-id'],
  });
  const { aggregations: results, hits } = (await answer.json()) as Answer;
  assert.deepEqual(results, { people: { value: 2 } });
  assert.deepEqual(
    hits.map(({ id }) => id),
    ['i2', 'i1'],
  );
});

for (const path of publicPrefixes('/search')) {
  test(`is served under ${path}/aggregate`, async () => {
    const answer = await ask(
      { aggregationsDsl: { a: { max: { field: 'accountCount' } } } },
      '?limit=0',
      `${path}/aggregate`,
    );
    assert.deepEqual(await answer.json(), { aggregations: { a: { value: 3 } }, hits: [] });
  });
}
