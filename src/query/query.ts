// A query as data, and the other parts of a search that are resolved against one index: fields by
// name, words analysed, dates as instants.
// Invariant: it is plain JSON; `JSON.parse(JSON.stringify(query))` is the same query.

/** The six document types, by their index name in requests. */
export type IndexName =
  | 'accessprofiles'
  | 'accountactivities'
  | 'entitlements'
  | 'events'
  | 'identities'
  | 'roles';

/**
 * The form of a string field that a term is compared with. `word`: one analysed token of a text
 * field. `folded`: the whole value, lower-cased (text and keyword). `exact`: the whole value as
 * stored (text and keyword).
 */
export type TermForm = 'word' | 'folded' | 'exact';

/**
 * The numeric column of a field that a number is compared with. `value`: the field's own (long,
 * double, date in epoch milliseconds, boolean as 0 and 1). `date` and `number`: the values of a
 * dynamic string field that are also a date or a number.
 */
export type NumberColumn = 'value' | 'date' | 'number';

/**
 * The catch-all field of an index: `word` form, all text leaves; `folded` form, all keyword leaves;
 * `value` column, all long leaves.
 */
export const CATCH_ALL = '_all';

/**
 * The largest product of a boost and those around it, in every backend: so scores of whatever
 * statistics remain floats.
 */
export const MAX_BOOST = 1e30;

/** One node of a query. `boost` multiplies the score and does not change what matches. */
export type Query =
  | { readonly kind: 'matchAll'; readonly boost?: number }
  | { readonly kind: 'matchNone' }
  /** Scores by BM25. */
  | {
      readonly kind: 'term';
      readonly field: string;
      readonly form: TermForm;
      readonly value: string;
      readonly boost?: number;
    }
  /** Any of the values; scores a constant. */
  | {
      readonly kind: 'terms';
      readonly field: string;
      readonly form: TermForm;
      readonly values: readonly string[];
      readonly boost?: number;
    }
  /**
   * Words at their positions, within one value; `word` form always. With `prefixExpansions` the
   * last word is a prefix that may expand to that many dictionary terms.
   */
  | {
      readonly kind: 'phrase';
      readonly field: string;
      readonly terms: readonly string[];
      readonly slop: number;
      readonly prefixExpansions?: number;
      readonly boost?: number;
    }
  /** Scores a constant, as do wildcard, regexp, termRange, numberRange, numbers, exists and ids. */
  | {
      readonly kind: 'prefix';
      readonly field: string;
      readonly form: TermForm;
      readonly value: string;
      readonly boost?: number;
    }
  /** `*` any run, `?` one code point, `\` makes the next one literal. */
  | {
      readonly kind: 'wildcard';
      readonly field: string;
      readonly form: TermForm;
      readonly pattern: string;
      readonly boost?: number;
    }
  /** Lucene regular expression, anchored at both ends; see regexp.ts. */
  | {
      readonly kind: 'regexp';
      readonly field: string;
      readonly form: TermForm;
      readonly pattern: string;
      readonly boost?: number;
    }
  /**
   * Damerau-Levenshtein distance (optimal string alignment) over code points; scores as Lucene's
   * top-terms blended rewrite.
   */
  | {
      readonly kind: 'fuzzy';
      readonly field: string;
      readonly form: TermForm;
      readonly value: string;
      readonly maxEdits: 0 | 1 | 2;
      readonly prefixLength: number;
      readonly maxExpansions: number;
      readonly boost?: number;
    }
  /** Terms between two bounds in code point order; a missing bound is open. */
  | {
      readonly kind: 'termRange';
      readonly field: string;
      readonly form: TermForm;
      readonly gt?: string;
      readonly gte?: string;
      readonly lt?: string;
      readonly lte?: string;
      readonly boost?: number;
    }
  /** Numbers between two bounds; instants are epoch milliseconds. */
  | {
      readonly kind: 'numberRange';
      readonly field: string;
      readonly column: NumberColumn;
      readonly gt?: number;
      readonly gte?: number;
      readonly lt?: number;
      readonly lte?: number;
      readonly boost?: number;
    }
  /** Any of the numbers. */
  | {
      readonly kind: 'numbers';
      readonly field: string;
      readonly column: NumberColumn;
      readonly values: readonly number[];
      readonly boost?: number;
    }
  /** A value is present: not null, not [], not missing; "" counts as present. One leaf field. */
  | { readonly kind: 'exists'; readonly field: string; readonly boost?: number }
  /** Documents by id; never inside nested. */
  | { readonly kind: 'ids'; readonly values: readonly string[]; readonly boost?: number }
  /**
   * All of must and filter, none of mustNot, at least `minimumShouldMatch` of should (when absent:
   * 1 if there is neither must nor filter, else 0). Only mustNot: everything else. Scores the sum
   * of must and should.
   */
  | {
      readonly kind: 'bool';
      readonly must: readonly Query[];
      readonly should: readonly Query[];
      readonly filter: readonly Query[];
      readonly mustNot: readonly Query[];
      readonly minimumShouldMatch?: number;
      readonly boost?: number;
    }
  /** Any of the queries; scores the best one plus `tieBreaker` times each other. */
  | {
      readonly kind: 'disMax';
      readonly queries: readonly Query[];
      readonly tieBreaker: number;
      readonly boost?: number;
    }
  | { readonly kind: 'constantScore'; readonly query: Query; readonly boost?: number }
  /**
   * Root documents with a nested element of `path` that matches the whole inner query. Field names
   * inside are absolute. There is one level of nesting.
   */
  | {
      readonly kind: 'nested';
      readonly path: string;
      readonly query: Query;
      readonly scoreMode: 'avg' | 'max' | 'min' | 'sum' | 'none';
      readonly boost?: number;
    };

/**
 * One sort key. `_score` sorts by relevance, best first regardless of `order`; `_doc` by index
 * order. A string field sorts by its exact value in code point order, smallest element ascending,
 * largest descending; missing values last both ways.
 */
export interface SortKey {
  readonly field: string;
  readonly order: 'asc' | 'desc';
  /** The type of values in `searchAfter`, and how they compare. */
  readonly type: 'string' | 'number' | 'score' | 'doc';
  /** Of strings: sorts by the folded values, which are those of `searchAfter`, too. */
  readonly form?: 'folded';
}

/**
 * A value of a sort key: null is a missing value. Dates are epoch milliseconds, booleans 0 and 1.
 */
export type SortValue = string | number | null;

/** The members of a document that a response includes. */
export interface SourceFilter {
  /** Dotted names with `*`; empty means all. */
  readonly includes: readonly string[];
  /** Dotted names with `*`; they take precedence over includes. */
  readonly excludes: readonly string[];
  /** Include nested members. */
  readonly nested: boolean;
  /** Dotted names of members that do not exist for the request, whatever it includes. */
  readonly hidden?: readonly string[];
}
