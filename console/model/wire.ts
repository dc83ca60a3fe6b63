// Types of requests and responses, with the members that the console reads. Documents are untyped,
// since their members differ by tenant.

/** A document as the service returns it. */
export type Document = Readonly<Record<string, unknown>>;
/** The body of a search. */
export type SearchBody = Readonly<Record<string, unknown>>;

/** The roles and access profiles that grant an element of access, from the outermost on. */
export type AccessPath = readonly {
  readonly type: 'ROLE' | 'ACCESS_PROFILE';
  readonly id: string;
  readonly name: string | null;
}[];

/** A bucket of a terms aggregation or a histogram. */
export interface Bucket {
  readonly key: string | number;
  readonly key_as_string?: string;
  readonly doc_count: number;
  readonly documents?: { readonly doc_count: number };
  readonly failed?: { readonly doc_count: number };
}

/** The members of an aggregation result that the console reads. */
export interface AggregationResult {
  readonly buckets?: readonly Bucket[];
  readonly value?: number | null;
  readonly doc_count?: number;
  readonly values?: AggregationResult;
  readonly times?: AggregationResult;
  readonly sum_other_doc_count?: number;
}
