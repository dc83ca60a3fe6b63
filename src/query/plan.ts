// The plan: what every request kind is parsed into and the only thing a search backend sees. It is plain JSON,
// fully resolved against the mapping: words are analysed, dates are instants, unknown fields are gone. One target
// per index, because the six document types map the same name differently.
// Invariant: JSON.parse(JSON.stringify(plan)) is the same plan.
import type { Aggregations } from './aggregation/aggregation.ts';
import type { IndexName, Query, SortKey, SortValue, SourceFilter, TermForm } from './query.ts';

/** The query for one index. A plan's targets stand in index name order. */
export interface Target {
  readonly index: IndexName;
  readonly query: Query;
  /** What is calculated from the documents that match; the same names and shape in every target. */
  readonly aggregations?: Aggregations;
  /** With it the rows of the answer are the elements it finds in the documents that `query` finds. */
  readonly innerHit?: InnerHit;
  /** What a plan with `typeahead` asks of this index; absent where the index has no such field. */
  readonly typeahead?: TypeaheadField;
}

/** Elements of a nested array, in array order below each document. `query` is as inside `nested`. */
export interface InnerHit {
  readonly path: string;
  readonly query: Query;
}

/**
 * The values of a string field that complete a text. `word`: the words of a value hold `terms` side by side, the last
 * of them as a prefix of a word; `folded` and `exact`: the value in that form starts with the one term.
 */
export interface TypeaheadField {
  readonly field: string;
  /** The nested path it lies below, or null. */
  readonly nested: string | null;
  readonly form: TermForm;
  /** None: no value completes it. */
  readonly terms: readonly string[];
  /** Documents whose values count. */
  readonly filter: Query;
}

/** How the completed values are chosen and ordered; ties by value, ascending, in code point order. */
export interface Typeahead {
  readonly size: number;
  readonly order: 'asc' | 'desc';
  readonly by: 'count' | 'value';
  /** Terms of an index, in term order, that the last word may stand for. */
  readonly maxExpansions: number;
}

/** A search, resolved. Documents that tie on all sort keys stand in index name, then id order (code point, ascending). */
export interface Plan {
  readonly targets: readonly Target[];
  /** Empty: by score where the query scores, else index name and id. */
  readonly sort: readonly SortKey[];
  /** Same length as `sort`; only documents strictly after it are returned. */
  readonly searchAfter?: readonly SortValue[];
  /** Rows; with `innerHit` these are elements. */
  readonly from: number;
  readonly size: number;
  /** Whether the exact total is wanted. */
  readonly trackTotal: boolean;
  readonly source: SourceFilter;
  /** How many buckets and hits the aggregations may come to; there where the targets have some. */
  readonly maxBuckets?: number;
  /** The answer is the values of a field; from, size, sort and source have no say. */
  readonly typeahead?: Typeahead;
}
