import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteCache } from './byte-cache.ts';

/** Room for about four values of this size. */
const BYTES = 10_000;
const ROOM = 4 * (BYTES + 400);

function asked(cache: ByteCache<string>, key: number): 'found' | 'added' | 'left out' {
  if (cache.get(key) !== undefined) return 'found';
  if (!cache.wants(key)) return 'left out';
  cache.add(key, `value ${key}`, BYTES);
  return 'added';
}

test('while there is room each value is added', () => {
  const cache = new ByteCache<string>(ROOM);
  const first = cache.takeKeys(4);
  for (let key = first; key < first + 4; key++) assert.equal(asked(cache, key), 'added');
  for (let key = first; key < first + 4; key++) assert.equal(asked(cache, key), 'found');
});

test('without room a value is added when it is missed a second time', () => {
  const cache = new ByteCache<string>(ROOM);
  const first = cache.takeKeys(100);
  for (let key = first; key < first + 50; key++) asked(cache, key);
  assert.equal(asked(cache, 70), 'left out');
  assert.equal(asked(cache, 70), 'added');
  assert.equal(asked(cache, 70), 'found');
});

test('what is dropped makes room, and the bytes of it no longer count', () => {
  const cache = new ByteCache<string>(ROOM);
  const first = cache.takeKeys(100);
  for (let key = first; key < first + 50; key++) asked(cache, key);
  cache.drop(first, 100);
  assert.equal(cache.figures.bytes, 0);
  assert.equal(asked(cache, 70), 'added');
});

test('a value in use stays while others come and go', () => {
  const cache = new ByteCache<string>(ROOM);
  const first = cache.takeKeys(100);
  for (let key = first; key < first + 100; key++) {
    cache.add(key, 'value', BYTES);
    assert.equal(cache.get(first), 'value', `after ${key}`);
    assert.ok(cache.figures.bytes <= ROOM);
  }
});

test('a cache of no bytes takes no value', () => {
  assert.equal(asked(new ByteCache<string>(0), 1), 'left out');
});
