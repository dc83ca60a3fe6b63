import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedMap } from './bounded-map.ts';

/** The keys of `candidates` that a map still has. */
const keysOf = (map: BoundedMap<number, number>, candidates: readonly number[]) =>
  candidates.filter((key) => map.get(key) !== undefined);

test('computes a value once, also one that is null', () => {
  const map = new BoundedMap<string, number | null>({ kept: 2 });
  let computed = 0;
  for (const value of [null, 1, 2]) {
    const create = () => {
      computed += 1;
      return value;
    };
    assert.equal(map.getOrCreate('a', create), null);
  }
  assert.equal(computed, 1);
});

test('the entries used last stay, at most twice as many are held', () => {
  const map = new BoundedMap<number, number>({ kept: 10 });
  for (let key = 0; key < 1_000; key++) {
    map.add(key, key);
    assert.equal(map.get(0), 0, 'what is used again and again stays');
  }
  const all = Array.from({ length: 1_000 }, (_, key) => key);
  for (const key of [999, 998, 997, 996, 995, 994, 993, 992, 991]) assert.equal(map.get(key), key);
  assert.ok(keysOf(map, all).length <= 20);
});

test('an entry is replaced, and deleted, whenever it was added', () => {
  for (let others = 0; others <= 5; others++) {
    const map = new BoundedMap<number, number>({ kept: 3 });
    map.add(-1, 1);
    for (let key = 0; key < others; key++) map.add(key, key);
    map.add(-1, 2);
    assert.equal(map.get(-1), 2, `after ${others} others`);
    map.delete(-1);
    assert.equal(map.get(-1), undefined, `after ${others} others`);
    map.add(-1, 3);
    map.clear();
    assert.deepEqual(keysOf(map, [-1, 0, 1, 2, 3, 4]), [], `after ${others} others`);
  }
});

test('keeps nothing of longer keys, nor with room for none', () => {
  const short = new BoundedMap<string, number>({ kept: 2, keyMax: 3 });
  assert.equal(short.add('abc', 1), 1);
  assert.equal(short.add('abcd', 2), 2);
  assert.deepEqual([short.get('abc'), short.get('abcd')], [1, undefined]);
  const none = new BoundedMap<string, number>({ kept: 0 });
  assert.equal(none.add('a', 1), 1);
  assert.equal(none.get('a'), undefined);
});
