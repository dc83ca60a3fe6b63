// The plan of `POST /search/aggregate`: that of a search, whose query may be left out, with aggregations in each
// target. Only the member that `aggregationType` selects is read.
import type { Aggregations } from './aggregation.ts';
import { type AggregationNodes, putTo } from './aggregation-reader.ts';
import { AggregationTarget, FieldFits } from './aggregation-source.ts';
import { readAggregationsDsl } from './aggregations-dsl.ts';
import { type CsvColumns, readAggregationsSailpoint } from './aggregations-sailpoint.ts';
import { invalid, Members } from './body.ts';
import { clauseReader } from './dsl.ts';
import type { ClauseReader } from './dsl-reader.ts';
import type { Plan } from './plan.ts';
import {
  type PlanContext,
  planDocuments,
  planSearch,
  type SearchParameters,
} from './search-request.ts';

export interface AggregatePlan {
  readonly plan: Plan;
  /** What a CSV of the answer shows; null where there is none. */
  readonly csv: CsvColumns | null;
}

/**
 * The plan of `POST /search/aggregate`.
 * @throws ServiceError as planSearch
 */
export function planAggregate(
  body: unknown,
  parameters: SearchParameters,
  context: PlanContext,
): AggregatePlan {
  const { limits, now } = context;
  const plan = planDocuments(body, parameters, context);
  const { nodes, csv } = readAggregations(new Members(body, ''), clauseReader(limits, now));
  const fits = new FieldFits();
  const targets = plan.targets.map((target) => {
    const on = new AggregationTarget(context.mapping(target.index), limits, fits);
    const aggregations: Aggregations = putTo(on, nodes);
    return { ...target, aggregations };
  });
  fits.check();
  return { plan: { ...plan, targets, maxBuckets: limits.maxBuckets }, csv };
}

/**
 * The plan of a request for explain: with the aggregations that it selects, as aggregate plans it; without any, as search does.
 * @throws ServiceError as planSearch
 */
export function planExplained(
  body: unknown,
  parameters: SearchParameters,
  context: PlanContext,
): Plan {
  const members = new Members(body, '');
  const selected = aggregationTypeOf(members) === 'DSL' ? 'aggregationsDsl' : 'aggregations';
  return isEmpty(members, selected)
    ? planSearch(body, parameters, context)
    : planAggregate(body, parameters, context).plan;
}

function readAggregations(
  body: Members,
  clauses: ClauseReader,
): { readonly nodes: AggregationNodes; readonly csv: CsvColumns | null } {
  if (aggregationTypeOf(body) === 'SAILPOINT') {
    if (isEmpty(body, 'aggregations')) {
      throw invalid('aggregations: is required for aggregationType SAILPOINT');
    }
    return readAggregationsSailpoint(body, clauses);
  }
  body.members('aggregationsDsl');
  const nodes = readAggregationsDsl(body.get('aggregationsDsl') ?? {}, 'aggregationsDsl', clauses);
  return { nodes, csv: null };
}

/** Where no type is given and only one of the two members says anything, that one is meant. */
function aggregationTypeOf(body: Members): string {
  return (
    body.string('aggregationType') ??
    (isEmpty(body, 'aggregationsDsl') && !isEmpty(body, 'aggregations') ? 'SAILPOINT' : 'DSL')
  );
}

function isEmpty(body: Members, name: string): boolean {
  return (body.members(name)?.names() ?? []).length === 0;
}
