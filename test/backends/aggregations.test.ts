// suite: shared A
// Aggregations of a size that random ones do not have: many values, many buckets, the best rows of all. The embedded engine
// and a real OpenSearch are fed the same and must answer alike; random trees are judged in test/differential/.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { DEFAULT_LIMITS } from '../../src/query/limits.ts';
import { NearestNames } from '../../src/query/mapping/nearest-name.ts';
import type { Plan } from '../../src/query/plan.ts';
import type { IndexName, Query } from '../../src/query/query.ts';
import type { SearchResult } from '../../src/service/ports/search-backend.ts';
import type { DocumentChange } from '../../src/service/ports/store.ts';
import { Random } from '../differential/random.ts';
import { MAPPING } from '../differential/random-mapping.ts';
import { type OpenSearch, sharedOpenSearch } from '../support/opensearch.ts';
import { planAggregate } from '../support/query-context.ts';
import { apply, feed, openPair, type Pair, put, TENANT } from './backend-pair.ts';

const SEED = Number(process.env['CARDEA_SEED'] ?? 20_261_121);

let openSearch: OpenSearch;
let folder: string;

before(async () => {
  openSearch = await sharedOpenSearch();
  folder = mkdtempSync(join(tmpdir(), 'cardea-aggregations-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

interface Asked {
  readonly indices: readonly IndexName[];
  readonly query: Query;
}

const ALL: Query = { kind: 'matchAll' };

function planOf(body: unknown, { indices, query }: Asked): Plan {
  const context = {
    mapping: () => MAPPING,
    now: 0,
    limits: DEFAULT_LIMITS,
    nearestNames: new NearestNames(),
  };
  const { plan } = planAggregate({ indices, aggregationsDsl: body }, { limit: '0' }, context);
  const targets = plan.targets.map((target) => ({ ...target, query }));
  return JSON.parse(JSON.stringify({ ...plan, targets })) as Plan;
}

const open = (name: string): Promise<Pair> =>
  openPair({ path: join(folder, name), url: openSearch.url, name }, () => MAPPING);

/** Sums may differ by their rounding. */
function checkSame(result: unknown, expected: unknown, path: string): void {
  if (typeof expected === 'number' && typeof result === 'number') {
    if (/squares|variance|deviation/.test(path)) return;
    const near = Math.abs(result - expected) <= 1e-9 * Math.max(1, Math.abs(expected));
    assert.ok(near, `${path}: ${result}, expected ${expected}`);
  } else if (isObject(expected) && isObject(result)) {
    assert.deepEqual(Object.keys(result), Object.keys(expected), path);
    for (const [name, one] of Object.entries(expected)) {
      checkSame(result[name], one, `${path}.${name}`);
    }
  } else assert.deepEqual(result, expected, path);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

test('the best rows by score are the same, in buckets, below nested arrays and back', async () => {
  const random = new Random(SEED + 1);
  const pair = await open('scored');
  await feed(pair, random, { indexes: ['identities'], updates: false });
  const hits = { top_hits: { size: 100, _source: false } };
  const body = {
    hits,
    statuses: { terms: { field: 'status' }, aggs: { hits } },
    accounts: {
      nested: { path: 'accounts' },
      aggs: { hits, names: { terms: { field: 'accounts.name' }, aggs: { hits } } },
    },
    counted: {
      terms: { field: 'active' },
      aggs: { hits: { top_hits: { size: 100, sort: [{ count: 'asc' }, '_score'] } } },
    },
    everything: { global: {}, aggs: { hits } },
  };
  const query = { kind: 'term', field: 'name', form: 'word', value: 'ada' } as const;
  const plan = planOf(body, { indices: ['identities'], query });
  const [expected, result] = await Promise.all(
    [pair.engine, pair.openSearch].map((one) => one.search(TENANT, plan, pair.options)),
  );
  await pair.close();
  const scores = scoresIn(expected?.aggregations?.value());
  const others = scoresIn(result?.aggregations?.value());
  assert.deepEqual([...others.keys()].sort(), [...scores.keys()].sort());
  assert.ok(scores.size > 100, `only ${scores.size} hits`);
  for (const [key, score] of scores) {
    const other = others.get(key) ?? Number.NaN;
    assert.ok(Math.abs(other - score) <= 1e-4, `${key}: ${other}, not ${score}`);
  }
});

/** Every hit and greatest score of an answer, by its place. */
function scoresIn(value: unknown, path = ''): Map<string, number> {
  if (!isObject(value)) return new Map();
  const { _id, _nested, _score, max_score: greatest } = value;
  if (_id !== undefined) {
    return new Map([[`${path} ${_id} ${JSON.stringify(_nested)}`, Number(_score)]]);
  }
  const own: [string, number][] = greatest === undefined ? [] : [[path, Number(greatest)]];
  const inside = Object.entries(value).flatMap(([name, one]) => {
    const place = Array.isArray(value) && isHit(one) ? path : `${path}.${name}`;
    return [...scoresIn(one, place)];
  });
  return new Map([...own, ...inside]);
}

const isHit = (value: unknown): boolean => isObject(value) && '_id' in value;

/** A hundred documents that share out so many tags and numbers, each of them there once. */
function numbered(count: number): DocumentChange[] {
  const each = count / 100;
  return Array.from({ length: 100 }, (_, at) => {
    const values = Array.from({ length: each }, (_value, one) => at * each + one);
    const tags = values.map((value) => `tag ${value}`);
    const counts = values.map((value) => (value * 7919) % count);
    return put(at + 1, 'identities', { id: `d${at}`, tags, count: counts });
  });
}

test('percentiles of many values are near the true ones on both', async () => {
  const pair = await open('percentiles');
  const count = 20_000;
  await apply(pair, numbered(count));
  const percents = [1, 5, 25, 50, 75, 95, 99];
  const body = {
    few: {
      filter: { ids: { values: Array.from({ length: 40 }, (_, at) => `d${at}`) } },
      aggs: { of: { percentiles: { field: 'count', percents } } },
    },
    many: { percentiles: { field: 'count', percents } },
  };
  const plan = planOf(body, { indices: ['identities'], query: ALL });
  const [expected, result] = (await Promise.all(
    [pair.engine, pair.openSearch].map((one) => one.search(TENANT, plan, pair.options)),
  )) as [SearchResult, SearchResult];
  await pair.close();
  assert.deepEqual(result.aggregations?.value()['few'], expected.aggregations?.value()['few']);
  for (const { aggregations } of [result, expected]) {
    const { values = {} } = (aggregations?.value()['many'] ?? {}) as {
      values?: Record<string, number>;
    };
    for (const percent of percents) {
      const value = values[`${percent}.0`] ?? Number.NaN;
      const off = Math.abs(value / count - percent / 100);
      assert.ok(off <= 0.005, `${percent} %: ${value}, off by ${off}`);
    }
  }
});

test('the largest buckets are the same where OpenSearch searches segments in slices', async () => {
  const settings = (value: unknown) =>
    fetch(`${openSearch.url}/_cluster/settings`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        persistent: {
          'search.concurrent_segment_search.mode': value === null ? null : 'all',
          'search.concurrent.max_slice_count': value,
        },
      }),
    });
  const pair = await open('slices');
  assert.equal((await settings(4)).status, 200);
  try {
    // The tag that is second in each segment is the first of all.
    for (const [round, most] of ['a', 'b', 'c', 'd'].entries()) {
      const tags = [
        most,
        most,
        most,
        'all',
        'all',
        ...Array.from({ length: 40 }, (_, at) => `${at}`),
      ];
      const documents = tags.map((tag, at) => ({ id: `${most}${at}`, tags: [tag] }));
      await apply(
        pair,
        documents.map((one, at) => put(round * 100 + at + 1, 'identities', one)),
      );
    }
    const body = {
      first: { terms: { field: 'tags.exact', size: 1 } },
      inside: { global: {}, aggs: { first: { terms: { field: 'tags.exact', size: 2 } } } },
    };
    const plan = planOf(body, { indices: ['identities'], query: ALL });
    const [expected, result] = await Promise.all(
      [pair.engine, pair.openSearch].map((one) => one.search(TENANT, plan, pair.options)),
    );
    const value = expected?.aggregations?.value();
    assert.match(JSON.stringify(value?.['first']), /"key":"all","doc_count":8/);
    checkSame(result?.aggregations?.value(), value, '');
  } finally {
    await settings(null);
    await pair.close();
  }
});

test('more buckets than OpenSearch makes at a time are gathered part by part', async () => {
  const pair = await open('parts');
  const count = 70_000;
  await apply(pair, numbered(count));
  const body = {
    tags: { terms: { field: 'tags.exact', size: 5, order: { _key: 'desc' } } },
    distinct: { cardinality: { field: 'tags.exact' } },
    all: { global: {}, aggs: { sum: { sum: { field: 'count' } } } },
    page: {
      composite: {
        size: 3,
        sources: [{ count: { terms: { field: 'count', order: 'desc' } } }],
        after: { count: 66_000 },
      },
    },
  };
  const plan = planOf(body, { indices: ['identities'], query: ALL });
  const expected = await pair.engine.search(TENANT, plan, pair.options);
  const result = await pair.openSearch.search(TENANT, plan, pair.options);
  await pair.close();
  checkSame(result.aggregations?.value(), expected.aggregations?.value(), 'aggregations');
  assert.deepEqual(result.aggregations?.value()['distinct'], { value: count });
});

test('one document with more buckets than OpenSearch makes is a limit that is told', async () => {
  const pair = await open('buckets');
  const tags = Array.from({ length: 300 }, (_, at) => `tag ${at}`);
  await apply(pair, [put(1, 'identities', { id: 'd1', tags })]);
  const terms = { field: 'tags.exact', size: 300 };
  const body = { pairs: { terms, aggs: { others: { terms } } } };
  const plan = planOf(body, { indices: ['identities'], query: ALL });
  const refused = pair.openSearch.search(TENANT, plan, pair.options);
  await assert.rejects(refused, { code: 'limit_exceeded', message: /search\.max_buckets/ });
  await pair.close();
});
