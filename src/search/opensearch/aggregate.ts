// The aggregations of a plan on OpenSearch: each index is asked for all its buckets, what they come to is merged and
// told by the engine's own last phase.
// Invariant: a result is the engine's, but for the rounding of sums.
import { setImmediate } from 'node:timers/promises';
import { Budget } from '../../engine/aggregation/budget.ts';
import { RequestAggregation } from '../../engine/aggregation/collector.ts';
import { HitSources } from '../../engine/aggregation/hit-sources.ts';
import { type Intermediate, merge } from '../../engine/aggregation/intermediate.ts';
import { finishAll } from '../../engine/aggregation/results.ts';
import type { Plan } from '../../query/plan.ts';
import { questionsOf, termsQuestion } from './aggregation-body.ts';
import { type AggregationPlace, type Found, foundAt, type Terms } from './aggregation-question.ts';
import { encodedPath } from './columns.ts';
import type { OpenTarget } from './plan-to-body.ts';
import { type Json, queryBody } from './query-to-body.ts';
import type { Ask } from './search-answer.ts';

const SLICE_MS = 10;

/**
 * @param targets those of the plan that have an index
 * @throws ServiceError `request_invalid` for kinds that are not served, `limit_exceeded`
 */
export async function aggregateTargets(
  plan: Plan,
  targets: readonly OpenTarget[],
  ask: Ask,
): Promise<Record<string, unknown>> {
  const request = new RequestAggregation(targets.length);
  const found: (Intermediate | undefined)[] = [];
  for (const target of targets) {
    const own = await aggregateTarget(target, request, ask);
    for (const [at, one] of own.entries()) found[at] = await driven(merge(found[at], one));
  }
  const forms = plan.targets.map(({ aggregations = {} }) => aggregations);
  const budget = new Budget(plan.maxBuckets ?? Number.POSITIVE_INFINITY);
  return driven(finishAll(forms, found, { budget, hits: new HitSources([]), request }));
}

async function aggregateTarget(
  target: OpenTarget,
  request: RequestAggregation,
  ask: Ask,
): Promise<(Intermediate | undefined)[]> {
  const { mapping, query, aggregations = {} } = target;
  const place: AggregationPlace = { mapping, path: null, wanting: [] };
  const questions = questionsOf(aggregations, place);
  const others = place.wanting.map(({ form, place: at }, number) =>
    everyKey(form, at, `k${number}`),
  );
  const answer = await ask([target], {
    query: queryBody(query, place),
    size: 0,
    track_total_hits: false,
    aggs: Object.assign({}, questions.aggs, ...others.map(({ aggs }) => aggs)) as Json,
  });
  const whole = (answer.aggregations ?? {}) as Found;
  for (const [at, { form }] of place.wanting.entries()) {
    request.addKeys(form, others[at]?.read(whole) ?? []);
  }
  return questions.read(whole);
}

/** The keys that any row has, whatever the query. */
function everyKey(form: Terms, place: AggregationPlace, name: string) {
  const { missing: _, ...rest } = form;
  const question = termsQuestion({ ...rest, minDocCount: 1, aggregations: {} }, 'k', place);
  const rows =
    place.path === null
      ? question.aggs
      : { rows: { nested: { path: encodedPath(place.path) }, aggs: question.aggs } };
  return {
    aggs: { [name]: { global: {}, aggs: rows } },
    read: (whole: Found) => {
      const all = foundAt(whole, name);
      const keys = question.read(place.path === null ? all : foundAt(all, 'rows'));
      return keys?.kind === 'buckets' ? keys.buckets.keys() : [];
    },
  };
}

/** Runs a generator to its end; the event loop has its turn in between. */
async function driven<Result>(work: Generator<void, Result>): Promise<Result> {
  let until = performance.now() + SLICE_MS;
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (performance.now() < until) continue;
    await setImmediate();
    until = performance.now() + SLICE_MS;
  }
}
