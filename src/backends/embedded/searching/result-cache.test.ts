import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteCache } from '../../../engine/sections/byte-cache.ts';
import type { Plan } from '../../../query/plan.ts';
import { createCaches } from '../indexes/cache-sizes.ts';
import { EmbeddedIndex } from '../indexes/embedded-index.ts';
import { ResultCache } from './result-cache.ts';

const planOf = (size: number): Plan => ({
  targets: [{ index: 'identities', query: { kind: 'matchAll' } }],
  ...{ sort: [], from: 0, size, trackTotal: true },
  source: { includes: [], excludes: [], nested: true },
});

test('keeps the result of a request from its second time on, until tenant, plan or index changes', async () => {
  const caches = createCaches({ documents: 0, positions: 0, queries: 0, results: 2 ** 20 });
  const cache = new ResultCache(caches.results);
  const index = new EmbeddedIndex('a', 'identities', caches);
  let computed = 0;
  /** All requests share a hash, as some different ones do. */
  const count = (tenant: string, plan: Plan, indexes: readonly EmbeddedIndex[]) =>
    cache.through('count', tenant, { plan, requestHash: 1 }, indexes, async () => ++computed);
  assert.equal(await count('a', planOf(0), [index]), 1);
  assert.equal(await count('a', planOf(0), [index]), 2);
  assert.equal(await count('a', planOf(0), [index]), 2);
  assert.equal(await count('b', planOf(0), [index]), 3);
  assert.equal(await count('a', planOf(1), [index]), 4);
  assert.equal(await count('a', planOf(0), []), 5);
  index.clear();
  assert.equal(caches.results.figures.bytes, 0);
  assert.equal(await count('a', planOf(0), [index]), 6);
  const another = new EmbeddedIndex('a', 'identities', caches);
  assert.equal(await count('a', planOf(0), [another]), 7);
  assert.equal(await count('a', planOf(0), [index]), 6);
});

test('keeps nothing of requests that come once', async () => {
  const results = new ByteCache<unknown, string>(2 ** 20);
  const cache = new ResultCache(results);
  const index = { views: [], state: 1 };
  for (let requestHash = 1; requestHash < 100; requestHash++) {
    await cache.through(
      'count',
      'a',
      { plan: planOf(requestHash), requestHash },
      [index],
      async () => 1,
    );
  }
  assert.equal(results.figures.bytes, 0);
});

test('does not cache a failed request', async () => {
  const cache = new ResultCache(new ByteCache(2 ** 20));
  const indexes = [{ views: [], state: 1 }];
  const request = { plan: planOf(0), requestHash: 1 };
  const fail = () => Promise.reject(new Error('no'));
  await assert.rejects(cache.through('search', 'a', request, indexes, fail), /no/);
  await assert.rejects(cache.through('search', 'a', request, indexes, fail), /no/);
  assert.equal(await cache.through('search', 'a', request, indexes, async () => 7), 7);
});
