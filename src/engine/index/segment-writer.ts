// Builds a segment from documents: each is parsed and walked once, its values are collected by
// column, and at the end all columns are inverted. A pure function of its arguments: the same
// documents result in the same bytes.

import type { Mapping } from '../../query/mapping/mapping.ts';
import { type CatchAllColumns, invertCatchAll } from '../fields/catch-all.ts';
import {
  DocumentFields,
  type FieldSink,
  inPathOrder,
  type Scalar,
} from '../fields/document-fields.ts';
import { FieldColumn, type FieldRef } from '../fields/field-column.ts';
import { InversionScratch, StringColumn } from '../fields/inversion.ts';
import { NumberColumnBuilder } from '../fields/number-index.ts';
import { type SortedStrings, StringPool } from '../fields/string-pool.ts';
import { TermsBuilder, writeTerms } from '../fields/term-dictionary.ts';
import { SectionWriter } from '../sections/codec.ts';
import { IntList } from '../sections/growable.ts';
import { type IndexSink, MemorySink } from '../sections/index-source.ts';
import type { SourceDocument } from '../sections/segment.ts';
import { compareCodePoints, decodeText, encodeText } from '../sections/utf8.ts';
import type { SegmentContents, TableRef } from './segment-contents.ts';
import { PLAIN_CODEC, type SourceSink, StoredFieldsWriter } from './stored-fields.ts';

/** The destinations of the two files of a segment. */
export interface SegmentSinks {
  readonly index: IndexSink;
  readonly sources: SourceSink;
}

/** The two files of a segment, in memory. */
export interface SegmentFiles {
  /** In a SharedArrayBuffer. */
  readonly index: Uint8Array;
  readonly sources: Uint8Array;
}

/** The row delta of a posting, doubled, must fit 31 bits. */
export const ROWS_MAX = 2 ** 30;

/** Like writeSegment, into memory that threads share. */
export function buildSegment(
  mapping: Mapping,
  documents: readonly SourceDocument[],
  codec = PLAIN_CODEC,
): SegmentFiles {
  const index = new MemorySink();
  const sources = new MemorySink();
  writeSegment(mapping, documents, { index, sources }, codec);
  return { index: index.finish(), sources: sources.finish() };
}

/**
 * Builds a segment from documents in any order; among documents with the same id the last one wins.
 * @throws SyntaxError if a source is not JSON
 */
export function writeSegment(
  mapping: Mapping,
  documents: readonly SourceDocument[],
  sinks: SegmentSinks,
  codec = PLAIN_CODEC,
): void {
  const rows = inIdOrder(documents);
  const collector = new Collector(mapping, rows.length);
  const sources = new StoredFieldsWriter(rows.length, sinks.sources, codec);
  for (const { root, nested } of rows) {
    collector.add(root, nested);
    sources.add(root, nested);
  }
  const sections = new SectionWriter(sinks.index, codec.checksum);
  const ids = new TermsBuilder(rows.length);
  for (const { id } of rows) {
    const bytes = encodeText(id);
    ids.add(bytes, 0, bytes.length);
  }
  const contents: SegmentContents = {
    docCount: rows.length,
    ids: writeTerms(sections, ids.finish()),
    versions: sections.add(Float64Array.from(rows, ({ version }) => version)),
    sources: sources.finish(sections),
    ...collector.write(sections),
  };
  sections.finish(contents);
}

function inIdOrder(documents: readonly SourceDocument[]): SourceDocument[] {
  const byId = new Map<string, SourceDocument>();
  for (const document of documents) byId.set(document.id, document);
  return [...byId.values()].sort((a, b) => compareCodePoints(a.id, b.id));
}

class Collector implements FieldSink {
  readonly #mapping: Mapping;
  readonly #fields: DocumentFields;
  readonly #pool = new StringPool();
  readonly #catchAll: CatchAllColumns = {
    texts: new StringColumn(),
    keywords: new StringColumn(),
    longs: new NumberColumnBuilder(),
  };
  readonly #columns: FieldColumn[] = [];
  readonly #parents: IntList[];
  readonly #docCount: number;
  #row = -1;

  constructor(mapping: Mapping, docCount: number) {
    this.#mapping = mapping;
    this.#docCount = docCount;
    this.#fields = new DocumentFields(mapping, this);
    for (const field of inPathOrder(mapping)) {
      this.#columns.push(new FieldColumn(field, this.#pool, this.#catchAll));
    }
    this.#parents = mapping.nestedPaths.map(() => new IntList());
  }

  add(root: Uint8Array, nested: Uint8Array): void {
    this.#row += 1;
    this.#fields.walk(JSON.parse(decodeText(root)), this.#row);
    if (nested.length > 0) this.#fields.walk(JSON.parse(`{${decodeText(nested)}}`), this.#row);
  }

  addRow(table: number): number {
    const parents = this.#parents[table]!;
    if (parents.length === ROWS_MAX) throw new RangeError('Too many nested elements in a segment.');
    parents.push(this.#row);
    return parents.length - 1;
  }

  addValue(slot: number, row: number, value: Scalar): void {
    this.#columns[slot]!.add(row, this.#row, value);
  }

  write(sections: SectionWriter): Pick<SegmentContents, 'root' | 'nested' | 'catchAll'> {
    const strings = this.#pool.sorted();
    const scratch = new InversionScratch(strings.size);
    const docCount = this.#docCount;
    const rowCounts = this.#parents.map((parents) => parents.length);
    const fields = this.#writeFields(sections, strings, rowCounts, scratch);
    const catchAll = invertCatchAll(sections, strings, this.#catchAll, docCount, scratch);
    const root = { path: null, rowCount: docCount, fields: fields.get(-1) ?? [] };
    const nested = this.#mapping.nestedPaths.map((path, table) => {
      const parent = this.#parents[table]!.toArray();
      return writeNestedTable(sections, path, parent, docCount, fields.get(table) ?? []);
    });
    return { root, nested, catchAll };
  }

  #writeFields(
    sections: SectionWriter,
    strings: SortedStrings,
    rowCounts: readonly number[],
    scratch: InversionScratch,
  ): Map<number, [string, FieldRef][]> {
    const byTable = new Map<number, [string, FieldRef][]>();
    for (const column of this.#columns) {
      const table = this.#mapping.nestedPaths.indexOf(column.field.nested ?? '');
      const rowCount = table < 0 ? this.#docCount : rowCounts[table]!;
      const ref = column.write(sections, strings, rowCount, scratch);
      if (ref === null) continue;
      const list = byTable.get(table) ?? [];
      list.push([column.field.path, ref]);
      byTable.set(table, list);
    }
    return byTable;
  }
}

/** @param parent the root row of each row, ascending */
export function writeNestedTable(
  sections: SectionWriter,
  path: string,
  parent: Int32Array,
  docCount: number,
  fields: TableRef['fields'],
): TableRef {
  const firstRow = new Int32Array(docCount + 1);
  for (const row of parent) firstRow[row + 1]! += 1;
  for (let row = 1; row <= docCount; row++) firstRow[row]! += firstRow[row - 1]!;
  return {
    path,
    rowCount: parent.length,
    parent: sections.add(parent),
    firstRow: sections.add(firstRow),
    fields,
  };
}
