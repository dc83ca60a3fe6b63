import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GenerationCache } from './generation-cache.ts';

test('entries that are read stay, others are dropped, and the weight stays bounded', () => {
  const cache = new GenerationCache<number, string>(100);
  for (let key = 0; key < 1000; key++) {
    cache.add(key, `v${key}`, 5);
    assert.equal(cache.get(0), 'v0', `after ${key} more`);
  }
  const cachedKeys = Array.from({ length: 1000 }, (_, key) => key).filter(
    (key) => cache.get(key) !== undefined,
  );
  assert.ok(cachedKeys.length >= 10 && cachedKeys.length <= 20, `${cachedKeys.length} are cached`);
  assert.ok(cachedKeys.includes(999));
});

test('a value that is too heavy is not cached and evicts nothing', () => {
  const cache = new GenerationCache<string, number>(100);
  cache.add('light', 1, 10);
  cache.add('heavy', 2, 51);
  assert.equal(cache.get('heavy'), undefined);
  assert.equal(cache.get('light'), 1);
  const none = new GenerationCache<string, number>(0);
  none.add('a', 1, 1);
  assert.equal(none.get('a'), undefined);
});
