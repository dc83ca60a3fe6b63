// The values of a row in the columns of its own table, or, where the source is flattened, in those of its elements: where
// its numbers are, and how many values it has where it does not matter which.
import { nestedPathOf, type ValueSource } from '../../../query/aggregation/aggregation.ts';
import { type Cells, cellsOf } from '../../fields/document-cells.ts';
import type { NumberIndex, ValueIndex } from '../../index/segment.ts';
import type { SegmentPlace } from '../collector.ts';
import { placeOf } from './flattened-keys.ts';
import { NumberMarks } from './number-marks.ts';

/** By row. */
export type ValueCounter = (row: number) => number;

/** The numbers of rows: `values` from `first(row)` to `end(row)`, NaN where a cell is empty. */
export interface NumberCells extends Cells {
  readonly values: Float64Array;
}

/** @returns null where the segment has no such numbers */
export function numberCells(source: ValueSource, place: SegmentPlace): NumberCells | null {
  if (source.kind !== 'numbers') return null;
  const { table } = placeOf(source, place);
  const numbers = table?.numbers(source.field, source.column);
  if (table === undefined || numbers === undefined) return null;
  const { values, start } = numbers;
  const cells = nestedPathOf(source) === null ? ownCells(start) : cellsOf(table, start);
  return { values, ...(cells ?? OWN_CELL) };
}

/** How many numbers there are in values[from, to). */
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

export function valueCounter(source: ValueSource, place: SegmentPlace): ValueCounter {
  const { table } = place;
  switch (source.kind) {
    case 'strings': {
      if (nestedPathOf(source) !== null)
        return flattenedCounter(source.field, placeOf(source, place));
      const values = table?.values(source.field);
      if (values === undefined) return none;
      const { ords, ordStart } = values;
      return ordStart === null ? (row) => (ords[row]! < 0 ? 0 : 1) : spans(ordStart);
    }
    case 'numbers': {
      if (nestedPathOf(source) !== null) return flattenedNumberCounter(numberCells(source, place));
      return numberCounter(table?.numbers(source.field, source.column));
    }
    case 'id':
    case 'constant':
      return () => 1;
    case 'none':
      return none;
  }
}

function numberCounter(numbers: NumberIndex | undefined): ValueCounter {
  if (numbers === undefined) return none;
  const { values, start } = numbers;
  return start === null ? (row) => (Number.isNaN(values[row]!) ? 0 : 1) : spans(start);
}

function flattenedNumberCounter(cells: NumberCells | null): ValueCounter {
  if (cells === null) return none;
  return (row) => countNumbers(cells.values, cells.first(row), cells.end(row));
}

/** A document has a string once, in however many of its elements it is. */
function flattenedCounter(field: string, { table }: SegmentPlace): ValueCounter {
  const values = table?.values(field);
  const cells = table && values && cellsOf(table, values.ordStart);
  return cells && values ? distinctOrdinals(values, cells) : none;
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

function none(): number {
  return 0;
}
