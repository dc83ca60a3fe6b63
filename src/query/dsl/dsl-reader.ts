// Shared by the readers of single clauses. A reader calls back for the clauses inside its own, so
// it depends neither on other readers nor on the table of all clauses.

import { invalid } from '../body.ts';
import { boosted } from '../build.ts';
import { timeZone, UTC } from '../dates/time-zone.ts';
import type { DefaultField } from '../language/assembly.ts';
import { defaultFieldsOf } from '../language/default-fields.ts';
import { RequestTexts } from '../language/request-texts.ts';
import type { QueryLimits } from '../limits.ts';
import { Parameters } from './dsl-parameters.ts';
import type { DslQuery } from './dsl-target.ts';

/** Reads clauses inside a clause and enforces the limits of the request. */
export interface ClauseReader {
  readonly limits: QueryLimits;
  /** Epoch milliseconds. */
  readonly now: number;
  clause(value: unknown, place: string): DslQuery;
  /**
   * Counts a query text; all texts of a request together must stay within the limit of one.
   * @throws ServiceError `limit_exceeded`
   */
  countText(text: string): void;
}

/** Reads the body of a clause. */
export type ReadClause = (value: unknown, place: string, reader: ClauseReader) => DslQuery;

/** Multiplies the score of a clause. */
export function withBoost(query: DslQuery, boost: number | undefined): DslQuery {
  if (boost === undefined || boost === 1) return query;
  return (target, scope) => boosted(query(target, scope), boost);
}

/** Reads a `boost` that is a sibling of the field. */
export function siblingBoost(value: unknown, place: string): number | undefined {
  return new Parameters({ boost: value }, place, ['boost']).factor('boost');
}

/** Returns the reader of texts: dates have the `now` of the request and the `time_zone` of the clause. */
export function requestTextsOf(parameters: Parameters, reader: ClauseReader): RequestTexts {
  const name = parameters.string('time_zone');
  if (name === undefined || name === '') return new RequestTexts(reader.now, UTC);
  const zone = timeZone(name);
  if (zone !== undefined) return new RequestTexts(reader.now, zone);
  throw invalid(
    `${parameters.pathOf('time_zone')}: there is no time zone ${JSON.stringify(name.slice(0, 60))}`,
  );
}

/**
 * Reads field names, with optional `*` wildcards and a weight after `^`; empty means all fields.
 */
export function fieldsOf(
  parameters: Parameters,
  name: string,
  { limits }: ClauseReader,
): readonly DefaultField[] {
  return defaultFieldsOf(parameters.fieldNames(name) ?? [], limits, parameters.pathOf(name));
}
