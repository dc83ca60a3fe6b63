// How many documents have each of some fields of an index, with aggregations over those that have it.
// Invariant: a search has a bounded number of fields.
import type { Aggregation, Aggregations } from '../../query/aggregation.ts';
import { nestedIn } from '../../query/build.ts';
import type { Field } from '../../query/mapping/mapping.ts';
import type { Plan } from '../../query/plan.ts';
import type { IndexName, Query } from '../../query/query.ts';
import type { SearchResult } from '../ports/search-backend.ts';

/** The documents that have a field, with the results of the aggregations over them. */
export type FieldBucket = { readonly doc_count: number } & Readonly<Record<string, unknown>>;

export interface FieldBucketOptions {
  /** The documents that exist; all when omitted. */
  readonly visible?: Query;
  /** The aggregations over the documents that have a field; none when omitted. */
  readonly inside?: (field: Field) => Aggregations;
  /** Most buckets of these for one field. */
  readonly insideMax?: number;
}

/** Fields of one search. */
const FIELDS_AT_ONCE = 500;
/** Of these with aggregations inside, which read the values of all documents. */
const AGGREGATED_AT_ONCE = 100;

/** Documents that have a field. */
export function hasField({ path: field, nested }: Pick<Field, 'path' | 'nested'>): Query {
  const exists: Query = { kind: 'exists', field };
  return nested === null ? exists : nestedIn(nested, exists);
}

/** A bucket for each field, in their order. @throws ServiceError as `search` */
export async function fieldBuckets(
  search: (plan: Plan) => Promise<SearchResult>,
  index: IndexName,
  fields: readonly Field[],
  { visible, inside, insideMax = 0 }: FieldBucketOptions = {},
): Promise<readonly FieldBucket[]> {
  const atOnce = inside === undefined ? FIELDS_AT_ONCE : AGGREGATED_AT_ONCE;
  const buckets: FieldBucket[] = [];
  for (let from = 0; from < fields.length; from += atOnce) {
    const some = fields.slice(from, from + atOnce);
    const aggregations = Object.fromEntries(
      some.map((field, at): [string, Aggregation] => [
        `f${at}`,
        { kind: 'filter', query: hasField(field), aggregations: inside?.(field) ?? {} },
      ]),
    );
    const query: Query = { kind: 'matchAll' };
    const answer = await search({
      targets: [{ index, query, ...(visible !== undefined && { visible }), aggregations }],
      ...{ sort: [], from: 0, size: 0, trackTotal: false },
      maxBuckets: some.length * (1 + insideMax) + 1,
      source: { includes: [], excludes: [], nested: false },
    });
    const counts = (answer.aggregations?.value() ?? {}) as Readonly<Record<string, FieldBucket>>;
    buckets.push(...some.map((_field, at) => counts[`f${at}`] ?? { doc_count: 0 }));
  }
  return buckets;
}
