import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GenerationCache } from './generation-cache.ts';

test('what is asked for stays, what is not goes, and the weight stays bounded', () => {
  const cache = new GenerationCache<number, string>(100);
  for (let key = 0; key < 1000; key++) {
    cache.add(key, `v${key}`, 5);
    assert.equal(cache.get(0), 'v0', `after ${key} more`);
  }
  const kept = Array.from({ length: 1000 }, (_, key) => key).filter(
    (key) => cache.get(key) !== undefined,
  );
  assert.ok(kept.length >= 10 && kept.length <= 20, `${kept.length} are kept`);
  assert.ok(kept.includes(999));
});

test('a value that is too heavy is not taken, and puts nothing out', () => {
  const cache = new GenerationCache<string, number>(100);
  cache.add('light', 1, 10);
  cache.add('heavy', 2, 51);
  assert.equal(cache.get('heavy'), undefined);
  assert.equal(cache.get('light'), 1);
  const none = new GenerationCache<string, number>(0);
  none.add('a', 1, 1);
  assert.equal(none.get('a'), undefined);
});
