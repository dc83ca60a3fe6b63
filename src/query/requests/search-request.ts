// Plans search requests: first form (wrong JSON types), then parameters, then content, so that the
// first error is the one a caller expects. The text is parsed once and resolved on each index.

import { invalid, oneOf } from '../body.ts';
import { MATCH_ALL } from '../build.ts';
import type { AccessPaths } from '../language/access-paths.ts';
import { DEFAULT_LIMITS, limitFault, type QueryLimits } from '../limits.ts';
import { INDEX_NAMES } from '../mapping/document-types.ts';
import { withOtherNames } from '../mapping/former-event-names.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { NearestNames } from '../mapping/nearest-name.ts';
import type { Plan, Target, Typeahead } from '../plan.ts';
import type { IndexName } from '../query.ts';
import type { Steps } from '../steps.ts';
import { checkFilters, filterQueries, withFilters } from './filters.ts';
import { pageOf, type SearchParameters } from './page.ts';
import { QUERY_TYPES, readRequestQuery } from './query-kinds.ts';
import { searchAfterOf } from './search-after.ts';
import { readSearchBody, type SearchBody } from './search-body.ts';
import { sortersOf } from './sorters.ts';

export { DEFAULT_LIMITS, type QueryLimits, type SearchParameters };

/** The mappings, time and limits that a request is planned with. */
export interface PlanContext {
  /** The mapping of one of the tenant's indexes. */
  mapping(index: IndexName): Mapping;
  /** The meaning of `now` throughout the request, in epoch milliseconds. */
  readonly now: number;
  readonly limits: QueryLimits;
  /** Suggestions for unknown names. */
  readonly nearestNames: NearestNames;
  /** The grants that `via.…` in a query text refers to; without them it is an error. */
  readonly accessPaths?: AccessPaths;
}

/**
 * Plans `POST /search`.
 * @throws ServiceError `body_malformed`, `query_malformed`, `request_invalid`, `limit_exceeded`
 */
export function* planSearchSteps(
  body: unknown,
  parameters: SearchParameters,
  context: PlanContext,
): Steps<Plan> {
  const request = readSearchBody(body);
  yield;
  return yield* planRequest(request, parameters, context);
}

/**
 * Plans `POST /search/aggregate` without its aggregations: an absent query matches everything, and
 * a type-ahead matches its documents.
 * @throws ServiceError as planSearchSteps
 */
export function* planDocuments(
  body: unknown,
  parameters: SearchParameters,
  context: PlanContext,
): Steps<Plan> {
  const request = readSearchBody(body);
  yield;
  const { typeahead, ...plan } = yield* planRequest(withDefaultQuery(request), parameters, context);
  if (typeahead === undefined) return plan;
  const page = { ...request.page, ...parameters };
  const { sort, searchAfter } = sortingOf(request, page, plan.targets, context);
  const targets = plan.targets.map(({ typeahead: _, ...target }) => target);
  return { ...plan, targets, sort, ...(searchAfter && { searchAfter }) };
}

/** Adds a query that matches everything to a request without one. */
function withDefaultQuery(request: SearchBody): SearchBody {
  if (request.queryType === 'SAILPOINT' && request.query?.query === undefined) {
    const { timeZone, innerHit } = request.query ?? {};
    return { ...request, query: { query: '*', fields: [], timeZone, innerHit } };
  }
  if (request.queryType === 'DSL' && request.queryDsl === undefined) {
    return { ...request, queryDsl: { match_all: {} } };
  }
  return request;
}

function* planRequest(
  request: SearchBody,
  sent: SearchParameters,
  context: PlanContext,
): Steps<Plan> {
  const parameters = { ...request.page, ...sent };
  const page = pageOf(parameters, context.limits);
  const indexes = indexesOf(request.indices);
  const matched = yield* planTargets(request, indexes, context);
  // Type-ahead values have their own order: sort and searchAfter are ignored.
  const sorting =
    matched.typeahead === undefined
      ? sortingOf(request, parameters, matched.targets, context)
      : { sort: [] };
  return {
    from: page.from,
    size: page.size,
    trackTotal: page.count,
    source: sourceOf(request, context.limits),
    ...matched,
    ...sorting,
  };
}

function sourceOf(request: SearchBody, limits: QueryLimits): Plan['source'] {
  const [includes, excludes] = [names(request.includes), names(request.excludes)];
  const count = includes.length + excludes.length;
  if (count > limits.maxClauses) {
    const what = 'names in queryResultFilter.includes and excludes';
    throw limitFault('maxClauses', limits.maxClauses, what, { count });
  }
  return { includes, excludes, nested: request.includeNested };
}

function sortingOf(
  request: SearchBody,
  parameters: SearchParameters,
  targets: readonly Target[],
  context: PlanContext,
): Pick<Plan, 'sort' | 'searchAfter'> {
  const { maxSortKeys } = context.limits;
  const count = request.sort.length;
  if (count > maxSortKeys) {
    throw limitFault('maxSortKeys', maxSortKeys, 'keys in sort', { count });
  }
  const sorters = sortersOf(
    request.sort,
    targets.map(({ index }) => context.mapping(index)),
  );
  if (request.searchAfter.length > 0 && pageOf(parameters, context.limits).from > 0) {
    throw invalid('offset: must be 0 with searchAfter');
  }
  const searchAfter = searchAfterOf(request.searchAfter, sorters);
  return { sort: sorters.map(({ key }) => key), ...(searchAfter && { searchAfter }) };
}

/**
 * Plans `POST /search/count`: the same documents, none of them returned.
 * @throws ServiceError as planSearchSteps
 */
export function* planCountSteps(body: unknown, context: PlanContext): Steps<Plan> {
  const request = readSearchBody(body);
  yield;
  const { targets } = yield* planTargets(request, indexesOf(request.indices), context);
  return {
    // A type-ahead counts its documents.
    targets: targets.map(({ typeahead, ...target }) => target),
    sort: [],
    from: 0,
    size: 0,
    trackTotal: true,
    source: { includes: [], excludes: [], nested: false },
  };
}

const AGGREGATION_TYPES = ['DSL', 'SAILPOINT'];

function indexesOf(indices: readonly string[]): readonly IndexName[] {
  const all = indices.length === 0 || indices.includes('*');
  for (const [at, index] of indices.entries()) {
    oneOf(`indices[${at}]`, index, [...INDEX_NAMES, '*']);
  }
  return all ? INDEX_NAMES : INDEX_NAMES.filter((name) => indices.includes(name));
}

/** The members of a plan that the query determines. */
interface PlannedTargets {
  readonly targets: readonly Target[];
  readonly typeahead?: Typeahead;
}

function* planTargets(
  request: SearchBody,
  indexes: readonly IndexName[],
  context: PlanContext,
): Steps<PlannedTargets> {
  const { limits, now, accessPaths } = context;
  oneOf('queryType', request.queryType, QUERY_TYPES);
  oneOf('aggregationType', request.aggregationType, AGGREGATION_TYPES);
  const mappings = indexes.map((index) => context.mapping(index));
  const query = readRequestQuery(request, mappings, limits, now, accessPaths);
  const filters = checkFilters(request.filters, limits);
  const targets: Target[] = [];
  for (const mapping of mappings) {
    yield;
    const occurrences = filterQueries(filters, mapping, query.texts, limits);
    yield;
    const { query: unfiltered, innerHit, typeahead } = yield* query.resolve(mapping);
    targets.push({
      index: mapping.index,
      query: withOtherNames(withFilters(unfiltered, occurrences), mapping),
      ...(innerHit && { innerHit }),
      ...(typeahead && {
        typeahead: {
          ...typeahead,
          filter: withOtherNames(withFilters(MATCH_ALL, occurrences), mapping),
        },
      }),
    });
  }
  return { targets, ...(query.typeahead && { typeahead: query.typeahead }) };
}

/** Trims the names of a source filter and drops blank ones. */
function names(list: readonly string[]): readonly string[] {
  return list.map((name) => name.trim()).filter((name) => name !== '');
}
