// The aggregations of a plan: Elasticsearch's, with every field resolved to a column of one index
// and every date to an instant. A plan has one record of them per target; all have the same names
// and the same shape, only the columns they read differ.
// Invariant: plain JSON, like the rest of the plan.
import type { NumberColumn, Query, SortKey, SourceFilter } from './query.ts';

/** Type of values: determines how keys are formatted and compared. */
export type ValueType = 'string' | 'long' | 'double' | 'date' | 'boolean';

/** The column that an aggregation reads. */
export type ValueSource =
  /** The exact whole values of a string field. */
  | ({ readonly kind: 'strings'; readonly field: string } & Flattened)
  /** A numeric column. */
  | ({
      readonly kind: 'numbers';
      readonly field: string;
      readonly column: NumberColumn;
      readonly type: Exclude<ValueType, 'string'>;
    } & Flattened)
  /** The document's id, also inside nested. */
  | { readonly kind: 'id' }
  /** The same value in every document. */
  | { readonly kind: 'constant'; readonly value: string }
  /** No values: the index has no such field, or not in this scope. */
  | { readonly kind: 'none' };

/** A nested field that is read for documents. */
export interface Flattened {
  /**
   * The nested path of the field, set only if the rows are documents: a document then has the
   * values of all its elements. Strings count once per document, numbers as often as they occur, as
   * in any array.
   */
  readonly nestedPath?: string;
}

/** A sort key of `top_hits`. */
export type HitSortKey = SortKey & Flattened;

/** Aggregations by name. */
export type Aggregations = Readonly<Record<string, Aggregation>>;

/** Replacement for a missing value. */
export type MissingValue = string | number;

/** One criterion of bucket order; ties are broken by key, ascending. */
export type BucketOrder =
  | { readonly by: 'count' | 'key'; readonly order: 'asc' | 'desc' }
  /**
   * A metric of the bucket or of a single bucket inside: `path` holds the names, `property` the
   * member of a metric with several.
   */
  | {
      readonly by: 'metric';
      readonly path: readonly string[];
      readonly property: string;
      readonly order: 'asc' | 'desc';
    };

/** Which terms make buckets: a Lucene regular expression or a list. */
export type TermsFilter =
  | { readonly kind: 'regexp'; readonly pattern: string }
  | { readonly kind: 'values'; readonly values: readonly MissingValue[] };

/** Bounds of one bucket; `to` is exclusive. Dates also have texts. */
export interface RangeBounds {
  readonly key: string;
  readonly from?: number;
  readonly to?: number;
  readonly fromText?: string;
  readonly toText?: string;
}

/** Units of the calendar, as dates.ts has them, and quarters. */
export type CalendarUnit = 'y' | 'q' | 'M' | 'w' | 'd' | 'h' | 'm' | 's';

/** Consecutive intervals of time. */
export interface DateIntervals {
  /** A calendar unit, or a fixed number of milliseconds; in local time of the zone either way. */
  readonly every: CalendarUnit | number;
  /** An IANA id, `Z` or `±hh:mm`. */
  readonly timeZone: string;
  readonly offsetMs: number;
}

/** Calculates figures from the values of the rows of a bucket. */
export type MetricAggregation =
  | {
      readonly kind:
        | 'avg'
        | 'sum'
        | 'min'
        | 'max'
        | 'valueCount'
        | 'cardinality'
        | 'stats'
        | 'extendedStats';
      readonly source: ValueSource;
      readonly missing?: MissingValue;
    }
  | {
      readonly kind: 'percentiles';
      readonly source: ValueSource;
      readonly missing?: MissingValue;
      readonly percents: readonly number[];
      readonly keyed: boolean;
    }
  | {
      readonly kind: 'topHits';
      readonly from: number;
      readonly size: number;
      /** Empty: by score. */
      readonly sort: readonly HitSortKey[];
      /** null: without sources. */
      readonly sourceFilter: SourceFilter | null;
    };

/** Groups rows into buckets. */
export type BucketAggregation = (
  | {
      readonly kind: 'terms';
      readonly source: ValueSource;
      readonly size: number;
      readonly minDocCount: number;
      readonly order: readonly BucketOrder[];
      readonly missing?: MissingValue;
      readonly include?: TermsFilter;
      readonly exclude?: TermsFilter;
    }
  | { readonly kind: 'filter'; readonly query: Query }
  | {
      readonly kind: 'filters';
      readonly filters: readonly { readonly name: string; readonly query: Query }[];
      /** Buckets by name; else a list. */
      readonly keyed: boolean;
      /** Name of the bucket of all other rows; null: no such bucket. */
      readonly other: string | null;
    }
  /** From documents to their nested elements; null: the index has no such path. */
  | { readonly kind: 'nested'; readonly path: string | null }
  /** From nested elements back to their documents. */
  | { readonly kind: 'reverseNested' }
  /** Rows without a value. */
  | { readonly kind: 'missing'; readonly source: ValueSource }
  /** All documents of the index, whatever the query. */
  | { readonly kind: 'global' }
  | {
      readonly kind: 'range';
      readonly source: ValueSource;
      /** Ordered by `from`, then `to`. */
      readonly ranges: readonly RangeBounds[];
      readonly keyed: boolean;
      readonly missing?: MissingValue;
    }
  | {
      readonly kind: 'histogram';
      readonly source: ValueSource;
      readonly interval: number;
      readonly offset: number;
      readonly minDocCount: number;
      readonly keyed: boolean;
      readonly order: readonly BucketOrder[];
      readonly missing?: MissingValue;
    }
  | {
      readonly kind: 'dateHistogram';
      readonly source: ValueSource;
      readonly intervals: DateIntervals;
      readonly format: string | null;
      readonly minDocCount: number;
      readonly keyed: boolean;
      readonly order: readonly BucketOrder[];
      readonly missing?: MissingValue;
    }
  | {
      readonly kind: 'composite';
      readonly sources: readonly CompositeSource[];
      readonly size: number;
      /** One value per source: only tuples after it are returned. */
      readonly after?: readonly (string | number | null)[];
    }
) & { readonly aggregations: Aggregations };

/** One part of a composite key. */
export type CompositeSource = {
  readonly name: string;
  readonly source: ValueSource;
  readonly order: 'asc' | 'desc';
  /** Rows without a value have the key null. */
  readonly missingBucket: boolean;
} & (
  | { readonly kind: 'terms' }
  | { readonly kind: 'histogram'; readonly interval: number }
  | {
      readonly kind: 'dateHistogram';
      readonly intervals: DateIntervals;
      readonly format: string | null;
    }
);

export type Aggregation = MetricAggregation | BucketAggregation;

/**
 * The nested path whose elements a source reads for documents; null if it reads the rows
 * themselves.
 */
export function nestedPathOf(source: ValueSource): string | null {
  return 'nestedPath' in source ? (source.nestedPath ?? null) : null;
}

/** True for aggregations that make buckets. */
export function hasBuckets(aggregation: Aggregation): aggregation is BucketAggregation {
  return 'aggregations' in aggregation;
}
