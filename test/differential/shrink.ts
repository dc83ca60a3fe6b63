// Shrinks a failing plan, clause by clause, as long as it fails.
import type { Aggregations } from '../../src/query/aggregation.ts';
import type { InnerHit, Plan, Target } from '../../src/query/plan.ts';
import type { Query } from '../../src/query/query.ts';

const ATTEMPTS = 300;

/** @param fails true if the judges differ */
export async function shrunk(plan: Plan, fails: (plan: Plan) => Promise<boolean>): Promise<Plan> {
  let best = plan;
  let attempts = 0;
  for (let progress = true; progress; ) {
    progress = false;
    for (const smaller of smallerPlans(best)) {
      attempts += 1;
      if (attempts > ATTEMPTS) return best;
      if (!(await fails(smaller))) continue;
      best = smaller;
      progress = true;
      break;
    }
  }
  return best;
}

function* smallerPlans(plan: Plan): Generator<Plan> {
  const { targets, searchAfter, ...rest } = plan;
  if (targets.length > 1) {
    for (const target of targets) yield { ...plan, targets: [target] };
  }
  if (searchAfter !== undefined) yield { ...rest, targets };
  for (const at of plan.sort.keys()) {
    const sort = plan.sort.toSpliced(at, 1);
    if (searchAfter === undefined) yield { ...plan, sort };
    else if (sort.length > 0) yield { ...plan, sort, searchAfter: searchAfter.toSpliced(at, 1) };
  }
  const [first] = targets;
  // Aggregations have the same names in all targets.
  if (targets.length === 1 && first?.aggregations !== undefined) {
    for (const aggregations of smallerAggregations(first.aggregations)) {
      yield { ...plan, targets: [{ ...first, aggregations }] };
    }
  }
  for (const [at, target] of targets.entries()) {
    for (const smaller of smallerTargets(target)) {
      yield { ...plan, targets: targets.with(at, smaller) };
    }
  }
}

function* smallerTargets(target: Target): Generator<Target> {
  const { innerHit, typeahead } = target;
  if (innerHit !== undefined) {
    yield* smallerElements(target, innerHit);
    return;
  }
  for (const query of smallerQueries(target.query)) yield { ...target, query };
  if (typeahead !== undefined && typeahead.filter.kind !== 'matchAll') {
    yield { ...target, typeahead: { ...typeahead, filter: { kind: 'matchAll' } } };
  }
}

/**
 * Shrinks the inner query and the query on its documents: together if that requires the inner one
 * (query/requests/inner-hit.ts).
 */
function* smallerElements(target: Target, { path, query: inner }: InnerHit): Generator<Target> {
  const { query } = target;
  const [outer] = query.kind === 'bool' ? query.must : [];
  const [owns] = query.kind === 'bool' ? query.filter : [];
  if (query.kind !== 'bool' || owns?.kind !== 'nested' || owns.path !== path) {
    for (const smaller of smallerQueries(query)) yield { ...target, query: smaller };
    for (const smaller of smallerQueries(inner)) {
      yield { ...target, innerHit: { path, query: smaller } };
    }
    return;
  }
  if (outer === undefined) return;
  for (const must of smallerQueries(outer)) yield { ...target, query: { ...query, must: [must] } };
  for (const smaller of smallerQueries(inner)) {
    const filter = [{ ...owns, query: smaller }];
    yield { ...target, query: { ...query, filter }, innerHit: { path, query: smaller } };
  }
}

function* smallerAggregations(aggregations: Aggregations): Generator<Aggregations> {
  const entries = Object.entries(aggregations);
  for (const [name, one] of entries) {
    if (entries.length > 1) yield Object.fromEntries(entries.filter(([other]) => other !== name));
    if (!('aggregations' in one)) continue;
    if (Object.keys(one.aggregations).length > 0) {
      yield { ...aggregations, [name]: { ...one, aggregations: {} } };
    }
    for (const smaller of smallerAggregations(one.aggregations)) {
      yield { ...aggregations, [name]: { ...one, aggregations: smaller } };
    }
  }
}

function* smallerQueries(query: Query): Generator<Query> {
  if (query.kind !== 'matchNone' && query.boost !== undefined) {
    const { boost: _, ...plain } = query;
    yield plain as Query;
  }
  if (query.kind === 'nested' || query.kind === 'constantScore') {
    if (query.kind === 'constantScore') yield query.query;
    for (const inner of smallerQueries(query.query)) yield { ...query, query: inner };
  } else if (query.kind === 'disMax') {
    yield* query.queries;
    for (const [at, one] of query.queries.entries()) {
      yield { ...query, queries: query.queries.toSpliced(at, 1) };
      for (const inner of smallerQueries(one)) {
        yield { ...query, queries: query.queries.with(at, inner) };
      }
    }
  } else if (query.kind === 'bool') {
    for (const part of ['must', 'should', 'filter', 'mustNot'] as const) {
      yield* query[part];
      for (const [at, one] of query[part].entries()) {
        yield { ...query, [part]: query[part].toSpliced(at, 1) };
        for (const inner of smallerQueries(one)) {
          yield { ...query, [part]: query[part].with(at, inner) };
        }
      }
    }
  }
}
