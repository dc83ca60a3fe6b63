// The values of a row in the columns of its own table, or of its elements if the source is
// flattened: their range in the column, and their number when only that matters.
import { nestedPathOf, type ValueSource } from '../../../query/aggregation.ts';
import { type Cells, cellsOf } from '../../fields/document-cells.ts';
import type { NumberIndex, ValueIndex } from '../../sections/segment.ts';
import type { SegmentContext } from '../collecting/collector.ts';
import { valueContextOf } from './flattened-keys.ts';
import { NumberMarks } from './number-marks.ts';

/** Returns the number of values of a row. */
export type ValueCounter = (row: number) => number;

/** The numbers of a row: `values` from `first(row)` to `end(row)`, NaN in an empty cell. */
export interface NumberCells extends Cells {
  readonly values: Float64Array;
}

/** @returns null if the segment has no such numbers */
export function numberCells(source: ValueSource, context: SegmentContext): NumberCells | null {
  if (source.kind !== 'numbers') return null;
  const { table } = valueContextOf(source, context);
  const numbers = table?.numbers(source.field, source.column);
  if (table === undefined || numbers === undefined) return null;
  const { values, start } = numbers;
  const cells = nestedPathOf(source) === null ? ownCells(start) : cellsOf(table, start);
  return { values, ...(cells ?? OWN_CELL) };
}

/** Counts the numbers in values[from, to). */
export function countNumbers(values: Float64Array, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) if (!Number.isNaN(values[at]!)) count += 1;
  return count;
}

const OWN_CELL: Cells = { first: (row) => row, end: (row) => row + 1 };

function ownCells(start: Uint32Array | null): Cells {
  if (start === null) return OWN_CELL;
  return { first: (row) => start[row]!, end: (row) => start[row + 1]! };
}

export function valueCounter(source: ValueSource, context: SegmentContext): ValueCounter {
  const { table } = context;
  switch (source.kind) {
    case 'strings': {
      if (nestedPathOf(source) !== null)
        return flattenedCounter(source.field, valueContextOf(source, context));
      const values = table?.values(source.field);
      if (values === undefined) return noValues;
      const { ords, ordStart } = values;
      return ordStart === null ? (row) => (ords[row]! < 0 ? 0 : 1) : spans(ordStart);
    }
    case 'numbers': {
      if (nestedPathOf(source) !== null)
        return flattenedNumberCounter(numberCells(source, context));
      return numberCounter(table?.numbers(source.field, source.column));
    }
    case 'id':
    case 'constant':
      return () => 1;
    case 'none':
      return noValues;
  }
}

function numberCounter(numbers: NumberIndex | undefined): ValueCounter {
  if (numbers === undefined) return noValues;
  const { values, start } = numbers;
  return start === null ? (row) => (Number.isNaN(values[row]!) ? 0 : 1) : spans(start);
}

function flattenedNumberCounter(cells: NumberCells | null): ValueCounter {
  if (cells === null) return noValues;
  return (row) => countNumbers(cells.values, cells.first(row), cells.end(row));
}

/** A document has a string once, however many of its elements have it. */
function flattenedCounter(field: string, { table }: SegmentContext): ValueCounter {
  const values = table?.values(field);
  const cells = table && values && cellsOf(table, values.ordStart);
  return cells && values ? distinctOrdinals(values, cells) : noValues;
}

function distinctOrdinals({ ords }: ValueIndex, cells: Cells): ValueCounter {
  const seen = new NumberMarks();
  return (row) => {
    seen.clear();
    let count = 0;
    for (let at = cells.first(row), to = cells.end(row); at < to; at++) {
      const ord = ords[at]!;
      if (ord >= 0 && seen.add(ord)) count += 1;
    }
    return count;
  };
}

function spans(start: Uint32Array): ValueCounter {
  return (row) => start[row + 1]! - start[row]!;
}

function noValues(): number {
  return 0;
}
