// One field of a segment under construction: converts JSON values to the field's type and writes
// them to sections at the end. A value that cannot be converted is not indexed; the stored source
// still has it.
import type { Field } from '../../query/mapping/mapping.ts';
import type { SectionWriter } from '../sections/codec.ts';
import type { CatchAllColumns } from './catch-all.ts';
import type { Scalar } from './document-fields.ts';
import { type InversionScratch, StringColumn } from './inversion.ts';
import { booleanOf, dateOf, dateReading, longOf, numberOf, numberReading } from './leaf-values.ts';
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
    switch (this.field.type) {
      case 'text': {
        const text = typeof value === 'string' ? value : String(value);
        const id = this.#pool.text(text);
        this.#strings.push(row, id);
        this.#catchAll.texts.push(rootRow, id);
        if (this.field.dynamic) this.#addReadings(row, text);
        return;
      }
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
    const text = this.field.type === 'text';
    const words = text ? invertWords(sections, strings, this.#strings, rowCount, scratch) : null;
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
