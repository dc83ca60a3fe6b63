// Sends the search of a page. If indexes with several shards are scored together with others, each
// is searched on its own, with the statistics of all its shards and of no other index, and the pages
// are merged.
// Invariant: the hits are those of one request for all indexes, except that each index is scored by
// all of its documents.
import type { Plan } from '../../query/plan.ts';
import { isSharded, type OpenTarget, type SearchBody } from './plan-to-body.ts';
import type { ResponseHit, SearchFunction, SearchResponse } from './search-response.ts';

export async function searchInOrder(
  { body, order, scored }: SearchBody,
  plan: Plan,
  targets: readonly OpenTarget[],
  search: SearchFunction,
): Promise<SearchResponse> {
  const { from, size } = plan;
  const isOneRequest = !scored || size === 0 || targets.length === 1 || !isSharded(targets);
  if (isOneRequest) return search(targets, body);
  const page = { ...(body as object), from: 0, size: from + size };
  const answers = await Promise.all(targets.map((target) => search([target], page)));
  const compare = comparatorOf(order.sort);
  const hits = answers
    .flatMap((answer) => answer.hits.hits)
    .sort(compare)
    .slice(from, from + size);
  const total = answers.reduce((sum, answer) => sum + (answer.hits.total?.value ?? 0), 0);
  return {
    timed_out: false,
    _shards: { failed: 0 },
    hits: { hits, ...(plan.trackTotal ? { total: { value: total } } : {}) },
  };
}

/** Compares hits by their sort values, as OpenSearch does; null is last in either order. */
function comparatorOf(sort: readonly unknown[]): (one: ResponseHit, other: ResponseHit) => number {
  const signs = sort.map((entry) => (orderOf(entry) === 'desc' ? -1 : 1));
  return (one, other) => {
    for (const [at, sign] of signs.entries()) {
      const a = one.sort[at] ?? null;
      const b = other.sort[at] ?? null;
      if (a === null || b === null) {
        if (a !== b) return a === null ? 1 : -1;
        continue;
      }
      const difference = compareValues(a, b);
      if (difference !== 0) return sign * difference;
    }
    return 0;
  };
}

/** An entry is `{ field: { order } }`. */
function orderOf(entry: unknown): unknown {
  const [options] = Object.values(entry as Record<string, { readonly order?: unknown }>);
  return options?.order;
}

/** Missing numbers are extreme values. */
function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}
