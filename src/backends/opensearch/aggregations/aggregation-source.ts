// Where aggregations find values in OpenSearch: the field of a source, and the rows that have none.
// Elements are documents of their own there, so a flattened source is read below `nested`, and what
// is inside of its buckets is asked of the documents again by `reverse_nested`, which counts each
// document once.
import { nestedPathOf, type ValueSource } from '../../../query/aggregation/aggregation.ts';
import { columnName, encodedPath, numberColumn, STORED, storedName } from '../columns.ts';
import { type Json, MATCH_NONE } from '../query-to-body.ts';
import { type AggregationPlace, type Found, foundAt } from './aggregation-question.ts';

/** A bucket of all rows. */
export const EVERY_ROW: Json = { filter: { match_all: {} } };
const NO_ROW: Json = { filter: MATCH_NONE };

/** The field that holds the values; null where none does. */
export function sourceField(source: ValueSource, { path }: AggregationPlace): string | null {
  switch (source.kind) {
    case 'strings':
      return columnName(source.field, 'exact');
    case 'numbers':
      return numberColumn(source.field, source.column);
    case 'id':
      return storedName(path, STORED.id);
    case 'constant':
    case 'none':
      return null;
  }
}

/** A bucket of the rows without a value. */
export function absent(source: ValueSource, place: AggregationPlace): Json {
  if (source.kind === 'id' || source.kind === 'constant') return NO_ROW;
  const field = sourceField(source, place);
  if (field === null) return EVERY_ROW;
  if (nestedPathOf(source) === null) return { missing: { field } };
  return { filter: { bool: { must_not: [withValues(source, { exists: { field } })] } } };
}

/**
 * A query on the field of a source, as its rows are asked: by any element where the source is
 * flattened.
 */
export function withValues(source: ValueSource, query: Json): Json {
  const path = nestedPathOf(source);
  if (path === null) return query;
  return {
    nested: { path: encodedPath(path), query, score_mode: 'none', ignore_unmapped: true },
  };
}

type Aggs = Readonly<Record<string, Json>>;

/** Aggregations on the field of a source; `name` is free in a level of its own. */
export function onValues(source: ValueSource, name: string, aggs: Aggs): Aggs {
  const path = nestedPathOf(source);
  return path === null ? aggs : { [name]: { nested: { path: encodedPath(path) }, aggs } };
}

/** The answer to `onValues`. */
export function valuesIn(source: ValueSource, found: Found, name: string): Found {
  return nestedPathOf(source) === null ? found : foundAt(found, name);
}

/** What is inside of a bucket of values: of the rows that have them. */
export function insideValue(source: ValueSource, aggs: Aggs): Aggs {
  return nestedPathOf(source) === null ? aggs : { [ROWS]: { reverse_nested: {}, aggs } };
}

/** The answer to `insideValue`, with the number of rows. */
export function rowsIn(source: ValueSource, found: Found): Found {
  return nestedPathOf(source) === null ? found : foundAt(found, ROWS);
}

const ROWS = 'rows';
