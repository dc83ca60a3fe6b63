// The aggregations of a plan on OpenSearch: each index is asked for all its buckets, what they come
// to is merged and told by the engine's own last phase. Where an index has more buckets than
// OpenSearch makes, its documents are divided by id and each half is asked by itself, for what
// parts come to is merged anyway.
// Invariant: a result is the engine's, but for the rounding of sums.
import { setImmediate } from 'node:timers/promises';
import { Budget } from '../../../engine/aggregation/budget.ts';
import { RequestAggregation } from '../../../engine/aggregation/collector.ts';
import { HitSources } from '../../../engine/aggregation/hit-sources.ts';
import { type Intermediate, merge } from '../../../engine/aggregation/intermediate.ts';
import { finishAll } from '../../../engine/aggregation/results.ts';
import { scores } from '../../../engine/scoring/scoring.ts';
import type { Plan } from '../../../query/plan.ts';
import { encodedPath } from '../columns.ts';
import { type DocumentRange, halvesOf, rangeFilter, WHOLE } from '../document-range.ts';
import type { OpenTarget } from '../plan-to-body.ts';
import { type Json, queryBody } from '../query-to-body.ts';
import type { Ask } from '../search-answer.ts';
import { questionsOf } from './aggregation-body.ts';
import { type AggregationPlace, type Found, foundAt, type Terms } from './aggregation-question.ts';
import { TooManyBuckets } from './bucket-limit.ts';
import { termsQuestion } from './keyed-body.ts';
import { NamedDocuments } from './named-documents.ts';
import { checkSize } from './question-size.ts';

const SLICE_MS = 10;

type Results = (Intermediate | undefined)[];

/** What all indices of a request share. */
interface Shared {
  readonly request: RequestAggregation;
  readonly documents: NamedDocuments;
  readonly ask: Ask;
}

/**
 * @param targets those of the plan that have an index
 * @throws ServiceError `limit_exceeded`
 */
export async function aggregateTargets(
  plan: Plan,
  targets: readonly OpenTarget[],
  ask: Ask,
): Promise<Record<string, unknown>> {
  const request = new RequestAggregation(targets.length);
  const documents = new NamedDocuments();
  const found: Results = [];
  for (const [number, target] of targets.entries()) {
    await addResults(
      found,
      await aggregatePart(target, number, WHOLE, { request, documents, ask }),
    );
  }
  const forms = plan.targets.map(({ aggregations = {} }) => aggregations);
  const hits = new HitSources(targets, documents);
  const tell = () => {
    const budget = new Budget(plan.maxBuckets ?? Number.POSITIVE_INFINITY);
    return driven(finishAll(forms, found, { budget, hits, request }));
  };
  const told = await tell();
  // The first time tells which documents are wanted.
  return (await documents.fetch(targets, ask)) === 0 ? told : tell();
}

async function aggregatePart(
  target: OpenTarget,
  number: number,
  range: DocumentRange,
  shared: Shared,
): Promise<Results> {
  try {
    return await askPart(target, number, range, shared);
  } catch (error) {
    if (!(error instanceof TooManyBuckets)) throw error;
    const halves = await halvesOf(target, range, shared.ask);
    if (halves === null) throw error;
    const results: Results = [];
    for (const half of halves) {
      await addResults(results, await aggregatePart(target, number, half, shared));
    }
    return results;
  }
}

async function addResults(into: Results, results: Results): Promise<void> {
  for (const [at, one] of results.entries()) into[at] = await driven(merge(into[at], one));
}

async function askPart(
  target: OpenTarget,
  number: number,
  range: DocumentRange,
  { request, documents, ask }: Shared,
): Promise<Results> {
  const { mapping, query, aggregations = {} } = target;
  const part = rangeFilter(range);
  const place: AggregationPlace = {
    ...{ mapping, path: null, scored: scores(query), part, wanting: [] },
    ...{ target: number, request, documents },
  };
  const questions = questionsOf(aggregations, place);
  const others = place.wanting.map(({ form, place: at }, which) => everyKey(form, at, `k${which}`));
  const aggs = Object.assign({}, questions.aggs, ...others.map((other) => other.aggs)) as Json;
  checkSize(aggs);
  const own = queryBody(query, place);
  const answer = await ask([target], {
    query: part === null ? own : { bool: { must: [own], filter: [part] } },
    size: 0,
    track_total_hits: false,
    aggs,
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
  const bare: Terms = { ...rest, minDocCount: 1, aggregations: {} };
  const question = termsQuestion(bare, 'k', place, questionsOf);
  const rows: Json =
    place.path === null
      ? question.aggs
      : { rows: { nested: { path: encodedPath(place.path) }, aggs: question.aggs } };
  const { part } = place;
  const own: Json = part === null ? rows : { part: { filter: part, aggs: rows } };
  return {
    aggs: { [name]: { global: {}, aggs: own } },
    read: (whole: Found) => {
      const all = foundAt(whole, name);
      const documents = part === null ? all : foundAt(all, 'part');
      const keys = question.read(place.path === null ? documents : foundAt(documents, 'rows'));
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
