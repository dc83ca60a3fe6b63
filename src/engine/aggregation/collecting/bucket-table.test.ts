import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../../../test/differential/random.ts';
import { BucketTable } from './bucket-table.ts';

test('each pair of owner and key is one bucket', () => {
  for (let seed = 0; seed < 40; seed++) {
    const random = new Random(seed);
    const table = new BucketTable();
    const keys = random.pick([3, 200, 5000]);
    const owners = random.pick([1, 40, 3000]);
    const bucketByPair = new Map<string, number>();
    const byOwner = new Map<number, number[]>();
    for (let step = 0; step < 4000; step++) {
      const owner = random.int(owners);
      const key = random.int(keys);
      const expected = bucketByPair.get(`${owner} ${key}`) ?? bucketByPair.size;
      if (expected === bucketByPair.size)
        byOwner.set(owner, [...(byOwner.get(owner) ?? []), expected]);
      bucketByPair.set(`${owner} ${key}`, expected);
      assert.equal(table.find(owner, key), expected, `seed ${seed}`);
      assert.equal(table.keyOf(expected), key);
      table.counts[expected]! += 1;
    }
    assert.equal(table.size, bucketByPair.size);
    let counted = 0;
    for (let owner = 0; owner <= owners; owner++) {
      const numbers = byOwner.get(owner) ?? [];
      assert.deepEqual([...table.of(owner)], numbers);
      for (const number of numbers) counted += table.counts[number]!;
    }
    assert.equal(counted, 4000);
  }
});
