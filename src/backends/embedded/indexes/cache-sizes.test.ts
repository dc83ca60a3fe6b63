import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cacheSizes, queriesLimit } from './cache-sizes.ts';

const MIB = 2 ** 20;

for (const memory of [0, 1, 16 * MIB, 256 * MIB, 6 * 1024 * MIB]) {
  test(`all caches together take the ${memory} bytes, and none a negative number`, () => {
    const sizes = Object.values(cacheSizes(memory));
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

test('what searches compute may take as much as the data, at least 16 MiB, at most its share', () => {
  const most = cacheSizes(6 * 1024 * MIB).queries;
  assert.equal(queriesLimit(most, 20_000), 16 * MIB);
  assert.equal(queriesLimit(most, 40 * MIB), 40 * MIB);
  assert.equal(queriesLimit(most, 4_000 * MIB), most);
  assert.equal(queriesLimit(2 * MIB, 4_000 * MIB), 2 * MIB);
});
