// Sets of rows of a table, handed to collectors in blocks, so that inner loops are plain loops over
// an array without a call per row.
// Invariant: rows ascend.

import { bitCount, countBits, hasBit, lowestBit } from '../../rows/bit-set.ts';
import { allLive } from '../../sections/live-docs.ts';

/** Maximum number of rows in a block. */
export const BLOCK_ROWS = 1024;

/** Rows of a table: those in a bit set; null means all. */
export type RowSet = Uint32Array | null;

/** @param rowCount of the table */
export function countRows(rows: RowSet, rowCount: number): number {
  return rows === null ? rowCount : countBits(rows, null);
}

export function hasRow(rows: RowSet, row: number): boolean {
  return rows === null || hasBit(rows, row);
}

/** Iterates over a set of rows in blocks. */
export class RowWalk {
  /** The rows of the last block. */
  readonly rows = new Int32Array(BLOCK_ROWS);
  readonly #bits: RowSet;
  readonly #rowCount: number;
  #word = 0;
  /** The bits of that word that are still to be returned. */
  #rest: number;
  #row = 0;

  constructor(bits: RowSet, rowCount: number) {
    this.#bits = bits;
    this.#rowCount = rowCount;
    this.#rest = bits?.[0] ?? 0;
  }

  /** Puts up to `max` next rows into `rows` and returns their number, 0 at the end. */
  next(max: number): number {
    return this.#bits === null ? this.#nextOfAll(max) : this.#nextOf(this.#bits, max);
  }

  #nextOfAll(max: number): number {
    const first = this.#row;
    const count = Math.min(max, this.#rowCount - first);
    for (let i = 0; i < count; i++) this.rows[i] = first + i;
    this.#row = first + count;
    return count;
  }

  #nextOf(bits: Uint32Array, max: number): number {
    const rows = this.rows;
    let word = this.#word;
    let rest = this.#rest | 0;
    let count = 0;
    while (count < max) {
      if (rest === 0) {
        word += 1;
        if (word >= bits.length) break;
        rest = bits[word]! | 0;
        continue;
      }
      const low = rest & -rest;
      rows[count++] = (word << 5) + lowestBit(low);
      rest ^= low;
    }
    this.#word = word;
    this.#rest = rest;
    return count;
  }
}

/** A buffer of rows and their buckets that a collector passes to its sub-aggregations. */
export class RowBlock {
  readonly rows = new Int32Array(BLOCK_ROWS);
  readonly buckets = new Int32Array(BLOCK_ROWS);
}

/** A set of rows and their number. */
export interface CountedSet {
  readonly rows: RowSet;
  readonly count: number;
}

/**
 * Returns the elements of documents.
 * @param firstRow the first element of each document, and one more entry for the end
 */
export function elementsOf(documents: Uint32Array, firstRow: Int32Array): CountedSet {
  const elements = new Uint32Array((firstRow[firstRow.length - 1]! + 31) >>> 5);
  let count = 0;
  for (let word = 0; word < documents.length; word++) {
    let rest = documents[word]! | 0;
    while (rest !== 0) {
      // The lowest run of ones: [from, to) of the word.
      const from = lowestBit(rest);
      const gap = ~(rest >>> from);
      const to = gap === 0 ? 32 : Math.min(32, from + lowestBit(gap));
      const row = word << 5;
      const first = firstRow[row + from]!;
      const end = firstRow[row + to]!;
      // path: elements of documents
      addRange(elements, first, end);
      count += end - first;
      rest = to === 32 ? 0 : rest & (-1 << to);
    }
  }
  return { rows: elements, count };
}

/** Adds the rows [from, to). */
function addRange(bits: Uint32Array, from: number, to: number): void {
  if (from >= to) return;
  const first = from >>> 5;
  const last = (to - 1) >>> 5;
  const head = -1 << (from & 31);
  const tail = -1 >>> (31 - ((to - 1) & 31));
  if (first === last) {
    bits[first]! |= head & tail;
    return;
  }
  bits[first]! |= head;
  // Mostly no word or one: a call of `fill` would take longer.
  for (let word = first + 1; word < last; word++) bits[word] = 0xffffffff;
  bits[last]! |= tail;
}

/** Returns the rows of a set that are in none of the other sets. */
export function rowsWithout(
  rows: RowSet,
  others: readonly RowSet[],
  rowCount: number,
): Uint32Array {
  const left = rows?.slice() ?? allLive(rowCount);
  for (const other of others) {
    if (other === null) left.fill(0);
    else for (let word = 0; word < left.length; word++) left[word]! &= ~other[word]!;
  }
  return left;
}

/**
 * Returns the rows that are in both sets.
 * @param rowCount of the table
 */
export function commonRows(left: RowSet, right: RowSet, rowCount: number): CountedSet {
  if (left === null || right === null) {
    const rows = left ?? right;
    return { rows, count: countRows(rows, rowCount) };
  }
  const common = new Uint32Array(left.length);
  let count = 0;
  for (let word = 0; word < common.length; word++) {
    const both = left[word]! & right[word]!;
    if (both === 0) continue;
    common[word] = both;
    count += bitCount(both);
  }
  return { rows: common, count };
}
