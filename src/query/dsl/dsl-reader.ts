// What the readers of single clauses share: they call back for the clauses inside theirs, and need to know neither
// each other nor the table of all of them.

import { invalid } from '../body.ts';
import { boosted } from '../build.ts';
import type { DateContext } from '../dates/dates.ts';
import { timeZone, UTC } from '../dates/time-zone.ts';
import type { DefaultField } from '../language/assembly.ts';
import { defaultFieldsOf } from '../language/default-fields.ts';
import type { QueryLimits } from '../limits.ts';
import { Parameters } from './dsl-parameters.ts';
import type { DslQuery } from './dsl-target.ts';

/** Reads the clauses inside a clause. */
export interface ClauseReader {
  readonly limits: QueryLimits;
  /** Epoch milliseconds. */
  readonly now: number;
  clause(value: unknown, place: string): DslQuery;
  /**
   * Counts the query texts of the request, which keep the limit on one together.
   * @throws ServiceError `limit_exceeded`
   */
  spendText(text: string): void;
}

/** Reads what stands below the name of a clause. */
export type ReadClause = (value: unknown, place: string, reader: ClauseReader) => DslQuery;

/** A clause with its score multiplied. */
export function withBoost(query: DslQuery, boost: number | undefined): DslQuery {
  if (boost === undefined || boost === 1) return query;
  return (target, scope) => boosted(query(target, scope), boost);
}

/** A `boost` that stands beside a field. */
export function boostBeside(value: unknown, place: string): number | undefined {
  return new Parameters({ boost: value }, place, ['boost']).factor('boost');
}

/** What dates without a zone of their own are read in. */
export function datesOf(parameters: Parameters, reader: ClauseReader): DateContext {
  const name = parameters.string('time_zone');
  if (name === undefined || name === '') return { now: reader.now, zone: UTC };
  const zone = timeZone(name);
  if (zone !== undefined) return { now: reader.now, zone };
  throw invalid(
    `${parameters.placeOf('time_zone')}: there is no time zone ${JSON.stringify(name.slice(0, 60))}`,
  );
}

/** Names of fields, each perhaps with `*` in it and a weight behind `^`; all fields when there are none. */
export function fieldsOf(
  parameters: Parameters,
  name: string,
  { limits }: ClauseReader,
): readonly DefaultField[] {
  return defaultFieldsOf(parameters.names(name) ?? [], limits, parameters.placeOf(name));
}
