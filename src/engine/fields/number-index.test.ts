import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { crc32 } from '../sections/checksum.ts';
import { SectionReader, SectionWriter } from '../sections/codec.ts';
import { MemorySink, memoryIndex } from '../sections/index-source.ts';
import {
  NumberColumnBuilder,
  type NumberIndexRef,
  openNumberIndex,
  writeNumberIndex,
} from './number-index.ts';
import { sortPairs } from './sort-pairs.ts';

const number = fc.oneof(
  fc.integer({ min: -2, max: 2 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: 1_500_000_000_000, max: 1_800_000_000_000 }),
);
const sparsely = (numbers: fc.Arbitrary<number[]>) =>
  fc.array(
    fc.oneof(
      { weight: 20, arbitrary: fc.constant([] as number[]) },
      { weight: 1, arbitrary: numbers },
    ),
    {
      minLength: 60,
      maxLength: 200,
    },
  );
const kinds: Record<string, fc.Arbitrary<number[][]>> = {
  'few distinct numbers, one per row': fc.array(
    fc.array(fc.constantFrom(0, 1, -0), { maxLength: 1 }),
  ),
  'few distinct numbers, several a row': fc.array(
    fc.array(fc.constantFrom(0, 1, 7.5), { maxLength: 3 }),
  ),
  'few rows, one number each': sparsely(fc.tuple(number)),
  'few rows, several numbers each': sparsely(fc.array(number, { maxLength: 3 })),
  'few rows, many numbers each': sparsely(fc.array(number, { minLength: 200, maxLength: 300 })),
  'many rows of which few have a number': fc
    .array(number, { minLength: 300, maxLength: 400 })
    .map((all) => all.flatMap((value) => [[value], ...Array.from({ length: 9 }, () => [])])),
  'any numbers': fc.array(fc.array(number, { maxLength: 2 })),
  'many numbers, one per row': fc.array(fc.array(number, { minLength: 1, maxLength: 1 }), {
    minLength: 300,
    maxLength: 400,
  }),
  'many numbers, several a row': fc.array(fc.array(number, { maxLength: 3 }), {
    minLength: 300,
    maxLength: 400,
  }),
};

for (const [kind, rows] of Object.entries(kinds)) {
  test(`a number column is read as it was written: ${kind}`, () => {
    fc.assert(fc.property(rows, checkColumn), { numRuns: 40 });
  });
}

function checkColumn(rows: readonly (readonly number[])[]): void {
  const column = new NumberColumnBuilder();
  rows.forEach((numbers, row) => {
    for (const value of numbers) column.push(row, value);
  });
  const sink = new MemorySink();
  const sections = new SectionWriter(sink, crc32);
  const ref = writeNumberIndex(sections, column, rows.length);
  const flat = rows.flatMap((numbers, row) => numbers.map((value) => ({ value: value + 0, row })));
  assert.equal(ref === null, flat.length === 0);
  if (ref === null) return;
  sections.finish({ ref });
  const reader = new SectionReader('test', memoryIndex(sink.finish(), 'unknown'), crc32);
  const index = openNumberIndex(reader, (reader.contents as { ref: NumberIndexRef }).ref);
  assert.equal(index.docCount, rows.filter((numbers) => numbers.length > 0).length);
  flat.sort((a, b) => a.value - b.value || a.row - b.row);
  assert.deepEqual(
    [...index.sortedValues],
    flat.map(({ value }) => value),
  );
  assert.deepEqual(
    [...index.sortedRows],
    flat.map(({ row }) => row),
  );
  rows.forEach((numbers, row) => {
    const expected = numbers.map((value) => value + 0).sort((a, b) => a - b);
    const { start, values } = index;
    if (start !== null) assert.deepEqual([...values.slice(start[row], start[row + 1])], expected);
    else assert.deepEqual(values[row], expected[0] ?? Number.NaN);
  });
}

test('sorting pairs agrees with a stable comparison sort', () => {
  fc.assert(
    fc.property(fc.array(number, { maxLength: 300 }), (numbers) => {
      const values = Float64Array.from(numbers, (value) => value + 0);
      const rows = Int32Array.from(numbers, (_, i) => i);
      const expected = [...values.entries()].sort((a, b) => a[1] - b[1]);
      sortPairs(values, rows);
      assert.deepEqual(
        [...values],
        expected.map(([, value]) => value),
      );
      assert.deepEqual(
        [...rows],
        expected.map(([row]) => row),
      );
    }),
  );
});
