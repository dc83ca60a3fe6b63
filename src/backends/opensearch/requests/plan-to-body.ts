// A plan as one search request of OpenSearch: each target's query restricted to its own index, in
// one order. Scores are not comparable between indexes, as each has its own statistics.
import type { Mapping } from '../../../query/mapping/mapping.ts';
import type { Plan, Target } from '../../../query/plan.ts';
import { encodedPath } from './columns.ts';
import { type Json, MATCH_NONE, ordersByScore, queryBody } from './query-to-body.ts';
import { withAllStatistics } from './shard-statistics.ts';
import { type SortBody, sortBody, type TieBreak } from './sort-body.ts';

/** A target with the index that answers it. */
export interface OpenTarget extends Target {
  readonly mapping: Mapping;
  /** The name of OpenSearch's index. */
  readonly concreteIndex: string;
  /** The number of its shards; one if omitted. */
  readonly shards?: number;
}

/** Whether an index has several shards, each of which scores by its own statistics. */
export function isSharded(targets: readonly OpenTarget[]): boolean {
  return targets.some(({ shards = 1 }) => shards > 1);
}

/** A request body and how to read its hits. */
export interface SearchBody {
  readonly body: Json;
  readonly order: SortBody;
  /** Whether the order depends on relevance. */
  readonly scored: boolean;
}

/** The greatest number of elements that OpenSearch returns for a document. */
export const ELEMENTS_MAX = 1_000_000;

/** True if the order of a plan, or a key of it, is the score. */
export function isScored({ sort, targets }: Plan): boolean {
  if (sort.length === 0) return ordersByScore(targets.map(({ query }) => query));
  return sort.some(({ type }) => type === 'score');
}

/**
 * @param elementsMax most elements returned for each document of a plan with `elementPositions`
 * @param tieBreak what documents with the same values of the plan's keys are ordered by
 */
export function searchBody(
  plan: Plan,
  targets: readonly OpenTarget[],
  elementsMax = ELEMENTS_MAX,
  tieBreak: TieBreak = 'ids',
): SearchBody {
  const scored = isScored(plan);
  const order = sortBody(
    plan,
    targets.map(({ mapping }) => mapping),
    scored,
    tieBreak,
  );
  const base = {
    query: targetsQuery(targets, plan.elementPositions ? elementsMax : plan.size, scored),
    track_total_hits: plan.trackTotal,
    size: plan.size,
  };
  if (plan.size === 0) return { body: { ...base, _source: false }, order, scored };
  const body = {
    ...base,
    version: true,
    from: plan.from,
    sort: order.sort,
    ...(order.searchAfter === null ? {} : { search_after: order.searchAfter }),
  };
  return { body, order, scored };
}

export function countBody(targets: readonly OpenTarget[]): Json {
  return {
    query: targetsQuery(targets, 0, false),
    track_total_hits: true,
    size: 0,
    _source: false,
  };
}

/**
 * @param rows elements returned for each document, if there is an inner query
 * @param scored whether scores matter
 */
function targetsQuery(targets: readonly OpenTarget[], rows: number, scored: boolean): Json {
  const [only] = targets;
  if (only === undefined) return MATCH_NONE;
  if (targets.length === 1) return bodyOf(only, rows, scored);
  const should = targets.map((target) => ({
    bool: {
      filter: [{ term: { _index: target.concreteIndex } }],
      must: [bodyOf(target, rows, scored)],
    },
  }));
  return { bool: { should, minimum_should_match: 1 } };
}

function bodyOf(target: OpenTarget, rows: number, scored: boolean): Json {
  const { index, innerHit, mapping } = target;
  const outer = targetQuery(target, scored);
  if (innerHit === undefined) return outer;
  const { path } = innerHit;
  const owns = {
    nested: {
      path: encodedPath(path),
      query: queryBody(innerHit.query, { mapping, path }),
      score_mode: 'none',
      ignore_unmapped: true,
      ...(rows > 0 && {
        inner_hits: {
          name: index,
          size: rows,
          sort: ['_doc'],
          _source: false,
          stored_fields: '_none_',
        },
      }),
    },
  };
  return { bool: { must: [outer], filter: [owns] } };
}

/** The query of a target; with several shards, scores are by the statistics of all of them. */
export function targetQuery(target: OpenTarget, scored: boolean): Json {
  const scope = { mapping: target.mapping, path: null };
  const bodyWith = scored && isSharded([target]) ? withAllStatistics : queryBody;
  return bodyWith(target.query, scope);
}

/**
 * Counts the elements that match the target's inner query in the documents that match its query.
 */
export function elementCountBody({ query, innerHit, mapping }: OpenTarget): Json {
  if (innerHit === undefined || !mapping.nestedPaths.includes(innerHit.path)) {
    return { query: MATCH_NONE, size: 0 };
  }
  const { path } = innerHit;
  const matching = { filter: queryBody(innerHit.query, { mapping, path }) };
  return {
    query: queryBody(query, { mapping, path: null }),
    size: 0,
    track_total_hits: false,
    aggs: { elements: { nested: { path: encodedPath(path) }, aggs: { matching } } },
  };
}
