import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Plan } from '../../../query/plan.ts';
import { EmbeddedIndex } from '../embedded-index.ts';
import { ResultCache } from './result-cache.ts';

const plan = (size: number): Plan => ({
  targets: [{ index: 'identities', query: { kind: 'matchAll' } }],
  ...{ sort: [], from: 0, size, trackTotal: true },
  source: { includes: [], excludes: [], nested: true },
});

test('the same question is answered once, until tenant, plan or index is another', async () => {
  const cache = new ResultCache();
  const index = new EmbeddedIndex('a', 'identities');
  let computed = 0;
  const ask = (tenant: string, asked: Plan, indexes: readonly EmbeddedIndex[]) =>
    cache.through('count', tenant, asked, indexes, async () => ++computed);
  assert.equal(await ask('a', plan(0), [index]), 1);
  assert.equal(await ask('a', plan(0), [index]), 1);
  assert.equal(await ask('b', plan(0), [index]), 2);
  assert.equal(await ask('a', plan(1), [index]), 3);
  assert.equal(await ask('a', plan(0), []), 4);
  index.clear();
  assert.equal(await ask('a', plan(0), [index]), 5);
  const another = new EmbeddedIndex('a', 'identities');
  assert.equal(await ask('a', plan(0), [another]), 6);
  assert.equal(await ask('a', plan(0), [index]), 5);
});

test('a question that failed is asked again', async () => {
  const cache = new ResultCache();
  const fail = () => Promise.reject(new Error('no'));
  await assert.rejects(cache.through('search', 'a', plan(0), [], fail), /no/);
  assert.equal(await cache.through('search', 'a', plan(0), [], async () => 7), 7);
});
