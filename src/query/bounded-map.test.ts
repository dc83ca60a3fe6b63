import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedMap } from './bounded-map.ts';

test('computes a value once, also an undefined one, until the map is full', () => {
  const map = new BoundedMap<string, number | undefined>(2);
  let computed = 0;
  const get = (key: string, value: number | undefined) =>
    map.getOrCreate(key, () => {
      computed += 1;
      return value;
    });
  assert.equal(get('a', 1), 1);
  assert.equal(get('b', undefined), undefined);
  assert.equal(get('a', 5), 1);
  assert.equal(get('b', 5), undefined);
  assert.equal(computed, 2);
  assert.equal(get('c', 3), 3);
  assert.equal(get('a', 6), 6, 'the map was emptied');
});
