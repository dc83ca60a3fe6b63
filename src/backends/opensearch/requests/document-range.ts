// The documents of an index by ranges of their ids, so that a request that is too large for all of
// them can be sent for one half after the other.
// Invariant: each document of a range is in exactly one of its halves, and neither half is empty.

import type { Aggregations } from '../../../query/aggregation.ts';
import { hasBuckets } from '../../../query/aggregation.ts';
import { STORED } from './columns.ts';
import type { OpenTarget } from './plan-to-body.ts';
import { type Json, MATCH_ALL, queryBody } from './query-to-body.ts';
import type { SearchFunction } from './search-response.ts';

/** Ids after one and up to another; null: unbounded. */
export interface DocumentRange {
  readonly after: string | null;
  readonly upTo: string | null;
}

export const WHOLE: DocumentRange = { after: null, upTo: null };

/** Most hits OpenSearch skips to (`max_result_window` of our indexes). */
const WINDOW_MAX = 1_000_000;

/** The filter of a range; null for all documents. */
export function rangeFilter({ after, upTo }: DocumentRange): Json | null {
  if (after === null && upTo === null) return null;
  const bounds = { ...(after !== null && { gt: after }), ...(upTo !== null && { lte: upTo }) };
  return { range: { [STORED.id]: bounds } };
}

/** Splits a range in two; returns null for a single document. */
export async function halvesOf(
  target: OpenTarget,
  range: DocumentRange,
  search: SearchFunction,
): Promise<readonly [DocumentRange, DocumentRange] | null> {
  const { aggregations = {}, query, visible, mapping } = target;
  const counted = countsAll(aggregations) ? visible : query;
  const own = counted === undefined ? MATCH_ALL : queryBody(counted, { mapping, path: null });
  const part = rangeFilter(range);
  const filtered = { bool: { filter: part === null ? [own] : [own, part] } };
  const documents = { query: filtered, track_total_hits: true, _source: false };
  const { hits } = await search([target], { ...documents, size: 0 }, false);
  const count = hits.total?.value ?? 0;
  if (count < 2) return null;
  const page = {
    ...documents,
    track_total_hits: false,
    stored_fields: '_none_',
    from: Math.min(Math.floor((count - 1) / 2), WINDOW_MAX - 1),
    size: 1,
    sort: [{ [STORED.id]: 'asc' }],
  };
  const middle = await search([target], page, false);
  const id = middle.hits.hits[0]?.sort[0];
  if (typeof id !== 'string' || id === range.upTo) return null;
  return [
    { ...range, upTo: id },
    { ...range, after: id },
  ];
}

/** Whether an aggregation counts documents that the query does not match. */
function countsAll(aggregations: Aggregations): boolean {
  return Object.values(aggregations).some((one) => {
    if (!hasBuckets(one)) return false;
    if (one.kind === 'global' || (one.kind === 'terms' && one.minDocCount === 0)) return true;
    return countsAll(one.aggregations);
  });
}
