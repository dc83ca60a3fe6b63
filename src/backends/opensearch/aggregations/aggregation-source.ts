// The fields and rows that aggregations read values from in OpenSearch. Elements are separate
// documents there, so a flattened source is read below `nested`, and sub-aggregations return to the
// documents by `reverse_nested`, which counts each document once.

import type { Key } from '../../../engine/aggregation/collecting/intermediate.ts';
import { nestedPathOf, type ValueSource } from '../../../query/aggregation.ts';
import { columnName, encodedPath, OWN_ID, STORED } from '../requests/columns.ts';
import { type Json, MATCH_NONE } from '../requests/query-to-body.ts';
import {
  type AggregationResponse,
  type AggregationScope,
  answerAt,
} from './aggregation-request.ts';

/** A bucket of all rows. */
export const EVERY_ROW: Json = { filter: { match_all: {} } };
const NO_ROW: Json = { filter: MATCH_NONE };

/** The field that holds the values; null if there is none. */
export function sourceField(source: ValueSource, { path }: AggregationScope): string | null {
  switch (source.kind) {
    case 'strings':
      return columnName(source.field, 'exact');
    case 'numbers':
      return columnName(source.field, source.column);
    case 'id':
      return path === null ? STORED.id : OWN_ID;
    case 'constant':
    case 'none':
      return null;
  }
}

/** A bucket of the rows without a value. */
export function rowsWithoutValue(source: ValueSource, scope: AggregationScope): Json {
  if (source.kind === 'id' || source.kind === 'constant') return NO_ROW;
  const field = sourceField(source, scope);
  if (field === null) return EVERY_ROW;
  if (nestedPathOf(source) === null) return { missing: { field } };
  return { filter: { bool: { must_not: [withValues(source, { exists: { field } })] } } };
}

/** A query on the field of a source; matches if any element does, where the source is flattened. */
export function withValues(source: ValueSource, query: Json): Json {
  const path = nestedPathOf(source);
  if (path === null) return query;
  return {
    nested: { path: encodedPath(path), query, score_mode: 'none', ignore_unmapped: true },
  };
}

type Aggs = Readonly<Record<string, Json>>;

/**
 * The sub-aggregations of a bucket for each value, with what `keyIn` reads: of elements, the `_id` of
 * their document is the key, which may be shorter than its id.
 */
export function withKey(source: ValueSource, { path }: AggregationScope, aggs: Aggs): Aggs {
  if (source.kind !== 'id' || path === null) return aggs;
  const id = { terms: { field: STORED.id, size: 1 } };
  return { ...aggs, [DOCUMENT]: { reverse_nested: {}, aggs: { id } } };
}

/** The key of a bucket for a value. */
export function keyIn(bucket: AggregationResponse & { readonly key: Key }): Key {
  const [id] = answerAt(answerAt(bucket, DOCUMENT), 'id').buckets ?? [];
  return id?.key ?? bucket.key;
}

const DOCUMENT = 'document';

/** Aggregations on the field of a source; `name` must be unique in the level. */
export function onValues(source: ValueSource, name: string, aggs: Aggs): Aggs {
  const path = nestedPathOf(source);
  return path === null ? aggs : { [name]: { nested: { path: encodedPath(path) }, aggs } };
}

/** The answer to `onValues`. */
export function valuesIn(
  source: ValueSource,
  answer: AggregationResponse,
  name: string,
): AggregationResponse {
  return nestedPathOf(source) === null ? answer : answerAt(answer, name);
}

/** The sub-aggregations of a bucket of values, for the rows that have them. */
export function backToRows(source: ValueSource, aggs: Aggs): Aggs {
  return nestedPathOf(source) === null ? aggs : { [ROWS]: { reverse_nested: {}, aggs } };
}

/** The answer to `backToRows`, with the number of rows. */
export function rowsIn(source: ValueSource, answer: AggregationResponse): AggregationResponse {
  return nestedPathOf(source) === null ? answer : answerAt(answer, ROWS);
}

const ROWS = 'rows';
