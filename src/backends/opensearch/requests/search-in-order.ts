// Sends the search of a page, and returns its hits in the order of the plan. Documents that the plan's
// keys do not order are ordered by the keys of their ids (id-keys.ts) where these differ, as nearly
// always, and by the ids themselves otherwise. If indexes with several shards are scored together
// with others, each is searched on its own, with the statistics of all its shards and of no other
// index, and the pages are merged. A page far from the start is reached in steps that return sort values
// alone.
// Invariant: the hits are those of one request for all indexes ordered by ids, except that each
// index is scored by all of its documents.
import type { Plan } from '../../../query/plan.ts';
import type { SortValue } from '../../../query/query.ts';
import { isDigest } from './documents.ts';
import {
  ELEMENTS_MAX,
  isScored,
  isSharded,
  type OpenTarget,
  type SearchBody,
  searchBody,
} from './plan-to-body.ts';
import type {
  ResponseHit,
  Searches,
  SearchFunction,
  SearchLimits,
  SearchResponse,
} from './search-response.ts';
import type { SortBody } from './sort-body.ts';

/** A page, and how to read its hits. */
export interface OrderedAnswer {
  readonly answer: SearchResponse;
  readonly order: SortBody;
  readonly scored: boolean;
}

/** @param elementsMax most elements returned for each document of a plan with `elementPositions` */
export async function searchInOrder(
  plan: Plan,
  targets: readonly OpenTarget[],
  searches: Searches,
  elementsMax = ELEMENTS_MAX,
): Promise<OrderedAnswer> {
  const { from, size } = plan;
  const { search, limits } = searches;
  if (isDeep(plan, limits) && isOneRequest(plan, targets)) {
    return searchDeep(plan, targets, searches, elementsMax);
  }
  if (mayUseKeys(plan)) {
    // With the hits before and after the page, which may have the same keys as its first and last.
    const before = Math.min(from, 1);
    const wider = { ...plan, from: from - before, size: size + before + 1 };
    const request = searchBody(wider, targets, elementsMax, 'keys');
    const answer = await searchPages(request, wider, targets, search);
    const { hits } = answer.hits;
    if (!areAmbiguous(hits)) {
      const page = { ...answer.hits, hits: hits.slice(before, before + size) };
      return { ...request, answer: { ...answer, hits: page } };
    }
  }
  const request = searchBody(plan, targets, elementsMax);
  return { ...request, answer: await searchPages(request, plan, targets, search) };
}

/** OpenSearch takes no `from` after `search_after`. */
function isDeep({ from, size, searchAfter }: Plan, { window }: SearchLimits): boolean {
  return from > 0 && size > 0 && (from + size > window || searchAfter !== undefined);
}

/** Whether the page is ordered by OpenSearch, not merged here from those of several indexes. */
function isOneRequest(plan: Plan, targets: readonly OpenTarget[]): boolean {
  return !isScored(plan) || targets.length === 1 || !isSharded(targets);
}

/** Passes the hits before the page, then searches for the page after the last of them. */
async function searchDeep(
  plan: Plan,
  targets: readonly OpenTarget[],
  searches: Searches,
  elementsMax: number,
): Promise<OrderedAnswer> {
  const after = await lastBefore(plan, targets, searches);
  // There may be a total beyond the last hit.
  const page = { ...plan, from: 0, size: after === null ? 0 : plan.size };
  const { body, order, scored } = searchBody(page, targets, elementsMax);
  const placed = after === null ? body : { ...body, search_after: after };
  const answer = await searches.search(targets, placed, scored && page.size > 0);
  return { answer, order, scored };
}

/** `search_after` of the last hit before the page; null if there are not so many. */
async function lastBefore(
  plan: Plan,
  targets: readonly OpenTarget[],
  { searchUncounted, limits }: Searches,
): Promise<readonly SortValue[] | null> {
  let after: readonly SortValue[] | null = null;
  for (let left = plan.from; left > 0; left -= limits.window) {
    const size = Math.min(left, limits.window);
    const step = { ...plan, from: 0, size, trackTotal: false, elementPositions: true } as const;
    const { body, order, scored } = searchBody(step, targets, 0);
    const values = { ...body, _source: false, stored_fields: '_none_' };
    const placed = after === null ? values : { ...values, search_after: after };
    const { hits } = await searchUncounted(targets, placed, scored);
    const last = hits.hits[size - 1];
    if (last === undefined) return null;
    after = order.next(last.sort);
  }
  return after;
}

/** Few documents enter a page of scores that is not larger: it takes as long by ids. */
const SCORED_PAGE = 50;

function mayUseKeys(plan: Plan): boolean {
  const { from, size, sort } = plan;
  if (size === 0 || sort.some(({ type }) => type === 'doc')) return false;
  return from + size > SCORED_PAGE || !isScored(plan);
}

/** True if two neighbours have the same sort values, or an id is unknown. */
function areAmbiguous(hits: readonly ResponseHit[]): boolean {
  return hits.some(({ _id = '', sort }, at) => {
    if (isDigest(_id)) return true;
    const next = hits[at + 1]?.sort;
    return next?.every((value, key) => value === sort[key]) ?? false;
  });
}

async function searchPages(
  { body, order, scored }: SearchBody,
  plan: Plan,
  targets: readonly OpenTarget[],
  search: SearchFunction,
): Promise<SearchResponse> {
  const { from, size, trackTotal } = plan;
  if (size === 0 || isOneRequest(plan, targets)) return search(targets, body, scored && size > 0);
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
    hits: { hits, ...(trackTotal ? { total: { value: total } } : {}) },
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

/** An entry is `{ field: order }` or `{ field: { order } }`. */
function orderOf(entry: unknown): unknown {
  const [order] = Object.values(entry as Record<string, string | { readonly order?: unknown }>);
  return typeof order === 'object' ? order.order : order;
}

/** Missing numbers are extreme values. */
function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}
