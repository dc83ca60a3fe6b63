import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueryCache } from '../../../engine/index/query-cache.ts';
import type { Plan } from '../../../query/plan.ts';
import { EmbeddedIndex } from '../embedded-index.ts';
import { ResultCache } from './result-cache.ts';

const plan = (size: number): Plan => ({
  targets: [{ index: 'identities', query: { kind: 'matchAll' } }],
  ...{ sort: [], from: 0, size, trackTotal: true },
  source: { includes: [], excludes: [], nested: true },
});

test('computes a repeated request once, until tenant, plan or index changes', async () => {
  const cache = new ResultCache(2 ** 20);
  const queries = new QueryCache();
  const index = new EmbeddedIndex('a', 'identities', queries);
  let computed = 0;
  const count = (tenant: string, requested: Plan, indexes: readonly EmbeddedIndex[]) =>
    cache.through('count', tenant, requested, indexes, async () => ++computed);
  assert.equal(await count('a', plan(0), [index]), 1);
  assert.equal(await count('a', plan(0), [index]), 1);
  assert.equal(await count('b', plan(0), [index]), 2);
  assert.equal(await count('a', plan(1), [index]), 3);
  assert.equal(await count('a', plan(0), []), 4);
  index.clear();
  assert.equal(await count('a', plan(0), [index]), 5);
  const another = new EmbeddedIndex('a', 'identities', queries);
  assert.equal(await count('a', plan(0), [another]), 6);
  assert.equal(await count('a', plan(0), [index]), 5);
});

test('does not cache a failed request', async () => {
  const cache = new ResultCache(2 ** 20);
  const fail = () => Promise.reject(new Error('no'));
  await assert.rejects(cache.through('search', 'a', plan(0), [], fail), /no/);
  assert.equal(await cache.through('search', 'a', plan(0), [], async () => 7), 7);
});
