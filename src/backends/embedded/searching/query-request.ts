// Requests to the embedded indexes, the results of their query phase, and their final results. The
// two differ for a search only, whose documents are read after the query phase.

import { visibleSegments } from '../../../engine/hits/visible-segments.ts';
import type { QueryCache } from '../../../engine/index/query-cache.ts';
import type { Plan } from '../../../query/plan.ts';
import type { DocumentExplanation } from '../../../query/plan-clause.ts';
import type { Steps } from '../../../query/steps.ts';
import type {
  DocumentKey,
  SearchResult,
  TypeaheadResult,
} from '../../../service/ports/search-backend.ts';
import { explainSteps } from './explain-steps.ts';
import type { OpenTarget } from './open-target.ts';
import type { PageRows } from './page-rows.ts';
import { countSteps, pageSteps, typeaheadSteps } from './query-steps.ts';

export type QueryRequest =
  | { readonly kind: 'search'; readonly plan: Plan }
  | { readonly kind: 'typeahead'; readonly plan: Plan }
  | { readonly kind: 'count'; readonly plan: Plan }
  | { readonly kind: 'explain'; readonly plan: Plan; readonly document: DocumentKey };

/** Result of the query phase, by kind of the request. */
export type QueryPhaseResult =
  | { readonly kind: 'search'; readonly page: PageRows }
  | { readonly kind: 'typeahead'; readonly result: TypeaheadResult }
  | { readonly kind: 'count'; readonly result: number }
  | { readonly kind: 'explain'; readonly result: DocumentExplanation | null };

/** Final results, by kind of the request. */
export interface QueryResults {
  readonly search: SearchResult;
  readonly typeahead: TypeaheadResult;
  readonly count: number;
  readonly explain: DocumentExplanation | null;
}

export type QueryResult = QueryResults[keyof QueryResults];

/** The query phase of a request, in small steps, which throw what the engine throws. */
export function queryPhase(
  request: QueryRequest,
  targets: readonly OpenTarget[],
): Steps<QueryPhaseResult> {
  const cache = targets[0]?.snapshot.cache.forRequest();
  const cached = cache === undefined ? [] : targets.map((target) => withCache(target, cache));
  return queryPhaseSteps(request, cached);
}

function* queryPhaseSteps(
  request: QueryRequest,
  allTargets: readonly OpenTarget[],
): Steps<QueryPhaseResult> {
  const { kind, plan } = request;
  const targets = yield* visibleTargets(allTargets);
  switch (kind) {
    case 'search':
      return { kind, page: yield* pageSteps(targets, plan) };
    case 'typeahead':
      return { kind, result: yield* typeaheadSteps(targets, plan) };
    case 'count':
      return { kind, result: yield* countSteps(targets) };
    case 'explain':
      return { kind, result: yield* explainSteps(targets, plan, request.document) };
  }
}

/** The targets with the segments as their plan sees them. */
function* visibleTargets(targets: readonly OpenTarget[]): Generator<void, readonly OpenTarget[]> {
  if (targets.every(({ visible }) => visible === undefined)) return targets;
  const confined: OpenTarget[] = [];
  for (const target of targets) {
    const { visible, snapshot } = target;
    if (visible === undefined) confined.push(target);
    else confined.push({ ...target, snapshot: yield* visibleSegments(snapshot, visible) });
  }
  return confined;
}

function withCache(target: OpenTarget, cache: QueryCache): OpenTarget {
  return { ...target, snapshot: { views: target.snapshot.views, cache } };
}
