// Plans `POST /search/aggregate`: a search whose query is optional, with aggregations in each
// target. Only the member that `aggregationType` selects is read.

import { type AggregationNodes, resolveAggregations } from '../aggregation/aggregation-reader.ts';
import { AggregationTarget, FieldTypeCheck } from '../aggregation/aggregation-source.ts';
import { readAggregationsDsl } from '../aggregation/aggregations-dsl.ts';
import { readAggregationsSailpoint } from '../aggregation/aggregations-sailpoint.ts';
import { type CsvColumns, csvColumnsOf, type NoCsv } from '../aggregation/csv-columns.ts';
import type { Aggregations } from '../aggregation.ts';
import { invalid, type Members } from '../body.ts';
import { clauseReader } from '../dsl/dsl.ts';
import type { ClauseReader } from '../dsl/dsl-reader.ts';
import { aggregationsWithOtherNames } from '../mapping/former-event-names.ts';
import type { Plan, Target } from '../plan.ts';
import type { Steps } from '../steps.ts';
import { searchMembers } from './search-body.ts';
import {
  type PlanContext,
  planDocuments,
  planSearchSteps,
  type SearchParameters,
} from './search-request.ts';

export interface AggregatePlan {
  readonly plan: Plan;
  /** The columns of the result as CSV, or why it cannot be CSV. */
  readonly csv: CsvColumns | NoCsv;
}

/**
 * Plans `POST /search/aggregate`.
 * @throws ServiceError as planSearchSteps
 */
export function* planAggregateSteps(
  body: unknown,
  parameters: SearchParameters,
  context: PlanContext,
): Steps<AggregatePlan> {
  const { limits, now } = context;
  const members = searchMembers(body);
  // A wrong JSON type is reported before the parameters and the content of any member.
  members.members(selectedMember(members));
  const plan = yield* planDocuments(body, parameters, context);
  yield;
  const { nodes, csv } = readAggregations(members, clauseReader(limits, now));
  const typeCheck = new FieldTypeCheck();
  const targets: (Target & { readonly aggregations: Aggregations })[] = [];
  for (const target of plan.targets) {
    yield;
    const mapping = context.mapping(target.index);
    const aggregationTarget = new AggregationTarget(mapping, limits, typeCheck);
    const resolved = resolveAggregations(aggregationTarget, nodes);
    targets.push({ aggregations: aggregationsWithOtherNames(resolved, mapping), ...target });
  }
  typeCheck.check();
  const columns = csv ?? csvColumnsOf(targets[0]?.aggregations ?? {}, 'aggregationsDsl');
  return { plan: { maxBuckets: limits.maxBuckets, ...plan, targets }, csv: columns };
}

/**
 * Plans a request for explain: as an aggregate request if it has the selected aggregations, else as
 * a search.
 * @throws ServiceError as planSearchSteps
 */
export function* planExplainSteps(
  body: unknown,
  parameters: SearchParameters,
  context: PlanContext,
): Steps<Plan> {
  const members = searchMembers(body);
  if (isEmpty(members, selectedMember(members)))
    return yield* planSearchSteps(body, parameters, context);
  return (yield* planAggregateSteps(body, parameters, context)).plan;
}

function readAggregations(
  body: Members,
  clauses: ClauseReader,
): { readonly nodes: AggregationNodes; readonly csv?: CsvColumns } {
  if (aggregationTypeOf(body) === 'SAILPOINT') {
    if (isEmpty(body, 'aggregations')) {
      throw invalid('aggregations: is required for aggregationType SAILPOINT');
    }
    return readAggregationsSailpoint(body, clauses);
  }
  const nodes = readAggregationsDsl(body.get('aggregationsDsl') ?? {}, 'aggregationsDsl', clauses);
  return { nodes };
}

/** The member that `aggregationType` selects. */
function selectedMember(body: Members): 'aggregations' | 'aggregationsDsl' {
  return aggregationTypeOf(body) === 'SAILPOINT' ? 'aggregations' : 'aggregationsDsl';
}

/** Without `aggregationType`: SAILPOINT if only `aggregations` has content, else DSL. */
function aggregationTypeOf(body: Members): string {
  return (
    body.string('aggregationType') ??
    (isEmpty(body, 'aggregationsDsl') && !isEmpty(body, 'aggregations') ? 'SAILPOINT' : 'DSL')
  );
}

function isEmpty(body: Members, name: string): boolean {
  return (body.members(name)?.names() ?? []).length === 0;
}
