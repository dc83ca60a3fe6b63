// Merges the structures of one field of several segments. Values by row (ordinals, numbers, norms)
// are copied row by row; dictionaries are merged; postings of values are derived from their
// ordinals, as when building.
import type { SectionWriter } from '../sections/codec.ts';
import { IntList } from '../sections/growable.ts';
import type { NumberIndex, Table, ValueIndex, WordIndex } from '../sections/segment.ts';
import type { FieldRef } from './field-column.ts';
import { NumberColumnBuilder, writeNumberIndex } from './number-index.ts';
import { PostingsMerge } from './postings-merge.ts';
import { PostingsWriter } from './postings-writer.ts';
import type { RowMap } from './row-map.ts';
import { TermsBuilder } from './term-dictionary.ts';
import { mergeTerms, TermMerge } from './term-merge.ts';
import { type ValueIndexRef, writeValueIndex } from './value-index.ts';
import { type WordIndexRef, writeWordIndex } from './word-index.ts';

/**
 * @param tables by part; undefined if a part does not have the table
 * @returns null if no remaining row has a value
 */
export function mergeField(
  sections: SectionWriter,
  field: string,
  tables: readonly (Table | undefined)[],
  rows: RowMap,
): FieldRef | null {
  const ref: { -readonly [Part in keyof FieldRef]: FieldRef[Part] } = {};
  const words = mergeWords(
    sections,
    tables.map((table) => table?.words(field)),
    rows,
  );
  if (words !== null) ref.words = words;
  const values = mergeValues(
    sections,
    tables.map((table) => table?.values(field)),
    rows,
  );
  if (values !== null) ref.values = values;
  for (const column of ['value', 'date', 'number'] as const) {
    const parts = tables.map((table) => table?.numbers(field, column));
    if (parts.every((part) => part === undefined)) continue;
    const index = writeNumberIndex(sections, mergeNumbers(parts, rows), rows.rowCount);
    if (index !== null) ref[column] = index;
  }
  for (const table of tables) table?.forget?.(field);
  return Object.keys(ref).length === 0 ? null : ref;
}

/** @returns null if no remaining row has a word */
export function mergeWords(
  sections: SectionWriter,
  parts: readonly (WordIndex | undefined)[],
  rows: RowMap,
): WordIndexRef | null {
  if (parts.every((part) => part === undefined)) return null;
  const norms = new Uint8Array(rows.rowCount);
  let hasWords = false;
  for (let row = 0; row < rows.rowCount; row++) {
    const norm = parts[rows.part[row]!]?.norms[rows.oldRow[row]!] ?? 0;
    norms[row] = norm;
    if (norm !== 0) hasWords = true;
  }
  if (!hasWords) return null;
  let termsMax = 0;
  for (const part of parts) termsMax += part?.terms.size ?? 0;
  const terms = new TermsBuilder(termsMax);
  const postings = new PostingsWriter(termsMax, norms);
  const merge = new PostingsMerge(postings, 'positions', rows);
  const present = presentParts(parts);
  const cursor = new TermMerge(present.indexes.map((index) => index.terms));
  while (cursor.next()) {
    for (let i = 0; i < cursor.count; i++) {
      const source = cursor.sources[i]!;
      merge.add(present.parts[source]!, present.indexes[source]!.postings(cursor.ords[i]!));
    }
    if (merge.endTerm()) cursor.copyTo(terms);
  }
  return writeWordIndex(sections, {
    terms: terms.finish(),
    postings,
    norms,
    sumTotalTermFreq: merge.totalFreq,
  });
}

/** Returns the parts that have an index, and their numbers. */
function presentParts<Index>(parts: readonly (Index | undefined)[]): {
  readonly indexes: readonly Index[];
  readonly parts: readonly number[];
} {
  const indexes: Index[] = [];
  const numbers: number[] = [];
  parts.forEach((index, part) => {
    if (index === undefined) return;
    indexes.push(index);
    numbers.push(part);
  });
  return { indexes, parts: numbers };
}

function mergeValues(
  sections: SectionWriter,
  parts: readonly (ValueIndex | undefined)[],
  rows: RowMap,
): ValueIndexRef | null {
  const present = presentParts(parts);
  if (present.parts.length === 0) return null;
  const used = present.indexes.map((index, i) => usedOrds(index, rows.newRow[present.parts[i]!]!));
  const exact = mergeTerms(
    present.indexes.map((index) => index.exact),
    used,
  );
  if (exact.terms.offsets.length === 1) return null;
  const toFolded = present.indexes.map(exactToFolded);
  const usedFolded = present.indexes.map((index, i) => {
    const flags = new Uint8Array(index.folded.size);
    for (let ord = 0; ord < index.exact.size; ord++) {
      if (used[i]![ord] === 1) flags[toFolded[i]![ord]!] = 1;
    }
    return flags;
  });
  const folded = mergeTerms(
    present.indexes.map((index) => index.folded),
    usedFolded,
  );
  const newToFolded = new Int32Array(exact.terms.offsets.length - 1);
  exact.maps.forEach((map, i) => {
    for (let ord = 0; ord < map.length; ord++) {
      if (map[ord]! >= 0) newToFolded[map[ord]!] = folded.maps[i]![toFolded[i]![ord]!]!;
    }
  });
  return writeValueIndex(sections, {
    rowCount: rows.rowCount,
    exact: exact.terms,
    folded: folded.terms,
    exactToFolded: newToFolded,
    ...mergeOrds(present, exact.maps, rows),
  });
}

/** By exact ordinal: 1 if a remaining row has the value. */
function usedOrds(index: ValueIndex, newRow: Int32Array): Uint8Array {
  const used = new Uint8Array(index.exact.size);
  const { ords, ordStart } = index;
  for (let row = 0; row < newRow.length; row++) {
    if (newRow[row]! < 0) continue;
    if (ordStart === null) {
      if (ords[row]! >= 0) used[ords[row]!] = 1;
    } else {
      for (let at = ordStart[row]!; at < ordStart[row + 1]!; at++) used[ords[at]!] = 1;
    }
  }
  return used;
}

function exactToFolded({ exact, folded, foldedStart, foldedToExact }: ValueIndex): Int32Array {
  const map = new Int32Array(exact.size);
  for (let ord = 0; ord < folded.size; ord++) {
    for (let at = foldedStart[ord]!; at < foldedStart[ord + 1]!; at++)
      map[foldedToExact[at]!] = ord;
  }
  return map;
}

function mergeOrds(
  present: { readonly indexes: readonly ValueIndex[]; readonly parts: readonly number[] },
  maps: readonly Int32Array[],
  rows: RowMap,
): { readonly rows: IntList; readonly ords: IntList } {
  const newRows = new IntList();
  const ords = new IntList();
  const sourceOf = new Int32Array(rows.newRow.length).fill(-1);
  for (let i = 0; i < present.parts.length; i++) sourceOf[present.parts[i]!] = i;
  for (let row = 0; row < rows.rowCount; row++) {
    const source = sourceOf[rows.part[row]!]!;
    if (source < 0) continue;
    const index = present.indexes[source]!;
    const map = maps[source]!;
    const old = rows.oldRow[row]!;
    const from = index.ordStart === null ? old : index.ordStart[old]!;
    const to = index.ordStart === null ? old + 1 : index.ordStart[old + 1]!;
    for (let at = from; at < to; at++) {
      if (index.ords[at]! < 0) continue;
      newRows.push(row);
      ords.push(map[index.ords[at]!]!);
    }
  }
  return { rows: newRows, ords };
}

function mergeNumbers(
  parts: readonly (NumberIndex | undefined)[],
  rows: RowMap,
): NumberColumnBuilder {
  const column = new NumberColumnBuilder();
  for (let row = 0; row < rows.rowCount; row++) {
    const index = parts[rows.part[row]!];
    if (index === undefined) continue;
    const { values, start } = index;
    const old = rows.oldRow[row]!;
    const from = start === null ? old : start[old]!;
    const to = start === null ? old + 1 : start[old + 1]!;
    for (let at = from; at < to; at++) {
      if (!Number.isNaN(values[at]!)) column.push(row, values[at]!);
    }
  }
  return column;
}
