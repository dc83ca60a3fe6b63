// Where aggregations find values in OpenSearch: the field of a source, and the rows that have none.
import type { ValueSource } from '../../query/aggregation.ts';
import type { AggregationPlace } from './aggregation-question.ts';
import { columnName, numberColumn, STORED, storedName } from './columns.ts';
import { type Json, MATCH_NONE } from './query-to-body.ts';

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
  return field === null ? EVERY_ROW : { missing: { field } };
}
