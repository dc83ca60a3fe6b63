// Rows of number ranges, sets of numbers, `exists` and ids.
import { CATCH_ALL, type Query } from '../../query/query.ts';
import { addRun, newBitSet, setBit } from '../rows/bit-set.ts';
import { isFew, sortedOnce } from '../rows/row-list.ts';
import { STEPS_PER_YIELD } from '../scoring/scorer.ts';
import type { Scope } from '../scoring/weight.ts';
import type { RowsOf } from '../terms/constant-weight.ts';
import { tableOf } from '../terms/field-terms.ts';
import { RangeScorer } from './range-scorer.ts';

type QueryOf<Kind extends Query['kind']> = Extract<Query, { readonly kind: Kind }>;

interface SortedColumn {
  readonly sortedValues: Float64Array;
  readonly sortedRows: Int32Array;
  /** As in NumberIndex; a catch-all has none. */
  readonly values?: Float64Array;
  readonly start?: Uint32Array | null;
}

/** A range of more than 1/WIDE of the rows is scanned, which costs no more than collecting it. */
const WIDE = 8;
/** A page reads only some rows of a wide range, so gathering all is spread over as many uses. */
const ROWS_PER_USE = 2048;

export function* numberRangeRows(
  query: QueryOf<'numberRange'>,
  scope: Scope,
  view: number,
): ReturnType<RowsOf> {
  const column = columnOf(query, scope, view);
  if (column === undefined) return null;
  const values = column.sortedValues;
  const from = Math.max(
    query.gte === undefined ? 0 : lowerBound(values, query.gte),
    query.gt === undefined ? 0 : upperBound(values, query.gt),
  );
  const to = Math.min(
    query.lte === undefined ? values.length : upperBound(values, query.lte),
    query.lt === undefined ? values.length : lowerBound(values, query.lt),
  );
  if (from >= to) return null;
  const { values: byRow, start } = column;
  if (byRow !== undefined && start === null && (to - from) * WIDE > byRow.length) {
    const scorer = new RangeScorer(byRow, values[from]!, values[to - 1]!, to - from);
    return { kind: 'cursor', scorer, usesMin: 1 + Math.floor(byRow.length / ROWS_PER_USE) };
  }
  const rowCount = tableOf(scope.views[view]!, scope.path)?.rowCount ?? 0;
  if (isFew(to - from, rowCount)) {
    return { kind: 'list', rows: sortedOnce(column.sortedRows.slice(from, to)) };
  }
  const bits = newBitSet(rowCount);
  yield* addSorted(bits, column, from, to);
  return { kind: 'set', bits };
}

export function* numberRows(
  query: QueryOf<'numbers'>,
  scope: Scope,
  view: number,
): ReturnType<RowsOf> {
  const column = columnOf(query, scope, view);
  if (column === undefined) return null;
  const bits = newBitSet(tableOf(scope.views[view]!, scope.path)?.rowCount ?? 0);
  for (const [done, value] of query.values.entries()) {
    const from = lowerBound(column.sortedValues, value);
    yield* addSorted(bits, column, from, upperBound(column.sortedValues, value));
    if (done % STEPS_PER_YIELD === STEPS_PER_YIELD - 1) yield;
  }
  return { kind: 'set', bits };
}

export function* existsRows(
  { field }: QueryOf<'exists'>,
  scope: Scope,
  view: number,
): ReturnType<RowsOf> {
  const table = tableOf(scope.views[view]!, scope.path);
  if (table === undefined) return null;
  const values = table.values(field);
  const numbers = values === undefined ? table.numbers(field, 'value') : undefined;
  const { docCount } = values ?? numbers ?? { docCount: 0 };
  if (docCount === 0) return null;
  if (docCount === table.rowCount) return { kind: 'all' };
  const bits = newBitSet(table.rowCount);
  const start = values === undefined ? numbers?.start : values.ordStart;
  for (let from = 0; from < table.rowCount; from += STEPS_PER_YIELD) {
    const to = Math.min(from + STEPS_PER_YIELD, table.rowCount);
    if (start) addNonEmpty(bits, start, from, to);
    else if (values !== undefined) addOrdinals(bits, values.ords, from, to);
    else if (numbers !== undefined) addNumbers(bits, numbers.values, from, to);
    yield;
  }
  return { kind: 'set', bits };
}

export function* idRows(query: QueryOf<'ids'>, scope: Scope, view: number): ReturnType<RowsOf> {
  if (scope.path !== null) return null;
  const { segment, isConfined } = scope.views[view]!;
  const { ids } = segment;
  const rows: number[] = [];
  for (const [done, id] of query.values.entries()) {
    const row = ids.find(id);
    if (row >= 0) rows.push(row);
    if (done % STEPS_PER_YIELD === STEPS_PER_YIELD - 1) yield;
  }
  // Through a view, ids that do not exist take the way of hidden ones, and the same time.
  if (rows.length === 0 && isConfined !== true) return null;
  return { kind: 'list', rows: sortedOnce(Int32Array.from(rows)) };
}

function columnOf(
  { field, column }: QueryOf<'numberRange'> | QueryOf<'numbers'>,
  { views, path }: Scope,
  view: number,
): SortedColumn | undefined {
  const segmentView = views[view]!;
  if (field === CATCH_ALL) {
    return path === null && column === 'value' ? segmentView.segment.catchAll.longs : undefined;
  }
  return tableOf(segmentView, path)?.numbers(field, column);
}

function* addSorted(
  bits: Uint32Array,
  column: SortedColumn,
  from: number,
  to: number,
): Generator<void> {
  for (let at = from; at < to; at += STEPS_PER_YIELD) {
    addRun(bits, column.sortedRows, at, Math.min(at + STEPS_PER_YIELD, to));
    if (at + STEPS_PER_YIELD < to) yield;
  }
}

function addNonEmpty(bits: Uint32Array, start: Uint32Array, from: number, to: number): void {
  for (let row = from; row < to; row++) if (start[row + 1]! > start[row]!) setBit(bits, row);
}

function addOrdinals(bits: Uint32Array, ords: Int32Array, from: number, to: number): void {
  for (let row = from; row < to; row++) if (ords[row]! >= 0) setBit(bits, row);
}

function addNumbers(bits: Uint32Array, values: Float64Array, from: number, to: number): void {
  for (let row = from; row < to; row++) if (!Number.isNaN(values[row]!)) setBit(bits, row);
}

/** The first index whose value is at least `value`. */
function lowerBound(values: Float64Array, value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first index whose value is greater than `value`. */
function upperBound(values: Float64Array, value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
