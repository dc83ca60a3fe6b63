// What goes to the service and comes from it, as far as the console looks at it. A document's members are the
// tenant's own, so they are looked up by path.

/** A document as the service answers it. */
export type Document = Readonly<Record<string, unknown>>;
/** The body of a search. */
export type SearchBody = Readonly<Record<string, unknown>>;

/** A bucket of a terms aggregation or a histogram. */
export interface Bucket {
  readonly key: string | number;
  readonly key_as_string?: string;
  readonly doc_count: number;
  readonly documents?: { readonly doc_count: number };
}

/** An aggregation's result, as far as the console reads it. */
export interface AggregationResult {
  readonly buckets?: readonly Bucket[];
  readonly value?: number | null;
  readonly doc_count?: number;
  readonly values?: AggregationResult;
  readonly sum_other_doc_count?: number;
}
