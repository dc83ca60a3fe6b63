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

test('uses are counted, up to 65,535', () => {
  const hashes = new RecentHashes(64);
  assert.deepEqual(
    [7, 7, 0, 7, 0].map((hash) => hashes.use(hash)),
    [1, 2, 1, 3, 2],
  );
  for (let time = 0; time < 70_000; time++) hashes.use(7);
  assert.equal(hashes.use(7), 65_535);
});

test('a hash is forgotten when another one takes its slot', () => {
  const hashes = new RecentHashes();
  hashes.seen(5);
  for (let hash = 1; hash < 100_000; hash++) hashes.seen(hash);
  assert.equal(hashes.seen(5), false);
});
