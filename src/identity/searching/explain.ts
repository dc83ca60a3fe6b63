// Explaining a search: what was planned and why, how long each stage takes, how many documents match and, for one
// document, why it is among them or is not. The search is run as it would be; its hits are thrown away.
import { ServiceError } from '../../errors.ts';
import { planExplainSteps } from '../../query/aggregate-request.ts';
import { explainPlan } from '../../query/explain/plan-explanation.ts';
import { INDEX_NAMES } from '../../query/mapping/document-types.ts';
import { warningSteps } from '../../query/mapping/unknown-names.ts';
import type { Plan } from '../../query/plan.ts';
import type { IndexName } from '../../query/query.ts';
import type { PlanContext, SearchParameters } from '../../query/search-request.ts';
import type { DocumentKey, SearchBackend, SearchOptions } from '../ports/search-backend.ts';
import type { CooperativeScheduler, WorkOptions } from '../scheduling/cooperative.ts';

/** The parameters of a search, and which document to hold against it. */
export interface ExplainParameters extends SearchParameters {
  readonly index?: string;
  readonly id?: string;
}

/** What an explanation needs of the search use case. */
export interface ExplainSources {
  readonly tenantId: string;
  readonly backend: SearchBackend;
  readonly options: SearchOptions & WorkOptions;
  /** Reads the mappings. */
  context(): Promise<PlanContext>;
  /** Runs the planning. */
  readonly scheduler: CooperativeScheduler;
  /** Milliseconds from any origin, fractions included. */
  readonly stopwatch: () => number;
}

/**
 * `POST /search/explain`, as a JSON value.
 * @throws ServiceError as a search does; `request_invalid` for a document in an index that is not asked, `not_found`
 */
export async function explainSearch(
  body: unknown,
  parameters: ExplainParameters,
  { tenantId, backend, options, context: read, scheduler, stopwatch }: ExplainSources,
): Promise<object> {
  const started = stopwatch();
  const context = await read();
  const steps = warningSteps(context, (heard) => planExplainSteps(body, parameters, heard));
  const { planned: plan, warnings, unknown } = await scheduler.run(steps, options);
  const key = documentOf(parameters, plan);
  const planMs = stopwatch() - started;
  const stages = await runStages(plan, { tenantId, backend, options, stopwatch });
  const found = key && (await backend.explain(tenantId, plan, key, options));
  if (found === null) {
    throw new ServiceError('not_found', 'There is no such document.', {
      causes: [`There is no document ${JSON.stringify(key?.id)} in ${key?.index}.`],
    });
  }
  const { matched, ...milliseconds } = stages;
  const explained = await scheduler.run(explainPlan(body, plan, context.mapping), options);
  return {
    ...explained,
    warnings,
    unknownFields: unknown,
    matched,
    milliseconds: rounded({ plan: planMs, ...milliseconds }),
    ...(found && { document: { ...key, ...found } }),
  };
}

/** Runs the plan as a search would, and counts. Milliseconds but for `matched`, the number of documents. */
async function runStages(
  plan: Plan,
  { tenantId, backend, options, stopwatch }: Omit<ExplainSources, 'context' | 'scheduler'>,
): Promise<{ search: number; fetch: number; count: number; matched: number }> {
  const started = stopwatch();
  let found = Number.NaN;
  const onFound = () => {
    found = stopwatch();
  };
  const values = plan.typeahead !== undefined;
  if (values) await backend.typeahead(tenantId, plan, options);
  else await backend.search(tenantId, plan, { ...options, onFound });
  const read = stopwatch();
  if (Number.isNaN(found)) found = read;
  const targets = plan.targets.map(({ index, query }) => ({ index, query }));
  const { typeahead, ...documents } = plan;
  const matched = await backend.count(tenantId, { ...documents, targets }, options);
  return { search: found - started, fetch: read - found, count: stopwatch() - read, matched };
}

/** The document asked about; undefined for none. */
function documentOf({ index, id }: ExplainParameters, plan: Plan): DocumentKey | undefined {
  if (index === undefined && id === undefined) return undefined;
  if (id === undefined) throw refused('id: is required where index is given');
  const asked: readonly IndexName[] = plan.targets.map((target) => target.index);
  const [only] = asked;
  if (index === undefined) {
    if (asked.length === 1 && only !== undefined) return { index: only, id };
    throw refused('index: is required with id where more than one index is searched');
  }
  const known = INDEX_NAMES.find((name) => name === index);
  const shown = JSON.stringify(index.slice(0, 60));
  if (known === undefined) throw refused(`index: ${shown} is none of ${INDEX_NAMES.join(', ')}`);
  if (!asked.includes(known)) throw refused(`index: ${shown} is not among the indices searched`);
  return { index: known, id };
}

function refused(cause: string): ServiceError {
  return new ServiceError('request_invalid', cause, { causes: [cause] });
}

/** To microseconds. */
function rounded(stages: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(stages).map(([stage, ms]) => [stage, Math.max(0, Math.round(ms * 1000) / 1000)]),
  );
}
