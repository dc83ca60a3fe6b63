// The aggregations of a plan on OpenSearch: each index returns all its buckets, and the engine's
// last phase merges them and builds the results. If an index has more buckets than OpenSearch
// returns, its documents are divided by id and each half is requested separately, as parts are
// merged anyway.
// Invariant: a result equals the engine's, except for the rounding of sums.

import { setImmediate } from 'node:timers/promises';
import { Budget } from '../../../engine/aggregation/collecting/budget.ts';
import { RequestAggregation } from '../../../engine/aggregation/collecting/collector.ts';
import { HitSources } from '../../../engine/aggregation/collecting/hit-sources.ts';
import { type Intermediate, merge } from '../../../engine/aggregation/collecting/intermediate.ts';
import { finishAll } from '../../../engine/aggregation/results.ts';
import { scores } from '../../../engine/scoring/scoring.ts';
import { type Aggregations, hasBuckets } from '../../../query/aggregation.ts';
import type { DateCache } from '../../../query/dates/date-cache.ts';
import type { Plan } from '../../../query/plan.ts';
import { TooManyBuckets } from '../requests/bucket-limit.ts';
import { encodedPath } from '../requests/columns.ts';
import { type DocumentRange, halvesOf, rangeFilter, WHOLE } from '../requests/document-range.ts';
import { isSharded, type OpenTarget, targetQuery } from '../requests/plan-to-body.ts';
import { type Json, queryBody } from '../requests/query-to-body.ts';
import type { SearchFunction } from '../requests/search-response.ts';
import { requestsOf } from './aggregation-body.ts';
import {
  type AggregationResponse,
  type AggregationScope,
  answerAt,
  type Terms,
} from './aggregation-request.ts';
import { NamedDocuments } from './named-documents.ts';
import { checkSize } from './request-size.ts';
import { termsRequest } from './terms-body.ts';

const SLICE_MS = 10;

/**
 * OpenSearch may search the segments of a shard in slices, each of which chooses its own buckets by
 * count: only one choice for the shard is exact. A request that may end early is not divided
 * (`evaluateRequestShouldUseConcurrentSearch`), and no shard has as many documents as this.
 */
const NOT_IN_SLICES: Json = { terminate_after: 2 ** 31 - 1 };

type Results = (Intermediate | undefined)[];

/** State of all indexes of a request. */
interface Shared {
  readonly request: RequestAggregation;
  readonly documents: NamedDocuments;
  readonly search: SearchFunction;
}

/**
 * @param targets the targets of the plan that have an index
 * @throws ServiceError `limit_exceeded`
 */
export async function aggregateTargets(
  plan: Plan,
  targets: readonly OpenTarget[],
  search: SearchFunction,
  dates: DateCache,
): Promise<Record<string, unknown>> {
  const request = new RequestAggregation(targets.length, dates);
  const documents = new NamedDocuments(targets.some(({ visible }) => visible !== undefined));
  const partials: Results = [];
  for (const [number, target] of targets.entries()) {
    await addResults(
      partials,
      await aggregatePart(target, number, WHOLE, { request, documents, search }),
    );
  }
  const forms = plan.targets.map(({ aggregations = {} }) => aggregations);
  const hits = new HitSources(targets, documents);
  const finish = () => {
    const budget = new Budget(plan.maxBuckets ?? Number.POSITIVE_INFINITY);
    return runSliced(finishAll(forms, partials, { budget, hits, request }));
  };
  const results = await finish();
  // The first pass shows which documents the results contain.
  return (await documents.fetch(targets, search)) === 0 ? results : finish();
}

async function aggregatePart(
  target: OpenTarget,
  number: number,
  range: DocumentRange,
  shared: Shared,
): Promise<Results> {
  try {
    return await searchPart(target, number, range, shared);
  } catch (error) {
    if (!(error instanceof TooManyBuckets)) throw error;
    const halves = await halvesOf(target, range, shared.search);
    if (halves === null) throw error;
    const results: Results = [];
    for (const half of halves) {
      await addResults(results, await aggregatePart(target, number, half, shared));
    }
    return results;
  }
}

async function addResults(into: Results, results: Results): Promise<void> {
  for (const [at, one] of results.entries()) into[at] = await runSliced(merge(into[at], one));
}

async function searchPart(
  target: OpenTarget,
  number: number,
  range: DocumentRange,
  { request, documents, search }: Shared,
): Promise<Results> {
  const { mapping, query, aggregations = {} } = target;
  const ofRange = rangeFilter(range);
  const part = partFilter(target, ofRange);
  const scope: AggregationScope = {
    mapping,
    path: null,
    scored: scores(query),
    part,
    chooses: ofRange === null && request.indices === 1 && !isSharded([target]),
    takesComposite: true,
    countedTerms: [],
    zeroCountTerms: [],
    target: number,
    request,
    documents,
  };
  const requests = requestsOf(aggregations, scope);
  const keyRequests = scope.zeroCountTerms.map(({ form, scope: at }, which) =>
    allKeysRequest(form, at, `k${which}`),
  );
  const aggs = Object.assign({}, requests.aggs, ...keyRequests.map((other) => other.aggs)) as Json;
  checkSize(aggs);
  const scored = scope.scored && hasTopHits(aggregations);
  const own = targetQuery(target, scored);
  const body = {
    query: ofRange === null ? own : { bool: { must: [own], filter: [ofRange] } },
    size: 0,
    track_total_hits: false,
    ...(scope.countedTerms.length > 0 && NOT_IN_SLICES),
    aggs,
  };
  const answer = await search([target], body, scored);
  const whole = (answer.aggregations ?? {}) as AggregationResponse;
  for (const [at, { form }] of scope.zeroCountTerms.entries()) {
    request.addKeys(form, keyRequests[at]?.read(whole) ?? []);
  }
  return requests.read(whole);
}

/** The documents that exist for a request, where it looks beyond the query, too; null: all. */
function partFilter({ visible, mapping }: OpenTarget, ofRange: Json | null): Json | null {
  if (visible === undefined || visible.kind === 'matchAll') return ofRange;
  const shown = queryBody(visible, { mapping, path: null });
  return ofRange === null ? shown : { bool: { filter: [shown, ofRange] } };
}

/** Whether documents of the result may be ordered by their scores. */
function hasTopHits(aggregations: Aggregations): boolean {
  return Object.values(aggregations).some(
    (one) => one.kind === 'topHits' || (hasBuckets(one) && hasTopHits(one.aggregations)),
  );
}

/** The keys that any row has, regardless of the query; for `minDocCount` 0. */
function allKeysRequest(form: Terms, scope: AggregationScope, name: string) {
  const { missing: _, ...rest } = form;
  const bare: Terms = { ...rest, minDocCount: 1, aggregations: {} };
  const request = termsRequest(bare, 'k', { ...scope, chooses: false }, requestsOf);
  const rows: Json =
    scope.path === null
      ? request.aggs
      : { rows: { nested: { path: encodedPath(scope.path) }, aggs: request.aggs } };
  const { part } = scope;
  const own: Json = part === null ? rows : { part: { filter: part, aggs: rows } };
  return {
    aggs: { [name]: { global: {}, aggs: own } },
    read: (whole: AggregationResponse) => {
      const all = answerAt(whole, name);
      const documents = part === null ? all : answerAt(all, 'part');
      const keys = request.read(scope.path === null ? documents : answerAt(documents, 'rows'));
      return keys?.kind === 'buckets' ? keys.buckets.keys() : [];
    },
  };
}

/** Runs a generator to its end, with turns of the event loop in between. */
async function runSliced<Result>(work: Generator<void, Result>): Promise<Result> {
  let until = performance.now() + SLICE_MS;
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (performance.now() < until) continue;
    await setImmediate();
    until = performance.now() + SLICE_MS;
  }
}
