// The plan: every kind of request is parsed into one, and a search backend sees nothing else. It is
// plain JSON, fully resolved against the mappings: text is analysed, dates are instants, unknown
// fields are gone. It has one target per index, because the six document types map the same name
// differently.
// Invariant: JSON.parse(JSON.stringify(plan)) is the same plan.
import type { Aggregations } from './aggregation.ts';
import type { IndexName, Query, SortKey, SortValue, SourceFilter, TermForm } from './query.ts';

/** The query for one index. The targets of a plan are ordered by index name. */
export interface Target {
  readonly index: IndexName;
  readonly query: Query;
  /** Aggregations over the matching documents; same names and shape in every target. */
  readonly aggregations?: Aggregations;
  /** If present, the rows are the matching elements of the documents that `query` matches. */
  readonly innerHit?: InnerHit;
  /** Field of a plan with `typeahead`; absent if the index has no such field. */
  readonly typeahead?: TypeaheadField;
  /**
   * The documents that exist for this plan; absent: all. A backend answers as if the index had no
   * others, also where it looks beyond the query: in expansions of terms, buckets of other documents,
   * and what it says of a document by id.
   */
  readonly visible?: Query;
}

/**
 * Matching elements of a nested array, in array order per document. `query` is as inside `nested`.
 */
export interface InnerHit {
  readonly path: string;
  readonly query: Query;
}

/**
 * The values of a string field that complete a text. `word`: a value contains `terms` as adjacent
 * words, the last one as a prefix of a word; `folded` and `exact`: the value in that form starts
 * with the one term.
 */
export interface TypeaheadField {
  readonly field: string;
  /** The nested path it lies below, or null. */
  readonly nested: string | null;
  readonly form: TermForm;
  /** Empty: no value completes the text. */
  readonly terms: readonly string[];
  /** Only values of matching documents are counted. */
  readonly filter: Query;
}

/**
 * Selection and order of completed values; ties are ordered by value, ascending, in code point
 * order.
 */
export interface Typeahead {
  readonly size: number;
  readonly order: 'asc' | 'desc';
  readonly by: 'count' | 'value';
  /** Most terms of an index, in term order, that the last word expands to. */
  readonly maxExpansions: number;
}

/**
 * A resolved search. Documents that tie on all sort keys are ordered by index name, then id (code
 * point order, ascending).
 */
export interface Plan {
  readonly targets: readonly Target[];
  /** Empty: by score where the query scores, else index name and id. */
  readonly sort: readonly SortKey[];
  /** One value per sort key; only documents strictly after it are returned. */
  readonly searchAfter?: readonly SortValue[];
  /** First row to return; with `innerHit`, rows are elements. */
  readonly from: number;
  readonly size: number;
  /** Count the exact total. */
  readonly trackTotal: boolean;
  readonly source: SourceFilter;
  /**
   * With `innerHit`: the rows are the documents themselves, each with the positions of its matching
   * elements, and from, size and total count documents.
   */
  readonly elementPositions?: true;
  /**
   * With one target that has `innerHit`: the rows are its elements in an order of their own. A sort
   * key is a field of the elements or of their document, and of an element with several values the
   * one that comes first counts; missing values are last. Ties are ordered by id, then by position
   * in the array. Each hit is the document with the position of one element, and its sort values end
   * with that id and position; so do those of `searchAfter`, which may be used with `from`.
   */
  readonly elementOrder?: true;
  /** Most buckets and hits of all aggregations; present if the targets have aggregations. */
  readonly maxBuckets?: number;
  /** The results are values of a field; from, size, sort and source are ignored. */
  readonly typeahead?: Typeahead;
}
