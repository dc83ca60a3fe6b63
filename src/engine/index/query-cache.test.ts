import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DerivedPart, KeyedPart, QueryCache } from './query-cache.ts';

const SETS = new KeyedPart<number>('set');
const ORDERS = new KeyedPart<string>('order');
const SEGMENT = { name: 's1' };
const OTHER = { name: 's1' };

test('parts have their own keys and share one limit', () => {
  const cache = new QueryCache(10_000);
  cache.add(SETS, [SEGMENT], '1', { value: 1, bytes: 1000 });
  cache.add(ORDERS, [SEGMENT], '1', { value: 'one', bytes: 1000 });
  assert.equal(cache.get(SETS, SEGMENT, '1'), 1);
  assert.equal(cache.get(ORDERS, SEGMENT, '1'), 'one');
  assert.equal(cache.get(SETS, OTHER, '1'), undefined);
  for (let key = 2; key < 20; key++) {
    cache.add(ORDERS, [SEGMENT], `${key}`, { value: 'another', bytes: 1000 });
  }
  assert.equal(cache.get(SETS, SEGMENT, '1'), undefined);
  assert.equal(cache.get(ORDERS, SEGMENT, '19'), 'another');
});

test('does not cache a value of half the limit', () => {
  const cache = new QueryCache(10_000);
  assert.ok(cache.takes(4_000));
  assert.ok(!cache.takes(5_000));
  cache.add(SETS, [SEGMENT], 'large', { value: 1, bytes: 5_000 });
  assert.equal(cache.get(SETS, SEGMENT, 'large'), undefined);
});

test('entries go with their segment, and a search that still runs in it adds none', () => {
  const cache = new QueryCache();
  const search = cache.forRequest();
  search.add(SETS, [SEGMENT], 'one', { value: 1, bytes: 8 });
  search.add(SETS, [OTHER, SEGMENT], 'both', { value: 2, bytes: 8 });
  search.add(SETS, [OTHER], 'other', { value: 3, bytes: 8 });
  cache.drop(SEGMENT);
  for (const key of ['one', 'both']) {
    search.add(SETS, [OTHER, SEGMENT], key, { value: 4, bytes: 8 });
    for (const owner of [SEGMENT, OTHER]) assert.equal(cache.get(SETS, owner, key), undefined);
  }
  assert.equal(cache.get(SETS, OTHER, 'other'), 3);
  cache.drop(OTHER);
  assert.equal(cache.figures.bytes, 0);
});

test('countUse counts the uses of each key of each part', () => {
  const cache = new QueryCache();
  assert.deepEqual(
    ['key', 'key', 'other', 'key'].map((key) => cache.countUse(SETS, key)),
    [1, 2, 1, 3],
  );
  assert.equal(cache.countUse(ORDERS, 'key'), 1);
});

test('a value of a request is created once in it, and unknown to others', () => {
  const cache = new QueryCache();
  let created = 0;
  const create = () => ++created;
  const request = cache.forRequest();
  assert.equal(request.ofRequest(SETS, 'new', create), 1);
  assert.equal(request.ofRequest(SETS, 'new', create), 1);
  assert.equal(request.get(SETS, SEGMENT, 'new'), undefined);
  assert.equal(cache.forRequest().ofRequest(SETS, 'new', create), 2);
});

test('entries and uses of all requests count together', () => {
  const cache = new QueryCache();
  const request = cache.forRequest();
  request.add(SETS, [SEGMENT], 'common', { value: 2, bytes: 8 });
  assert.equal(cache.forRequest().get(SETS, SEGMENT, 'common'), 2);
  assert.equal(request.countUse(SETS, 'common'), 1);
  assert.equal(cache.forRequest().countUse(SETS, 'common'), 2);
});

test('a derived value is created once for each object and cache', () => {
  let created = 0;
  const part = new DerivedPart((owner: { name: string }) => {
    created += 1;
    return { text: owner.name };
  });
  const cache = new QueryCache();
  const ada = { name: 'ada' };
  const value = cache.of(part, ada);
  assert.equal(cache.of(part, ada), value);
  assert.equal(cache.of(part, { name: 'bob' }).text, 'bob');
  assert.equal(created, 2);
  assert.notEqual(new QueryCache().of(part, ada), value);
  assert.equal(cache.forRequest().of(part, ada), value);
  const single = new DerivedPart(() => ({ text: 'one' }));
  assert.equal(cache.forRequest().single(single), cache.single(single));
});

test('no two objects have the same number', () => {
  const cache = new QueryCache();
  const [one, two] = [{}, {}];
  assert.notEqual(cache.numberOf(one), cache.numberOf(two));
  assert.equal(cache.numberOf(one), cache.numberOf(one));
});
