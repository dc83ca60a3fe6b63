// How the fields of a mapping are called in OpenSearch. A leaf is an object of columns, one for each way to look at
// its values: `name.words`, `name.exact`, `name.folded`. So what the documents and the queries name is the same.
// Invariant: two paths never share a name, and no name has a meaning of its own to OpenSearch.
import type { Field } from '../../query/mapping/mapping.ts';
import { CATCH_ALL, type NumberColumn, type TermForm } from '../../query/query.ts';

/** What a leaf is indexed as; `words` analysed, `exact` and `folded` whole values, the others numbers. */
export type Column = 'words' | 'exact' | 'folded' | 'value' | 'date' | 'number';

/** What every document carries beside its leaves. `%` begins no encoded name that is not followed by six digits. */
export const STORED = {
  /** The document's id; `_id` is too short for some. */
  id: '%document.id',
  index: '%document.index',
  /** The two byte parts a response is spliced from. */
  root: '%document.root',
  nested: '%document.nested',
  /** What a column of numbers holds more than once, as `repeatOf` spells it: buckets count such a value once. */
  repeats: '%document.repeats',
} as const;

/** What a level has beside its leaves: of documents as it is called, of elements below their path. */
export function storedName(path: string | null, name: string): string {
  return path === null ? name : `${encodedPath(path)}.${name}`;
}

/** A value that a column of a row holds several times. */
export interface Repeat {
  readonly value: number;
  readonly times: number;
}

/** @param column as it is called in its row */
export function repeatOf(column: string, { value, times }: Repeat): string {
  return `${column} ${times} ${value}`;
}

export function parseRepeat(text: string): Repeat {
  const [value, times] = text.split(' ').reverse();
  return { value: Number(value), times: Number(times) };
}

/** What a column of dates is called where it is read as a date, below its name. */
export const INSTANT = 'instant';

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

/** The column of numbers of a field. */
export function numberColumn(path: string, column: NumberColumn): string {
  return columnName(path, column);
}

export function columnName(path: string, column: Column): string {
  return `${path === CATCH_ALL ? ALL : encodedPath(path)}.${column}`;
}

/** Letters, digits, blanks, `-`, `_` and the dots between parts stay; a leading `_` is OpenSearch's own. */
export function encodedPath(path: string): string {
  return path.replace(
    /^_|[^\p{L}\p{N}_. -]/gu,
    (char) => `%${(char.codePointAt(0) ?? 0).toString(16).padStart(6, '0')}`,
  );
}

/** The columns a field has. */
export function columnsOf({ type, dynamic }: Field): readonly Column[] {
  switch (type) {
    case 'text':
      return dynamic
        ? ['words', 'exact', 'folded', 'date', 'number']
        : ['words', 'exact', 'folded'];
    case 'keyword':
      return ['exact', 'folded'];
    case 'date':
    case 'long':
    case 'double':
    case 'boolean':
      return ['value'];
  }
}

/**
 * What a column of numbers is to OpenSearch. Instants, booleans and the integers of known fields fit a long; a number
 * that came as it liked may be larger.
 */
export function numberTypeOf(field: Field, column: NumberColumn): 'long' | 'double' {
  if (column !== 'value') return column === 'date' ? 'long' : 'double';
  return field.type === 'double' || (field.type === 'long' && field.dynamic) ? 'double' : 'long';
}
