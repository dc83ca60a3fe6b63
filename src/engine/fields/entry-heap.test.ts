import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EntryHeap } from './entry-heap.ts';

test('entries come out in order, also when the first one is made later meanwhile', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), fc.array(fc.nat({ max: 1000 })), (keys, delays) => {
      const order = [...keys];
      const heap = new EntryHeap(keys.length, (a, b) => order[a]! < order[b]!);
      for (const entry of order.keys()) heap.add(entry);
      for (const delay of delays) {
        if (heap.size === 0) break;
        order[heap.first]! += delay;
        heap.sinkFirst();
      }
      const taken: number[] = [];
      while (heap.size > 0) taken.push(order[heap.removeFirst()]!);
      assert.deepEqual(
        taken,
        [...order].sort((a, b) => a - b),
      );
    }),
  );
});
