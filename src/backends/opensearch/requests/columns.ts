// Names of the fields of a mapping in OpenSearch. A leaf has columns, one for each form of its
// values: `name%words`, `name%exact`, `name%folded`. They are beside `name`, where OpenSearch finds
// the values in the document itself. Documents and queries both take the names from here.
// Invariant: two paths never share a name, and no name is reserved by OpenSearch.
import type { Field } from '../../../query/mapping/mapping.ts';
import { CATCH_ALL, type NumberColumn, type TermForm } from '../../../query/query.ts';

/** `words` are analysed, `exact` and `folded` are whole values, the others are numbers. */
export type Column = 'words' | 'exact' | 'folded' | 'value' | 'date' | 'number';

/**
 * Fields of every document besides its leaves. `%` starts an encoded character only before six
 * digits.
 */
export const STORED = {
  /** The document's id, in the document alone; `_id` is too short for some. */
  id: '%id',
  index: '%index',
  /** The change that it is from, for the comparison with the store. */
  sequence: '%sequence',
  /** Numbers that a column holds more than once, written by `repeatOf`: buckets count them once. */
  repeats: '%repeats',
} as const;

/**
 * Members of the source that OpenSearch does not index: where the document is in it, and the parts
 * of a document that OpenSearch must not read by itself.
 */
export const SOURCE = { places: '%source', root: '%root', nested: '%nested' } as const;

/**
 * OpenSearch's own field, which elements have, too: the id of their document by `documentId`. It has no
 * doc values: OpenSearch builds them in memory for the aggregations of elements that need ids, so
 * that no element has an id in the source.
 */
export const OWN_ID = '_id';

/** The name of a stored field: unchanged in documents, below the path in nested elements. */
export function storedName(path: string | null, name: string): string {
  return path === null ? name : `${encodedPath(path)}.${name}`;
}

/** A value that occurs several times in a column of a row. */
export interface Repeat {
  readonly value: number;
  readonly times: number;
}

/** @param column its name within the row */
export function repeatOf(column: string, { value, times }: Repeat): string {
  return `${column} ${times} ${value}`;
}

export function parseRepeat(text: string): Repeat {
  const [value, times] = text.split(' ').reverse();
  return { value: Number(value), times: Number(times) };
}

/** The catch-all field. */
export const ALL = '%all';

const OF_FORM: Readonly<Record<TermForm, Column>> = {
  word: 'words',
  folded: 'folded',
  exact: 'exact',
};

/** The column of one form of a string field. */
export function formColumn(path: string, form: TermForm): string {
  return columnName(path, OF_FORM[form]);
}

/** A column of a field. */
export function columnName(path: string, column: Column): string {
  return `${path === CATCH_ALL ? ALL : encodedPath(path)}%${column}`;
}

/** Whether a member has the same name in OpenSearch, and no column or other field can have it. */
export function isPlainName(name: string): boolean {
  return PLAIN_NAME.test(name);
}

/** No dots, which OpenSearch splits names at, and no integers, which JavaScript moves to the front. */
const PLAIN_NAME = /^(?=.*[^\d ])[\p{L}\p{N}-][\p{L}\p{N}_ -]*(?<! )$/u;

/** Keeps letters, digits, blanks, `-`, `_` and dots; OpenSearch reserves a leading `_`. */
export function encodedPath(path: string): string {
  return path.replace(
    /^_|[^\p{L}\p{N}_. -]/gu,
    (char) => `%${(char.codePointAt(0) ?? 0).toString(16).padStart(6, '0')}`,
  );
}

/** The columns of a field; a dynamic one has the same whatever its type, which may widen. */
export function columnsOf({ type, dynamic }: Field): readonly Column[] {
  if (dynamic) return ['words', 'exact', 'folded', 'date', 'number', 'value'];
  switch (type) {
    case 'text':
      return ['words', 'exact', 'folded'];
    case 'keyword':
      return ['exact', 'folded'];
    case 'date':
    case 'long':
    case 'double':
    case 'boolean':
      return ['value'];
  }
}

/** OpenSearch's types of numbers: instants are milliseconds, booleans 0 and 1. */
export type NumberType = 'long' | 'double' | 'date' | 'boolean';

/**
 * OpenSearch's type of a column of numbers of a field that has it. Integers of declared fields fit a
 * long; a dynamic field has numbers of all sizes and booleans.
 */
export function numberTypeOf({ type, dynamic }: Field, column: NumberColumn): NumberType {
  if (column !== 'value') return column === 'date' ? 'date' : 'double';
  return dynamic ? 'double' : (type as NumberType);
}
