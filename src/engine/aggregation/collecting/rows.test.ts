import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../../../test/differential/random.ts';
import { newBitSet, setBit } from '../../rows/bit-set.ts';
import {
  BLOCK_ROWS,
  commonRows,
  countRows,
  elementsOf,
  hasRow,
  RowWalk,
  rowsWithout,
} from './rows.ts';

const SIZES = [1, 31, 32, 33, 64, 100, 1000, 3000];

function bitsOf(rows: Iterable<number>, rowCount: number): Uint32Array {
  const bits = newBitSet(rowCount);
  for (const row of rows) setBit(bits, row);
  return bits;
}

/** Returns some rows, none or all of them, including runs. */
function randomRows(random: Random, rowCount: number): number[] {
  const share = random.pick([0, 0.01, 0.3, 0.95, 1]);
  return Array.from({ length: rowCount }, (_, row) => row).filter(() => random.chance(share));
}

function walked(bits: Uint32Array | null, rowCount: number, max: number): number[] {
  const walk = new RowWalk(bits, rowCount);
  const rows: number[] = [];
  for (let count = walk.next(max); count > 0; count = walk.next(max)) {
    assert.ok(count <= max);
    rows.push(...walk.rows.subarray(0, count));
  }
  return rows;
}

test('a walk returns each row of a set once, in order, in blocks of any size', () => {
  const random = new Random(5);
  for (const rowCount of SIZES) {
    for (const max of [1, 7, 32, BLOCK_ROWS]) {
      const rows = randomRows(random, rowCount);
      assert.deepEqual(walked(bitsOf(rows, rowCount), rowCount, max), rows);
      const all = Array.from({ length: rowCount }, (_, row) => row);
      assert.deepEqual(walked(null, rowCount, max), all);
    }
  }
});

test('set operations agree with those on arrays of rows', () => {
  const random = new Random(6);
  for (const rowCount of SIZES) {
    for (let time = 0; time < 5; time++) {
      const left = randomRows(random, rowCount);
      const right = randomRows(random, rowCount);
      const bits = bitsOf(left, rowCount);
      const all = Array.from({ length: rowCount }, (_, row) => row);
      const other = all.filter((row) => !left.includes(row));
      assert.deepEqual(walked(rowsWithout(null, [bits], rowCount), rowCount, 64), other);
      const neither = other.filter((row) => !right.includes(row));
      const without = rowsWithout(null, [bits, bitsOf(right, rowCount)], rowCount);
      assert.deepEqual(walked(without, rowCount, 64), neither);
      assert.deepEqual(walked(rowsWithout(bits, [], rowCount), rowCount, 64), left);
      assert.deepEqual(walked(rowsWithout(bits, [null], rowCount), rowCount, 64), []);
      const common = commonRows(bits, bitsOf(right, rowCount), rowCount);
      const inBoth = left.filter((row) => right.includes(row));
      assert.deepEqual(walked(common.rows, rowCount, 64), inBoth);
      assert.equal(common.count, inBoth.length);
      assert.deepEqual(commonRows(bits, null, rowCount), { rows: bits, count: left.length });
      assert.deepEqual(commonRows(null, bits, rowCount), { rows: bits, count: left.length });
      assert.deepEqual(commonRows(null, null, rowCount), { rows: null, count: rowCount });
      assert.equal(countRows(bits, rowCount), left.length);
      assert.equal(countRows(null, rowCount), rowCount);
      for (const row of all) assert.equal(hasRow(bits, row), left.includes(row));
    }
  }
});

test('elementsOf returns the nested rows of documents', () => {
  const random = new Random(7);
  for (const rowCount of SIZES) {
    for (let time = 0; time < 10; time++) {
      const most = random.pick([1, 3, 90]);
      const firstRow = new Int32Array(rowCount + 1);
      for (let row = 0; row < rowCount; row++) {
        firstRow[row + 1] = firstRow[row]! + random.int(most + 1);
      }
      const documents = randomRows(random, rowCount);
      const expected = documents.flatMap((row) =>
        Array.from({ length: firstRow[row + 1]! - firstRow[row]! }, (_, at) => firstRow[row]! + at),
      );
      const elements = elementsOf(bitsOf(documents, rowCount), firstRow);
      assert.deepEqual(walked(elements.rows, firstRow[rowCount]!, BLOCK_ROWS), expected);
      assert.equal(elements.count, expected.length);
    }
  }
});
