import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { limitRowMemory, RowMemory } from './row-memory.ts';

const LIMIT = 64 * 2 ** 20;

afterEach(() => limitRowMemory(LIMIT));

test('parts have their own keys and share one limit', () => {
  limitRowMemory(10_000);
  const sets = new RowMemory<number>('x');
  const orders = new RowMemory<string>('y');
  sets.add('1', 1, 1000);
  orders.add('1', 'one', 1000);
  assert.equal(sets.get('1'), 1);
  assert.equal(orders.get('1'), 'one');
  for (let other = 2; other < 20; other++) orders.add(`${other}`, 'another', 1000);
  assert.equal(sets.get('1'), undefined);
  assert.equal(orders.get('19'), 'another');
});

test('does not cache a value of half the limit', () => {
  limitRowMemory(10_000);
  const sets = new RowMemory<number>('x');
  assert.ok(sets.takes(4_000));
  assert.ok(!sets.takes(5_000));
  sets.add('large', 1, 5_000);
  assert.equal(sets.get('large'), undefined);
});

test('countUse is true after the given number of uses', () => {
  const sets = new RowMemory<number>('x');
  assert.equal(sets.countUse('key'), false);
  assert.equal(sets.countUse('key'), true);
  assert.equal(new RowMemory<number>('y').countUse('key'), false);
  assert.deepEqual(
    [1, 2, 3, 4].map(() => sets.countUse('expensive', 2)),
    [false, false, true, true],
  );
});
