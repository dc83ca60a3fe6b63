import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { inversionsOf, isotonic } from './sequences.ts';

const numbers = fc.array(fc.integer({ min: -50, max: 50 }), { maxLength: 40 });

test('keeps what is sorted, and pools what is not', () => {
  assert.deepEqual(isotonic([1, 2, 2, 9]), [1, 2, 2, 9]);
  assert.deepEqual(isotonic([4, 2, 3, 9]), [3, 3, 3, 9]);
  assert.deepEqual(isotonic([]), []);
});

test('is sorted and keeps the sum', () => {
  fc.assert(
    fc.property(numbers, (values) => {
      const regression = isotonic(values);
      const sum = (list: readonly number[]) => list.reduce((total, value) => total + value, 0);
      assert.ok(Math.abs(sum(regression) - sum(values)) < 1e-6);
      for (const [at, value] of regression.entries())
        assert.ok(at === 0 || (regression[at - 1] ?? 0) <= value + 1e-9);
    }),
  );
});

test('counts the pairs in the wrong order, as a double loop does', () => {
  fc.assert(
    fc.property(numbers, (values) => {
      const pairs = values.flatMap((value, at) => values.slice(at + 1).filter((o) => o < value));
      assert.equal(inversionsOf(values), pairs.length);
    }),
  );
});
