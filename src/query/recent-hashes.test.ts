import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentHashes } from './recent-hashes.ts';

test('a hash is new the first time, and seen from then on', () => {
  const hashes = new RecentHashes();
  for (const hash of [1, -1, 0x7fffffff, 0xfffffff0]) {
    assert.deepEqual(
      [hashes.seen(hash), hashes.seen(hash), hashes.seen(hash)],
      [false, true, true],
    );
  }
});

test('a hash is forgotten when another one takes its slot', () => {
  const hashes = new RecentHashes();
  hashes.seen(5);
  for (let hash = 1; hash < 100_000; hash++) hashes.seen(hash);
  assert.equal(hashes.seen(5), false);
});
