import assert from 'node:assert/strict';
import { test } from 'node:test';
import { availableCores } from './available-cores.ts';

for (const [quota, cores] of [
  ['max 100000\n', 8],
  ['200000 100000\n', 2],
  ['150000 100000\n', 2],
  ['5000 100000\n', 1],
  ['1600000 100000\n', 8],
  ['', 8],
] as const) {
  test(`of 8 cores a quota of "${quota.trim()}" leaves ${cores}`, () => {
    assert.equal(
      availableCores(8, () => quota),
      cores,
    );
  });
}

test('without a quota all cores may be used', () => {
  const none = () => {
    throw new Error('no such file');
  };
  assert.equal(availableCores(3, none), 3);
});
