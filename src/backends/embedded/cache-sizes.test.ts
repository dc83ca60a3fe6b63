import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cacheSizes } from './cache-sizes.ts';

const MIB = 2 ** 20;

for (const memory of [0, 1, 16 * MIB, 256 * MIB, 6 * 1024 * MIB]) {
  test(`all caches together take the ${memory} bytes, and none a negative number`, () => {
    const { workers, ...own } = cacheSizes(memory);
    const sizes = [...Object.values(own), ...Object.values(workers)];
    assert.equal(
      sizes.reduce((sum, size) => sum + size, 0),
      memory,
    );
    assert.ok(sizes.every((size) => size >= 0 && Number.isInteger(size)));
  });
}

test('of a large memory documents get most, of a small one half', () => {
  assert.ok(cacheSizes(6 * 1024 * MIB).documents > 0.8 * 6 * 1024 * MIB);
  assert.ok(cacheSizes(64 * MIB).documents >= 32 * MIB);
});
