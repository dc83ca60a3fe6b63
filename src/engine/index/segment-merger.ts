// Merges several segments into one, without their deleted rows and without parsing a document: the
// result is, byte for byte, what buildSegment builds from the remaining documents. A pure function
// of its arguments.
import type { Mapping } from '../../query/mapping/mapping.ts';
import {
  type CatchAllRef,
  type FoldedIndexRef,
  writeEmptyWordIndex,
  writeFoldedIndex,
} from '../fields/catch-all.ts';
import { inPathOrder } from '../fields/document-fields.ts';
import type { FieldRef } from '../fields/field-column.ts';
import { mergeField, mergeWords } from '../fields/field-merge.ts';
import {
  NumberColumnBuilder,
  type SortedPairsRef,
  writeSortedPairs,
} from '../fields/number-index.ts';
import { PostingsMerge } from '../fields/postings-merge.ts';
import { PostingsWriter } from '../fields/postings-writer.ts';
import { mapNestedRows, mapRootRows, type RowMap } from '../fields/row-map.ts';
import { sortPairs } from '../fields/sort-pairs.ts';
import { TermsBuilder, writeTerms } from '../fields/term-dictionary.ts';
import { TermMerge } from '../fields/term-merge.ts';
import { SectionWriter } from '../sections/codec.ts';
import type { CatchAll, SegmentView } from '../sections/segment.ts';
import type { SegmentContents } from './segment-contents.ts';
import { type SegmentSinks, writeNestedTable } from './segment-writer.ts';
import {
  PLAIN_CODEC,
  type SegmentCodec,
  type SourceSink,
  StoredFieldsWriter,
} from './stored-fields.ts';

/**
 * Writes each part of the new segment as soon as it is complete: at most one field is in memory at
 * a time, and of the old segments at most their sources.
 * @param mapping has all fields and nested paths of the parts; others are left out
 * @throws CorruptSegmentError if a part fails its checksum
 */
export function writeMerged(
  mapping: Mapping,
  views: readonly SegmentView[],
  sinks: SegmentSinks,
  codec = PLAIN_CODEC,
): void {
  const rows = mapRootRows(views);
  const sections = new SectionWriter(sinks.index, codec.checksum);
  const contents: SegmentContents = {
    docCount: rows.rowCount,
    ...mergeIds(sections, views, rows),
    sources: copySources(views, rows, sinks.sources, codec).finish(sections),
    ...mergeTables(sections, mapping, views, rows),
  };
  sections.finish(contents);
}

function mergeIds(
  sections: SectionWriter,
  views: readonly SegmentView[],
  rows: RowMap,
): Pick<SegmentContents, 'ids' | 'versions'> {
  const parts = views.map(({ segment: { ids, versions } }) => ({ ids, versions }));
  const ids = new TermsBuilder(rows.rowCount);
  const versions = new Float64Array(rows.rowCount);
  for (let row = 0; row < rows.rowCount; row++) {
    const part = parts[rows.part[row]!]!;
    const old = rows.oldRow[row]!;
    ids.add(part.ids.bytes, part.ids.offsets[old]!, part.ids.offsets[old + 1]!);
    // path: document merged
    versions[row] = part.versions[old]!;
  }
  return { ids: writeTerms(sections, ids.finish()), versions: sections.add(versions) };
}

function copySources(
  views: readonly SegmentView[],
  rows: RowMap,
  sink: SourceSink,
  codec: SegmentCodec,
): StoredFieldsWriter {
  const writer = new StoredFieldsWriter(rows.rowCount, sink, codec);
  for (let row = 0; row < rows.rowCount; row++) {
    const { sources } = views[rows.part[row]!]!.segment;
    const { bytes, rootLength } = sources.document(rows.oldRow[row]!, true);
    writer.add(bytes.subarray(0, rootLength), bytes.subarray(rootLength));
  }
  return writer;
}

function mergeTables(
  sections: SectionWriter,
  mapping: Mapping,
  views: readonly SegmentView[],
  rows: RowMap,
): Pick<SegmentContents, 'root' | 'nested' | 'catchAll'> {
  const nested = mapping.nestedPaths.map((path) => {
    const tables = views.map((view) => view.segment.nested.get(path));
    const fields: [string, FieldRef][] = [];
    return { path, tables, fields, ...mapNestedRows(rows, tables) };
  });
  const roots = views.map((view) => view.segment.root);
  const fields: [string, FieldRef][] = [];
  for (const field of inPathOrder(mapping)) {
    const table = nested.find((candidate) => candidate.path === field.nested);
    const ref = mergeField(sections, field.path, table?.tables ?? roots, table?.rows ?? rows);
    if (ref !== null) (table?.fields ?? fields).push([field.path, ref]);
  }
  const catchAll = mergeCatchAll(sections, views, rows);
  return {
    root: { path: null, rowCount: rows.rowCount, fields },
    nested: nested.map((table) =>
      writeNestedTable(sections, table.path, table.parent, rows.rowCount, table.fields),
    ),
    catchAll,
  };
}

function mergeCatchAll(
  sections: SectionWriter,
  views: readonly SegmentView[],
  rows: RowMap,
): CatchAllRef {
  const parts = views.map((view) => view.segment.catchAll);
  const words = mergeWords(
    sections,
    parts.map((part) => part.words),
    rows,
  );
  return {
    words: words ?? writeEmptyWordIndex(sections, rows.rowCount),
    folded: mergeFolded(
      sections,
      parts.map((part) => part.folded),
      rows,
    ),
    longs: mergeLongs(
      sections,
      parts.map((part) => part.longs),
      rows,
    ),
  };
}

function mergeFolded(
  sections: SectionWriter,
  parts: readonly CatchAll['folded'][],
  rows: RowMap,
): FoldedIndexRef {
  let termsMax = 0;
  for (const part of parts) termsMax += part.terms.size;
  const terms = new TermsBuilder(termsMax);
  const postings = new PostingsWriter(termsMax, null);
  const merge = new PostingsMerge(postings, 'rows', rows);
  const cursor = new TermMerge(parts.map((part) => part.terms));
  while (cursor.next()) {
    for (let i = 0; i < cursor.count; i++) {
      const part = cursor.sources[i]!;
      merge.add(part, parts[part]!.postings(cursor.ords[i]!));
    }
    if (merge.endTerm()) cursor.copyTo(terms);
  }
  return writeFoldedIndex(sections, terms.finish(), postings, {
    docCount: merge.docCount,
    sumDocFreq: merge.totalFreq,
  });
}

/** Sorts the pairs, which are in value order, by row for the column. */
function mergeLongs(
  sections: SectionWriter,
  parts: readonly CatchAll['longs'][],
  rows: RowMap,
): SortedPairsRef {
  let length = 0;
  for (const part of parts) length += part.sortedRows.length;
  const keys = new Float64Array(length);
  const values = new Float64Array(length);
  const order = new Int32Array(length);
  let count = 0;
  parts.forEach(({ sortedValues, sortedRows }, part) => {
    const newRow = rows.newRow[part]!;
    for (let i = 0; i < sortedRows.length; i++) {
      const row = newRow[sortedRows[i]!]!;
      if (row < 0) continue;
      keys[count] = row;
      values[count] = sortedValues[i]!;
      order[count] = count;
      count += 1;
    }
  });
  sortPairs(keys.subarray(0, count), order.subarray(0, count));
  const column = new NumberColumnBuilder();
  for (let i = 0; i < count; i++) column.push(keys[i]!, values[order[i]!]!);
  return writeSortedPairs(sections, column);
}
