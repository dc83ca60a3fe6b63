// One field of a segment under construction: converts JSON values to the field's type and writes
// them to sections at the end. A value that cannot be converted is not indexed; the stored source
// still has it. Values of a dynamic field are all strings, and numbers and booleans are numbers as well:
// so every kind that the field may get later finds its values in segments from before.
import type { Field } from '../../query/mapping/mapping.ts';
import type { SectionWriter } from '../sections/codec.ts';
import type { CatchAllColumns } from './catch-all.ts';
import type { Scalar } from './document-fields.ts';
import { type InversionScratch, StringColumn } from './inversion.ts';
import {
  booleanOf,
  dateOf,
  dateReading,
  dynamicNumber,
  longOf,
  numberOf,
  numberReading,
} from './leaf-values.ts';
import { NumberColumnBuilder, type NumberIndexRef, writeNumberIndex } from './number-index.ts';
import type { SortedStrings, StringPool } from './string-pool.ts';
import { invertValues, type ValueIndexRef } from './value-index.ts';
import { invertWords, type WordIndexRef } from './word-index.ts';

/** The structures of one field in a segment. A part is absent if no row has a value for it. */
export interface FieldRef {
  readonly words?: WordIndexRef;
  readonly values?: ValueIndexRef;
  readonly value?: NumberIndexRef;
  readonly date?: NumberIndexRef;
  readonly number?: NumberIndexRef;
}

/** Collects the values of one field. */
export class FieldColumn {
  readonly field: Field;
  readonly #pool: StringPool;
  readonly #catchAll: CatchAllColumns;
  readonly #strings = new StringColumn();
  readonly #value = new NumberColumnBuilder();
  readonly #date = new NumberColumnBuilder();
  readonly #number = new NumberColumnBuilder();

  constructor(field: Field, pool: StringPool, catchAll: CatchAllColumns) {
    this.field = field;
    this.#pool = pool;
    this.#catchAll = catchAll;
  }

  /** @param rootRow the row of the document that `row` belongs to */
  add(row: number, rootRow: number, value: Scalar): void {
    if (this.field.dynamic) {
      this.#addDynamic(row, rootRow, value);
      return;
    }
    switch (this.field.type) {
      case 'text':
        this.#catchAll.texts.push(rootRow, this.#addText(row, value));
        return;
      case 'keyword': {
        const id = this.#pool.value(typeof value === 'string' ? value : String(value));
        this.#strings.push(row, id);
        this.#catchAll.keywords.push(rootRow, id);
        return;
      }
      case 'long': {
        const long = longOf(value);
        if (long === undefined) return;
        this.#value.push(row, long);
        this.#catchAll.longs.push(rootRow, long);
        return;
      }
      case 'double':
        this.#addNumber(row, numberOf(value));
        return;
      case 'date':
        this.#addNumber(row, dateOf(value));
        return;
      case 'boolean':
        this.#addNumber(row, booleanOf(value));
    }
  }

  write(
    sections: SectionWriter,
    strings: SortedStrings,
    rowCount: number,
    scratch: InversionScratch,
  ): FieldRef | null {
    const ref: { -readonly [Part in keyof FieldRef]: FieldRef[Part] } = {};
    const hasWords = this.field.type === 'text' || this.field.dynamic;
    const words = hasWords
      ? invertWords(sections, strings, this.#strings, rowCount, scratch)
      : null;
    if (words !== null) ref.words = words;
    const values = invertValues(sections, strings, this.#strings, rowCount, scratch);
    if (values !== null) ref.values = values;
    for (const [part, column] of [
      ['value', this.#value],
      ['date', this.#date],
      ['number', this.#number],
    ] as const) {
      const index = writeNumberIndex(sections, column, rowCount);
      if (index !== null) ref[part] = index;
    }
    return Object.keys(ref).length === 0 ? null : ref;
  }

  #addDynamic(row: number, rootRow: number, value: Scalar): void {
    const { type } = this.field;
    const id = this.#addText(row, value);
    if (type === 'text') this.#catchAll.texts.push(rootRow, id);
    this.#addReadings(row, String(value));
    const number = dynamicNumber(value);
    if (number === undefined) return;
    this.#value.push(row, number);
    if (type === 'long' && Number.isInteger(number)) this.#catchAll.longs.push(rootRow, number);
  }

  /** @returns its number in the pool */
  #addText(row: number, value: Scalar): number {
    const id = this.#pool.text(typeof value === 'string' ? value : String(value));
    this.#strings.push(row, id);
    return id;
  }

  #addNumber(row: number, value: number | undefined): void {
    if (value !== undefined) this.#value.push(row, value);
  }

  #addReadings(row: number, text: string): void {
    const date = dateReading(text);
    if (date !== undefined) this.#date.push(row, date);
    const number = numberReading(text);
    if (number !== undefined) this.#number.push(row, number);
  }
}
