// Explains a search: the plan and its reasons, the time of each stage, the number of matches and,
// for one document, why it matches or not. The search runs as usual, and its hits are discarded.
import { ServiceError } from '../../errors.ts';
import { explainPlan } from '../../query/explain/plan-explanation.ts';
import { formatQuery } from '../../query/format-query.ts';
import type { AccessPaths, PathCondition } from '../../query/language/access-paths.ts';
import { INDEX_NAMES } from '../../query/mapping/document-types.ts';
import type { Plan } from '../../query/plan.ts';
import { cut } from '../../query/plan-clause.ts';
import type { IndexName } from '../../query/query.ts';
import { planExplainSteps } from '../../query/requests/aggregate-request.ts';
import type { PlanContext, SearchParameters } from '../../query/requests/search-request.ts';
import type { ShownFields } from '../../query/rows/shown-fields.ts';
import type { Steps } from '../../query/steps.ts';
import type { CooperativeScheduler } from '../../scheduling/cooperative.ts';
import type { DocumentKey } from '../ports/search-backend.ts';
import type { VisibleIndexes } from '../views/visible-indexes.ts';
import type { Planning, RequestOptions } from './request-planner.ts';
import { shownIn } from './shown-fields.ts';

/** Most characters of a condition, and ids of what it matches, that are shown. */
const SHOWN_MAX = 1_000;
const IDS_MAX = 20;

/** The parameters of a search, and the document to explain. */
export interface ExplainParameters extends SearchParameters {
  readonly index?: string;
  readonly id?: string;
}

/** What an explanation uses of the search use case. */
export interface ExplainSources {
  /** Plans the request as RequestPlanner does. */
  plan<Planned>(steps: (context: PlanContext) => Steps<Planned>): Promise<Planning<Planned>>;
  readonly scheduler: CooperativeScheduler;
  /** Milliseconds from any origin, fractions included. */
  readonly stopwatch: () => number;
}

/**
 * `POST /search/explain`, as a JSON value.
 * @throws ServiceError as a search does; `request_invalid` for a document in an index that is not
 * searched, `not_found`
 */
export async function explainSearch(
  body: unknown,
  parameters: ExplainParameters,
  sources: ExplainSources,
): Promise<object> {
  const { scheduler, stopwatch } = sources;
  const started = stopwatch();
  const planning = await sources.plan((context) => planExplainSteps(body, parameters, context));
  const { planned: plan, unknown, indexes, accessPaths, options } = planning;
  const key = documentOf(parameters, plan);
  const planMs = stopwatch() - started;
  const stages = await runStages(plan, { indexes, options, stopwatch });
  const explanation = key && (await indexes.explain(plan, key, options));
  if (explanation === null) {
    throw new ServiceError('not_found', 'There is no such document.', {
      causes: [`There is no document ${JSON.stringify(key?.id)} in ${key?.index}.`],
    });
  }
  const { matched, ...milliseconds } = stages;
  const shown: Partial<Record<IndexName, ShownFields>> = {};
  if (key === undefined) {
    for (const { index } of plan.targets) shown[index] = await shownIn(indexes, index, options);
  }
  const explained = await scheduler.run(
    explainPlan(body, plan, (index) => indexes.mappings[index]),
    options,
  );
  return {
    ...explained,
    warnings: [...planning.warnings, ...planning.remarks],
    unknownFields: unknown,
    ...(accessPaths.conditions.length > 0 && {
      accessPaths: accessPaths.conditions.map((one) => grantSummary(one, accessPaths)),
    }),
    ...(key === undefined && { shown }),
    matched,
    milliseconds: rounded({ plan: planMs, ...milliseconds }),
    ...(explanation && { document: { ...key, ...explanation } }),
  };
}

/** What a clause `via.…` was replaced by. */
function grantSummary(condition: PathCondition, paths: AccessPaths): object {
  const { matched, grants } = paths.find(condition);
  return {
    index: condition.index,
    query: cut(formatQuery(condition.query), SHOWN_MAX),
    matched,
    ids: grants.slice(0, IDS_MAX).map(({ id }) => id),
    granted: new Set(grants.flatMap(({ grantedIds }) => grantedIds)).size,
  };
}

/**
 * Runs the plan as a search would, and counts. All members are milliseconds, but for `matched`, the
 * number of documents.
 */
async function runStages(
  plan: Plan,
  {
    indexes,
    options,
    stopwatch,
  }: Pick<ExplainSources, 'stopwatch'> & {
    readonly indexes: VisibleIndexes;
    readonly options: RequestOptions;
  },
): Promise<{ search: number; fetch: number; count: number; matched: number }> {
  const started = stopwatch();
  let fetch = 0;
  if (plan.typeahead !== undefined) await indexes.typeahead(plan, options);
  else ({ fetchMs: fetch = 0 } = await indexes.search(plan, options));
  const fetchedAt = stopwatch();
  const targets = plan.targets.map(({ index, query }) => ({ index, query }));
  const { typeahead, ...documents } = plan;
  const matched = await indexes.count({ ...documents, targets }, options);
  return {
    search: fetchedAt - started - fetch,
    fetch,
    count: stopwatch() - fetchedAt,
    matched,
  };
}

/** The document to explain; undefined for none. */
function documentOf({ index, id }: ExplainParameters, plan: Plan): DocumentKey | undefined {
  if (index === undefined && id === undefined) return undefined;
  if (id === undefined) throw refused('id: is required where index is given');
  const searched: readonly IndexName[] = plan.targets.map((target) => target.index);
  const [only] = searched;
  if (index === undefined) {
    if (searched.length === 1 && only !== undefined) return { index: only, id };
    throw refused('index: is required with id where more than one index is searched');
  }
  const indexName = INDEX_NAMES.find((name) => name === index);
  const shown = JSON.stringify(index.slice(0, 60));
  if (indexName === undefined)
    throw refused(`index: ${shown} is none of ${INDEX_NAMES.join(', ')}`);
  if (!searched.includes(indexName))
    throw refused(`index: ${shown} is not among the indices searched`);
  return { index: indexName, id };
}

function refused(cause: string): ServiceError {
  return new ServiceError('request_invalid', cause, { causes: [cause] });
}

/** Rounds to microseconds. */
function rounded(stages: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(stages).map(([stage, ms]) => [stage, Math.max(0, Math.round(ms * 1000) / 1000)]),
  );
}
