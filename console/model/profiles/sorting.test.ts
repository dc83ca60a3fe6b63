import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { reversedWindow, serviceOrder, sortedBy, sortOf } from './sorting.ts';

test('reads orders of the service and of attributes', () => {
  assert.deepEqual(sortOf(null), { field: 'name', isDescending: false });
  assert.deepEqual(sortOf('-updated_at'), { field: 'updated_at', isDescending: true });
  assert.equal(serviceOrder(sortOf('-updated_at')), 'updated_at');
  assert.equal(serviceOrder(sortOf('attributes.end_date')), null);
});

test('pages from the end show every row once, in the reversed order', () => {
  fc.assert(
    fc.property(fc.nat(200), fc.integer({ min: 1, max: 60 }), (total, size) => {
      const all = Array.from({ length: total }, (_, n) => n);
      const seen: number[] = [];
      for (let offset = 0; ; offset += size) {
        const window = reversedWindow(offset, size, total);
        if (window === null) break;
        seen.push(...all.slice(window.offset, window.offset + window.limit).reverse());
      }
      assert.deepEqual(seen, all.reverse());
    }),
  );
});

const sorted = (texts: string[], isDescending = false) =>
  sortedBy(texts, (text) => text, { field: 'x', isDescending }).join(' ');

test('sorts words without case, numbers by value, and missing ones last', () => {
  assert.equal(sorted(['b', '', 'A', 'ä', 'C']), 'A ä b C ');
  assert.equal(sorted(['b', '', 'A'], true), 'b A ');
  assert.equal(sorted(['10', '9', '-1', '2.5']), '-1 2.5 9 10');
  assert.equal(sorted(['2026-02-01', '2025-12-31', '']), '2025-12-31 2026-02-01 ');
});
