// The bounds a request must stay within, and how passing one is told. Each has a name, a default and a setting.
import { ServiceError } from '../errors.ts';

/** Bounds of one request; every one is a setting. */
export interface QueryLimits {
  /** Clauses of a query text after expansion. */
  readonly maxClauses: number;
  /** Levels of parentheses, nested queries included. */
  readonly maxDepth: number;
  /** UTF-16 units of a query text. */
  readonly maxQueryLength: number;
  /** Terms of a filter, and nodes a query may grow to on one index. */
  readonly maxTerms: number;
  /** UTF-16 units of a regular expression. */
  readonly maxRegexLength: number;
  /** Keys of `sort`. */
  readonly maxSortKeys: number;
  /** Greatest `limit`, and greatest `offset + limit`. */
  readonly maxWindow: number;
  /** Levels of aggregations. */
  readonly maxAggregationDepth: number;
  /** Buckets and hits that the aggregations of a request come to. */
  readonly maxBuckets: number;
}

export const DEFAULT_LIMITS: QueryLimits = {
  maxClauses: 1024,
  maxDepth: 50,
  maxQueryLength: 32_768,
  maxTerms: 65_536,
  maxRegexLength: 1000,
  maxSortKeys: 32,
  maxWindow: 10_000,
  maxAggregationDepth: 5,
  maxBuckets: 65_536,
};

/** The variable that an operator sets a bound by, as docs/configuration.md names it: maxClauses is CARDEA_MAX_CLAUSES. */
export function limitSetting(limit: keyof QueryLimits): string {
  return `CARDEA_${limit.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** What is known of a bound that was passed. */
export interface LimitBreach {
  /** Where in the query text, in UTF-16 units. */
  readonly offset?: number;
  /** How many there are, where all of them were counted. */
  readonly found?: number;
}

/** The fault of a bound that was passed; `what` reads like "clauses in a query". */
export function limitFault(
  limit: keyof QueryLimits,
  bound: number,
  what: string,
  { offset, found }: LimitBreach = {},
): ServiceError {
  const where = offset === undefined ? '' : ` (offset ${offset})`;
  const count = found === undefined ? '' : `, found ${found}`;
  const sentence = `More than ${bound} ${what}${where}${count}; the limit is ${limitSetting(limit)}`;
  return new ServiceError('limit_exceeded', sentence, {
    causes: [sentence],
    ...(offset === undefined ? {} : { offset }),
  });
}
