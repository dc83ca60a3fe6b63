// A numeric column: the numbers of each row, and the same pairs sorted by number, so that a range
// is one run. Building and merging both collect (row, number) pairs in row order and end in
// `writeNumberIndex`. A column with few distinct numbers, such as booleans and counts, is stored
// with one byte per value; the arrays of the interface are computed from it on first use.

import type { SectionReader, SectionWriter } from '../sections/codec.ts';
import { FloatList, IntList } from '../sections/growable.ts';
import {
  isByRow,
  layOutRows,
  type RowLayoutRef,
  StoredRowLayout,
  writeRowLayout,
} from '../sections/row-layout.ts';
import type { SectionRef } from '../sections/section-ref.ts';
import type { NumberIndex } from '../sections/segment.ts';
import { sortPairs } from './sort-pairs.ts';

/** The (row, number) pairs of one column, rows ascending. */
export class NumberColumnBuilder {
  readonly rows = new IntList();
  readonly values = new FloatList();

  /** @param value finite */
  push(row: number, value: number): void {
    this.rows.push(row);
    this.values.push(value === 0 ? 0 : value); // there is one zero
  }
}

/** Pairs by ascending value, then row. */
export interface SortedPairsRef {
  readonly values: SectionRef;
  readonly rows: SectionRef;
}

export interface NumberIndexRef {
  readonly layout: RowLayoutRef;
  /**
   * For few distinct numbers: the numbers, ascending, and for each value its index in them plus 1;
   * 0 for a row without a value.
   */
  readonly coded?: { readonly distinct: SectionRef; readonly codes: SectionRef };
  /**
   * Otherwise the numbers, the sorted rows, and the sorted numbers unless there is one value per
   * row.
   */
  readonly plain?: {
    readonly values: SectionRef;
    readonly sortedRows: SectionRef;
    readonly sortedValues: SectionRef | null;
  };
}

/** A code is one byte, and 0 means no value. */
const DISTINCT_MAX = 255;

/** @returns null if there is no number */
export function writeNumberIndex(
  sections: SectionWriter,
  column: NumberColumnBuilder,
  rowCount: number,
): NumberIndexRef | null {
  if (column.rows.length === 0) return null;
  const rowLayout = layOutRows(column.rows, rowCount);
  const layout = writeRowLayout(sections, rowLayout);
  const byRow = isByRow(rowLayout);
  const values = byRow ? valuesByRow(column, rowCount) : groupedValues(column, rowLayout.start);
  const distinct = distinctNumbers(values);
  if (distinct !== null) {
    const codes = codesOf(values, distinct);
    return { layout, coded: { distinct: sections.add(distinct), codes: sections.add(codes) } };
  }
  const sorted = sortedPairs(column);
  const plain = {
    values: sections.add(values),
    sortedRows: sections.add(sorted.rows),
    sortedValues: byRow ? null : sections.add(sorted.values),
  };
  return { layout, plain };
}

/** Returns one value per row, NaN for no value. */
function valuesByRow(column: NumberColumnBuilder, rowCount: number): Float64Array {
  const values = new Float64Array(rowCount).fill(Number.NaN);
  for (let i = 0; i < column.rows.length; i++) {
    values[column.rows.data[i]!] = column.values.data[i]!;
  }
  return values;
}

/** Returns all values, ascending within their row. */
function groupedValues(column: NumberColumnBuilder, start: Uint32Array | null): Float64Array {
  const grouped = column.values.data.slice(0, column.values.length);
  if (start === null) return grouped;
  for (let row = 0; row + 1 < start.length; row++) {
    if (start[row + 1]! - start[row]! > 1) grouped.subarray(start[row], start[row + 1]).sort();
  }
  return grouped;
}

/** Returns the distinct numbers, ascending, or null if there are too many for one byte. */
function distinctNumbers(values: Float64Array): Float64Array | null {
  const distinct = new Set<number>();
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (Number.isNaN(value)) continue;
    distinct.add(value);
    if (distinct.size > DISTINCT_MAX) return null;
  }
  return Float64Array.from(distinct).sort();
}

function codesOf(values: Float64Array, distinct: Float64Array): Uint8Array {
  const codeOf = new Map<number, number>();
  for (let at = 0; at < distinct.length; at++) codeOf.set(distinct[at]!, at + 1);
  const codes = new Uint8Array(values.length);
  for (let i = 0; i < values.length; i++) codes[i] = codeOf.get(values[i]!) ?? 0;
  return codes;
}

function sortedPairs(column: NumberColumnBuilder): {
  readonly values: Float64Array;
  readonly rows: Int32Array;
} {
  const values = column.values.data.slice(0, column.values.length);
  const rows = column.rows.toArray();
  sortPairs(values, rows);
  return { values, rows };
}

export function writeSortedPairs(
  sections: SectionWriter,
  column: NumberColumnBuilder,
): SortedPairsRef {
  const { values, rows } = sortedPairs(column);
  return { values: sections.add(values), rows: sections.add(rows) };
}

export function openNumberIndex(sections: SectionReader, ref: NumberIndexRef): NumberIndex {
  return ref.coded === undefined
    ? new PlainNumberIndex(sections, ref)
    : new CodedNumberIndex(sections, ref);
}

/** Reads each part on first use. */
class PlainNumberIndex implements NumberIndex {
  readonly docCount: number;
  readonly #sections: SectionReader;
  readonly #ref: NonNullable<NumberIndexRef['plain']>;
  readonly #layout: StoredRowLayout;
  #values: Float64Array | null = null;
  #sortedRows: Int32Array | null = null;
  #sortedValues: Float64Array | null = null;

  constructor(sections: SectionReader, { layout, plain }: NumberIndexRef) {
    if (plain === undefined) throw new TypeError('A number column has values');
    this.#sections = sections;
    this.#ref = plain;
    this.#layout = new StoredRowLayout(sections, layout);
    this.docCount = layout.docCount;
  }

  get values(): Float64Array {
    this.#values ??= spreadNumbers(this.#layout, this.#sections.float64(this.#ref.values));
    return this.#values;
  }

  get sortedRows(): Int32Array {
    this.#sortedRows ??= this.#sections.int32(this.#ref.sortedRows);
    return this.#sortedRows;
  }

  get start(): Uint32Array | null {
    return this.#layout.startByRow;
  }

  get sortedValues(): Float64Array {
    this.#sortedValues ??=
      this.#ref.sortedValues === null
        ? this.#sortedByRow()
        : this.#sections.float64(this.#ref.sortedValues);
    return this.#sortedValues;
  }

  /** Derives the sorted values from the sorted rows, with one value per row. */
  #sortedByRow(): Float64Array {
    const { sortedRows: rows, values } = this;
    const sorted = new Float64Array(rows.length);
    for (let i = 0; i < rows.length; i++) sorted[i] = values[rows[i]!]!;
    return sorted;
  }
}

function spreadNumbers(layout: StoredRowLayout, stored: Float64Array): Float64Array {
  return layout.spread(stored, new Float64Array(layout.spreadLength).fill(Number.NaN));
}

class CodedNumberIndex implements NumberIndex {
  readonly docCount: number;
  readonly #sections: SectionReader;
  readonly #ref: NonNullable<NumberIndexRef['coded']>;
  readonly #layout: StoredRowLayout;
  #values: Float64Array | null = null;
  #sortedValues: Float64Array | null = null;
  #sortedRows: Int32Array | null = null;

  constructor(sections: SectionReader, { layout, coded }: NumberIndexRef) {
    if (coded === undefined) throw new TypeError('A coded number column has codes');
    this.#layout = new StoredRowLayout(sections, layout);
    this.#sections = sections;
    this.#ref = coded;
    this.docCount = layout.docCount;
  }

  get values(): Float64Array {
    if (this.#values === null) {
      const codes = this.#sections.bytes(this.#ref.codes);
      const numbers = new Float64Array(DISTINCT_MAX + 1).fill(Number.NaN);
      numbers.set(this.#sections.float64(this.#ref.distinct), 1);
      const values = new Float64Array(codes.length);
      for (let i = 0; i < codes.length; i++) values[i] = numbers[codes[i]!]!;
      this.#values = spreadNumbers(this.#layout, values);
    }
    return this.#values;
  }

  get start(): Uint32Array | null {
    return this.#layout.startByRow;
  }

  get sortedValues(): Float64Array {
    this.#sortedValues ??= this.#sort().values;
    return this.#sortedValues;
  }

  get sortedRows(): Int32Array {
    this.#sortedRows ??= this.#sort().rows;
    return this.#sortedRows;
  }

  /** Counting sort by code. */
  #sort(): { readonly values: Float64Array; readonly rows: Int32Array } {
    const codes = this.#sections.bytes(this.#ref.codes);
    const distinct = this.#sections.float64(this.#ref.distinct);
    const next = new Uint32Array(DISTINCT_MAX + 2);
    for (let i = 0; i < codes.length; i++) if (codes[i]! > 0) next[codes[i]! + 1]! += 1;
    for (let code = 1; code < next.length; code++) next[code]! += next[code - 1]!;
    const length = next[next.length - 1]!;
    const values = new Float64Array(length);
    for (let code = 1; code <= distinct.length; code++) {
      values.fill(distinct[code - 1]!, next[code], next[code + 1]);
    }
    const sorted = new Int32Array(length);
    const { rows, start, rowCount } = this.#layout;
    const groups = rows === null ? rowCount : rows.length;
    for (let group = 0; group < groups; group++) {
      const to = start === null ? group + 1 : start[group + 1]!;
      for (let at = start === null ? group : start[group]!; at < to; at++) {
        const code = codes[at]!;
        if (code > 0) sorted[next[code]!++] = rows === null ? group : rows[group]!;
      }
    }
    this.#sortedValues = values;
    this.#sortedRows = sorted;
    return { values, rows: sorted };
  }
}
