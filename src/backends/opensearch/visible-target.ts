// A target of which a view shows a part, for OpenSearch: the visible documents are a filter of its
// query, and of what looks beyond the query (aggregations, values of a type-ahead). OpenSearch cannot
// leave the others out where it expands a word to the nearest or first terms of an index: such
// requests are refused.
// Invariant: no answer depends on documents that are not visible.
import { ServiceError } from '../../errors.ts';
import type { Aggregation } from '../../query/aggregation.ts';
import type { Target } from '../../query/plan.ts';
import type { Query } from '../../query/query.ts';
import { firstExpansion } from '../../query/query-parts.ts';

/** @throws ServiceError `request_invalid` for what OpenSearch cannot answer through a view */
export function visibleTarget<T extends Target>(target: T): T {
  const { visible, query, innerHit, typeahead, aggregations = {} } = target;
  if (visible === undefined) return target;
  for (const one of [query, innerHit?.query, typeahead?.filter]) if (one) refuseExpansions(one);
  for (const aggregation of Object.values(aggregations)) refuseExpansionsIn(aggregation);
  return {
    ...target,
    query: { kind: 'bool', must: [query], should: [], filter: [visible], mustNot: [] },
  };
}

function refuseExpansions(query: Query): void {
  const expansion = firstExpansion(query);
  if (expansion !== null) throw refused(expansion);
}

function refuseExpansionsIn(aggregation: Aggregation): void {
  if (aggregation.kind === 'filter') refuseExpansions(aggregation.query);
  if (aggregation.kind === 'filters') {
    for (const { query } of aggregation.filters) refuseExpansions(query);
  }
  if (!('aggregations' in aggregation)) return;
  for (const inner of Object.values(aggregation.aggregations)) refuseExpansionsIn(inner);
}

function refused(what: string): ServiceError {
  const cause = `With OpenSearch, ${what} are not available through a view: their answer would depend on what the view hides`;
  return new ServiceError('request_invalid', cause, { causes: [cause] });
}
