// suite: slow
import assert from 'node:assert/strict';
import test from 'node:test';
import { executedRanges, includes, union } from './executed-code.ts';

const range = (startOffset: number, endOffset: number, count: number) => ({
  startOffset,
  endOffset,
  count,
});

const FLATTENED = [
  { what: 'nothing executed', ranges: [range(0, 9, 0)], flat: [] },
  { what: 'a whole file', ranges: [range(0, 9, 1)], flat: [0, 9] },
  { what: 'a hole', ranges: [range(0, 9, 1), range(3, 5, 0)], flat: [0, 3, 5, 9] },
  { what: 'a hole at the end', ranges: [range(0, 9, 1), range(5, 9, 0)], flat: [0, 5] },
  {
    what: 'executed code in a hole',
    ranges: [range(0, 9, 1), range(2, 8, 0), range(4, 5, 3)],
    flat: [0, 2, 4, 5, 8, 9],
  },
  {
    what: 'two functions in turn',
    ranges: [range(0, 20, 1), range(2, 5, 0), range(5, 9, 0), range(12, 14, 2)],
    flat: [0, 2, 9, 20],
  },
  { what: 'ranges in any order', ranges: [range(3, 5, 0), range(0, 9, 1)], flat: [0, 3, 5, 9] },
];
for (const { what, ranges, flat } of FLATTENED) {
  test(`flattens the coverage of ${what} to [${flat.join(', ')}]`, () => {
    assert.deepEqual(executedRanges(ranges), flat);
  });
}

test('merges the executed ranges of two runs', () => {
  assert.deepEqual(union([0, 3, 8, 9], [2, 5, 20, 30]), [0, 5, 8, 9, 20, 30]);
  assert.deepEqual(union([0, 3], []), [0, 3]);
});

test('includes the start of a range, but not its end', () => {
  const offsets = [0, 1, 2, 3, 4, 5, 6, 7];
  assert.deepEqual(
    offsets.filter((offset) => includes([1, 3, 5, 6], offset)),
    [1, 2, 5],
  );
});
