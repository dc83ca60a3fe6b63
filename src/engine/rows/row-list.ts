// Short lists of rows, in place of bit sets that would be nearly empty.

/** A list takes less memory than a set if fewer than one row in this many is in it. */
const ROWS_PER_ENTRY = 64;

/** True if a list of this many rows takes less memory than a set of the table's rows. */
export function isFew(count: number, rowCount: number): boolean {
  return count * ROWS_PER_ENTRY <= rowCount;
}

/**
 * The index of the first row at or after `target`, from an index on; the number of rows if there is
 * none. A galloping search, as the target is mostly near.
 */
export function firstFrom(rows: Int32Array, from: number, target: number): number {
  let low = from;
  let high = from;
  for (let step = 1; high < rows.length && rows[high]! < target; step *= 2) {
    low = high + 1;
    high += step;
  }
  high = Math.min(high, rows.length);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rows[middle]! < target) low = middle + 1;
    else high = middle;
  }
  return Math.min(low, rows.length);
}

/** Sorts the rows in place and returns each of them once. */
export function sortedOnce(rows: Int32Array): Int32Array {
  if (rows.length <= 1) return rows;
  rows.sort();
  let count = 0;
  for (let at = 0; at < rows.length; at++) {
    if (at > 0 && rows[at] === rows[at - 1]) continue;
    rows[count++] = rows[at]!;
  }
  return rows.subarray(0, count);
}
