// The limits on a request, and the error for exceeding one. Each has a name, a default and a
// setting.
import { ServiceError } from '../errors.ts';

/** Limits on one request; each is a setting. */
export interface QueryLimits {
  /** Clauses of a query text after expansion. */
  readonly maxClauses: number;
  /** Levels of parentheses, nested queries included. */
  readonly maxDepth: number;
  /** UTF-16 units of a query text. */
  readonly maxQueryLength: number;
  /** Terms of a filter, and terms of a resolved query on one index. */
  readonly maxTerms: number;
  /** UTF-16 units of a regular expression. */
  readonly maxRegexLength: number;
  /** Keys of `sort`. */
  readonly maxSortKeys: number;
  /** Largest `limit`, and largest `offset + limit`. */
  readonly maxWindow: number;
  /** Levels of aggregations. */
  readonly maxAggregationDepth: number;
  /** Buckets and hits of all aggregations of a request. */
  readonly maxBuckets: number;
}

export const DEFAULT_LIMITS: QueryLimits = {
  maxClauses: 1024,
  maxDepth: 50,
  maxQueryLength: 65_536,
  maxTerms: 65_536,
  maxRegexLength: 1000,
  maxSortKeys: 32,
  maxWindow: 10_000,
  maxAggregationDepth: 5,
  maxBuckets: 65_536,
};

/**
 * Returns the environment variable of a limit (docs/configuration.md): CARDEA_MAX_CLAUSES for
 * maxClauses.
 */
export function limitSetting(limit: keyof QueryLimits): string {
  return `CARDEA_${limit.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Details of an exceeded limit. */
export interface LimitBreach {
  /** Position in the query text, in UTF-16 units. */
  readonly offset?: number;
  /** The actual number, if all were counted. */
  readonly count?: number;
}

/** The error for an exceeded limit; `what` reads like "clauses in a query". */
export function limitFault(
  limit: keyof QueryLimits,
  bound: number,
  what: string,
  { offset, count }: LimitBreach = {},
): ServiceError {
  const where = offset === undefined ? '' : ` (offset ${offset})`;
  const countText = count === undefined ? '' : `, found ${count}`;
  const sentence = `More than ${bound} ${what}${where}${countText}; the limit is ${limitSetting(limit)}`;
  return new ServiceError('limit_exceeded', sentence, {
    causes: [sentence],
    ...(offset === undefined ? {} : { offset }),
  });
}
