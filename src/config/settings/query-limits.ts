// Settings of the limits of queries.

import { DEFAULT_LIMITS } from '../../query/limits.ts';
import { wholeNumber } from './config-values.ts';
import { NUMBER, setting } from './setting.ts';

/** In the order of help texts. */
export const QUERY_LIMITS = {
  maxClauses: setting(
    'max-clauses',
    DEFAULT_LIMITS.maxClauses,
    'Most clauses of a query.',
    wholeNumber(1, 1_000_000),
    NUMBER,
  ),
  maxDepth: setting(
    'max-depth',
    DEFAULT_LIMITS.maxDepth,
    'Most nesting levels of a query.',
    wholeNumber(1, 200),
    NUMBER,
  ),
  maxQueryLength: setting(
    'max-query-length',
    DEFAULT_LIMITS.maxQueryLength,
    'Most characters of a query text.',
    wholeNumber(1, 10_000_000),
    NUMBER,
  ),
  maxTerms: setting(
    'max-terms',
    DEFAULT_LIMITS.maxTerms,
    'Most values of one filter.',
    wholeNumber(1, 10_000_000),
    NUMBER,
  ),
  maxRegexLength: setting(
    'max-regex-length',
    DEFAULT_LIMITS.maxRegexLength,
    'Most characters of a regular expression.',
    wholeNumber(1, 100_000),
    NUMBER,
  ),
  maxSortKeys: setting(
    'max-sort-keys',
    DEFAULT_LIMITS.maxSortKeys,
    'Most sort keys of a search.',
    wholeNumber(1, 1_000),
    NUMBER,
  ),
  maxWindow: setting(
    'max-window',
    DEFAULT_LIMITS.maxWindow,
    'Largest limit, and largest sum of offset and limit.',
    wholeNumber(1, 1_000_000),
    NUMBER,
  ),
  maxAggregationDepth: setting(
    'max-aggregation-depth',
    DEFAULT_LIMITS.maxAggregationDepth,
    'Most nesting levels of aggregations.',
    wholeNumber(1, 20),
    NUMBER,
  ),
  maxBuckets: setting(
    'max-buckets',
    DEFAULT_LIMITS.maxBuckets,
    'Most buckets of all aggregations of a request.',
    wholeNumber(1, 1_000_000),
    NUMBER,
  ),
};
