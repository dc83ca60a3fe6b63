// POST /search/aggregate through the whole service: what is refused, in which words, before anything is counted.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type RunningService, startService } from '../support/service.ts';
import { aggregationCalls, documents } from './aggregation-calls.ts';

let service: RunningService;

before(async () => {
  service = await startService();
  await service.addDocuments(documents());
});
after(() => service.stop());

const { ask, dsl, refused, sailpoint } = aggregationCalls(() => service);

describe('refusals', () => {
  const nest = (levels: number): object => ({
    a: { terms: { field: 'name' }, ...(levels > 1 && { aggs: nest(levels - 1) }) },
  });

  const chain = (levels: number): object => ({
    bucket: { name: `b${levels}`, field: 'name' },
    ...(levels > 1 && { subAggregation: chain(levels - 1) }),
  });

  test('five levels are served, six are not, in either form', async () => {
    await dsl(nest(5));
    await refused({ aggregationsDsl: nest(6) }, /levels of aggregations/);
    assert.match(JSON.stringify(await sailpoint(chain(5))), /"b5".*"b4".*"b3".*"b2".*"b1"/);
    await refused(
      { aggregationType: 'SAILPOINT', aggregations: chain(6) },
      /levels of aggregations/,
    );
  });

  test('a name that the buckets around it have themselves is refused with its place', async () => {
    const sum = { sum: { field: 'accountCount' } };
    const inside = (around: object, name: string) => ({ a: { ...around, aggs: { [name]: sum } } });
    const of = { field: 'accountCount' };
    const parents: readonly (readonly [object, readonly string[]])[] = [
      [{ terms: { field: 'name' } }, ['doc_count', 'key', 'key_as_string']],
      [{ histogram: { ...of, interval: 1 } }, ['doc_count', 'key', 'key_as_string']],
      [{ composite: { sources: [{ a: { terms: of } }] } }, ['doc_count', 'key']],
      [{ range: { ...of, ranges: [{ to: 1 }] } }, ['doc_count', 'key', 'from', 'to']],
      [
        { date_range: { field: 'created', ranges: [{ to: '2024' }] } },
        ['from_as_string', 'to_as_string'],
      ],
      [{ filter: { match_all: {} } }, ['doc_count']],
      [{ filters: { filters: { x: { match_all: {} } } } }, ['doc_count']],
      [{ missing: { field: 'name' } }, ['doc_count']],
      [{ global: {} }, ['doc_count']],
    ];
    for (const [around, names] of parents) {
      for (const name of names) {
        const place = `aggregationsDsl\\.a\\.aggs\\.${name}: "${name}"`;
        await refused({ aggregationsDsl: inside(around, name) }, new RegExp(place));
      }
      await dsl(inside(around, 'load'));
    }
    // Where no bucket has such a member the name is free.
    await dsl(inside({ filter: { match_all: {} } }, 'key'));
    await dsl(inside({ terms: { field: 'name' } }, 'from'));
    await dsl({ doc_count: sum });
  });

  test('such a name is refused in the vendor form, too', async () => {
    const bucket = { name: 'City', field: 'attributes.city' };
    const metric = { name: 'doc_count', field: 'accountCount', type: 'SUM' };
    const cases: readonly (readonly [object, RegExp])[] = [
      [{ bucket, metric }, /^aggregations\.metric\.name: "doc_count"/],
      [{ bucket, metric: { ...metric, name: 'key_as_string' } }, /"key_as_string"/],
      [
        { bucket, subAggregation: { bucket: { ...bucket, name: 'key' } } },
        /^aggregations\.subAggregation\.bucket\.name: "key"/,
      ],
      [
        {
          nested: { name: 'Access', type: 'access' },
          metric: { ...metric, field: 'access.name', type: 'COUNT' },
        },
        /^aggregations\.metric\.name: "doc_count"/,
      ],
      [
        { metric: { ...metric, field: '@access.name', type: 'COUNT' } },
        /^aggregations\.metric\.name: "doc_count"/,
      ],
    ];
    for (const [spec, cause] of cases) {
      await refused({ aggregationType: 'SAILPOINT', aggregations: spec }, cause);
    }
    assert.deepEqual(await sailpoint({ metric }), { doc_count: { value: 5 } });
  });

  test('buckets that a keyed answer would lose are refused, also once they are known', async () => {
    const months = { field: 'created', calendar_interval: 'month', min_doc_count: 1, keyed: true };
    await refused(
      { aggregationsDsl: { a: { date_histogram: { ...months, format: 'yyyy' } } } },
      /keyed: the format gives several buckets the key "2024"/,
    );
    await dsl({ a: { date_histogram: { ...months, format: 'yyyy-MM' } } });
    const same = { field: 'accountCount', keyed: true, ranges: [{ to: 1 }, { to: 1 }] };
    await dsl({ a: { range: same } });
  });

  test('more buckets than can be told are refused before they are made', async () => {
    const each = { field: 'created', fixed_interval: '1ms' };
    const began = process.memoryUsage().heapUsed;
    await refused({ aggregationsDsl: { a: { date_histogram: each } } }, /more than 65536 buckets/);
    assert.ok(process.memoryUsage().heapUsed - began < 64 * 1024 * 1024);
    await refused(
      { aggregationsDsl: { a: { terms: { field: 'name', size: 70_000 } } } },
      /CARDEA_MAX_BUCKETS/,
    );
    await refused(
      { aggregationsDsl: { a: { histogram: { field: 'accountCount', interval: 1e-300 } } } },
      /65536/,
    );
  });

  test('what is not served is named with its place', async () => {
    const cases: readonly (readonly [object, RegExp])[] = [
      [{ a: { scripted_metric: {} } }, /aggregationsDsl\.a\.scripted_metric: is not supported/],
      [{ a: { terms: { field: 'name', script: 'x' } } }, /aggregationsDsl\.a\.terms\.script/],
      [{ a: { terms: {} } }, /aggregationsDsl\.a\.terms: needs field/],
      [{ a: {} }, /aggregationsDsl\.a: expected exactly one type/],
      [{ a: { avg: { field: 'name' } } }, /aggregationsDsl\.a\.avg\.field: name holds no numbers/],
      [{ a: { filter: { nope: {} } } }, /aggregationsDsl\.a\.filter\.nope/],
      [
        { a: { terms: { field: 'name', order: { x: 'asc' } } } },
        /aggregationsDsl\.a\.terms\.order/,
      ],
      [{ a: { reverse_nested: {} } }, /is only allowed inside nested/],
      [
        { a: { terms: { field: 'name' }, aggs: { g: { global: {} } } } },
        /is only allowed at the top level/,
      ],
      [
        { a: { date_histogram: { field: 'created', calendar_interval: 'fortnight' } } },
        /calendar_interval/,
      ],
      [
        {
          a: { date_histogram: { field: 'created', calendar_interval: 'day', time_zone: 'Mars' } },
        },
        /time_zone/,
      ],
      [{ 'a>b': { avg: { field: 'accountCount' } } }, /a name must not/],
    ];
    for (const [aggregationsDsl, cause] of cases) await refused({ aggregationsDsl }, cause);
  });

  test('the vendor form without aggregations, or with unknown types', async () => {
    await refused({ aggregationType: 'SAILPOINT' }, /aggregations: is required/);
    await refused({ aggregationType: 'sailpoint', aggregationsDsl: {} }, /aggregationType/);
    const metric = { name: 'a', field: 'name', type: 'MODE' };
    await refused({ aggregations: { metric } }, /aggregations\.metric\.type/);
    await refused({ aggregations: { bucket: { name: 'a' } } }, /aggregations\.bucket\.field/);
    await refused(
      { aggregations: { metric: 'x' } },
      /aggregations\.metric/,
      '400.0 Bad request syntax',
    );
  });

  test('a wrong JSON type is told before a wrong parameter', async () => {
    for (const body of [{ aggregationsDsl: 'x' }, { aggregations: 'x' }]) {
      const answer = await ask(body, '?limit=-1');
      assert.equal(answer.status, 400);
      const { detailCode } = (await answer.json()) as { detailCode: string };
      assert.equal(detailCode, '400.0 Bad request syntax');
    }
  });
});
