// Cache of all rows of a table in the order of some sort keys; ties are in row order. Built by
// counting sorts, least significant key first, when the same order is requested a second time or
// for a large part.
// Invariant: rows are in the order of the places of SortColumn; a cached order never changes.
import type { SortKey } from '../../query/query.ts';
import { KeyedPart, type QueryCache } from '../index/query-cache.ts';
import { STEPS_PER_YIELD } from '../scoring/scorer.ts';
import type { NumberIndex, Segment, Table } from '../sections/segment.ts';
import { LAST, type SortColumn } from './sort-column.ts';

/**
 * Break-even point: selecting more than 1/LARGE_SHARE of the rows takes longer than sorting all.
 */
const LARGE_SHARE = 16;

/** True if sorting all rows takes less time than selecting the best `size` of them. */
export function isLargePart(size: number, rowCount: number): boolean {
  return size * LARGE_SHARE > rowCount;
}

/** By table and keys. */
const ORDERS = new KeyedPart<Int32Array>('order');

/** A table of a segment. */
export interface SegmentTable {
  readonly segment: Segment;
  readonly table: Table;
}

/**
 * The rows of a table in sort order; null if building that order does not pay off yet.
 * @param columns the columns of the keys; none may be by score
 * @param size most rows that are read
 */
export function* rowOrder(
  { segment, table }: SegmentTable,
  keys: readonly SortKey[],
  columns: readonly SortColumn[],
  size: number,
  cache: QueryCache,
): Generator<void, Int32Array | null> {
  const names = keys.map(
    ({ type, form, order, field }) => `${form ?? type} ${order} ${JSON.stringify(field)}`,
  );
  const key = `${cache.numberOf(table)} ${names.join()}`;
  const cached = cache.get(ORDERS, segment, key);
  if (cached !== undefined) /* path: in the cache */ return cached;
  const { rowCount } = table;
  const bytes = 4 * rowCount;
  if (!cache.takes(bytes)) return null;
  const isLarge = isLargePart(size, rowCount);
  if (cache.countUse(ORDERS, key) === 1 && !isLarge) /* path: order does not pay */ return null;
  // path: order made
  const rows = yield* orderedRows(rowCount, keys, columns);
  cache.add(ORDERS, [segment], key, { value: rows, bytes });
  return rows;
}

/** Sorts all rows by some keys. */
export function* orderedRows(
  rowCount: number,
  keys: readonly SortKey[],
  columns: readonly SortColumn[],
): Generator<void, Int32Array> {
  let rows = new Int32Array(rowCount);
  for (let row = 0; row < rowCount; row++) rows[row] = row;
  for (let key = keys.length - 1; key >= 0; key--) {
    const ranks = yield* ranksOf(keys[key]!, columns[key]!, rowCount);
    if (ranks !== null) rows = yield* sortedByRank(rows, ranks);
  }
  return rows;
}

/** Ranks of rows: equal places have equal ranks, and later places greater ones. */
interface Ranks {
  readonly byRow: Uint32Array;
  /** Greater than all ranks. */
  readonly end: number;
}

/** null if all rows have the same place. */
function* ranksOf(
  key: SortKey,
  column: SortColumn,
  rowCount: number,
): Generator<void, Ranks | null> {
  if (column.documents !== null) {
    const { column: own, parent, rowCount: documentCount } = column.documents;
    const ranks = yield* ranksOf(key, own, documentCount);
    return ranks === null ? null : yield* ranksBelow(ranks, parent);
  }
  if (column.numbers !== null) {
    return yield* ranksOfNumbers(column.numbers.index, column.numbers.parent, key, rowCount);
  }
  const size = key.type === 'doc' ? rowCount : (column.terms?.offsets.length ?? 0) - 1;
  if (size < 0) return null;
  const byRow = new Uint32Array(rowCount);
  for (let from = 0; from < rowCount; from += STEPS_PER_YIELD) {
    rankOrdinals(column, key, size, byRow, from, Math.min(from + STEPS_PER_YIELD, rowCount));
    yield;
  }
  return { byRow, end: size + 1 };
}

function rankOrdinals(
  column: SortColumn,
  { order }: SortKey,
  size: number,
  byRow: Uint32Array,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) {
    const place = column.place(row, 0);
    if (place === LAST) byRow[row] = size;
    else byRow[row] = order === 'asc' ? place : size - 1 + place;
  }
}

/** Scans the sorted values: the first value of a row is the one it is sorted by. */
function* ranksOfNumbers(
  index: NumberIndex,
  parent: Int32Array | null,
  { order }: SortKey,
  rowCount: number,
): Generator<void, Ranks> {
  const { sortedValues, sortedRows } = index;
  const length = sortedValues.length;
  // 0 until a value of the row has been seen.
  const byRow = new Uint32Array(rowCount);
  let rank = 0;
  let last = Number.NaN;
  for (let done = 0; done < length; done++) {
    const at = order === 'asc' ? done : length - 1 - done;
    const value = sortedValues[at]!;
    if (value !== last) {
      rank += 1;
      last = value;
    }
    const row = parent === null ? sortedRows[at]! : parent[sortedRows[at]!]!;
    if (byRow[row] === 0) byRow[row] = rank;
    if (done % STEPS_PER_YIELD === STEPS_PER_YIELD - 1) yield;
  }
  for (let row = 0; row < rowCount; row++) if (byRow[row] === 0) byRow[row] = rank + 1;
  return { byRow, end: rank + 2 };
}

/** The ranks of elements, which are those of their documents. */
function* ranksBelow({ byRow, end }: Ranks, parent: Int32Array): Generator<void, Ranks> {
  const byElement = new Uint32Array(parent.length);
  for (let row = 0; row < parent.length; row++) {
    // path: elements ordered by document
    byElement[row] = byRow[parent[row]!]!;
    if (row % STEPS_PER_YIELD === STEPS_PER_YIELD - 1) yield;
  }
  return { byRow: byElement, end };
}

/** A counting sort: rows of the same rank keep their order. */
function* sortedByRank(
  rows: Int32Array,
  { byRow, end }: Ranks,
): Generator<void, Int32Array<ArrayBuffer>> {
  const next = new Uint32Array(end + 1);
  const sorted = new Int32Array(rows.length);
  for (let row = 0; row < byRow.length; row++) next[byRow[row]! + 1]! += 1;
  for (let rank = 1; rank < next.length; rank++) next[rank]! += next[rank - 1]!;
  yield;
  for (let from = 0; from < rows.length; from += STEPS_PER_YIELD) {
    const to = Math.min(from + STEPS_PER_YIELD, rows.length);
    for (let at = from; at < to; at++) {
      const row = rows[at]!;
      sorted[next[byRow[row]!]!++] = row;
    }
    yield;
  }
  return sorted;
}
