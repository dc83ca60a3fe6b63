// Saved and scheduled searches over HTTP. The paths below `/saved-searches/{id}` of runs, results and
// deliveries are extensions of the public API.
import {
  SAVED_SEARCH_FIELDS,
  SCHEDULED_SEARCH_FIELDS,
} from '../../service/saved-searches/list-request.ts';
import type { SavedSearches } from '../../service/saved-searches/saved-searches.ts';
import type { ScheduledSearches } from '../../service/saved-searches/scheduled-searches.ts';
import type { SearchRuns } from '../../service/saved-searches/search-runs.ts';
import type { Capacity } from '../admission/capacity.ts';
import { callerOf, type Endpoint, pathParameter, queryParameter } from '../requests/endpoint.ts';
import { CSV_TYPE, type SendCapacity, sendPieces } from '../responses/response.ts';
import {
  idOf,
  itemEndpoints,
  listed,
  listParameters,
  PAGE_PARAMETERS,
  warnIn,
} from './item-endpoints.ts';

/** `/saved-searches` and the paths below it. */
export function savedSearchEndpoints(
  searches: Pick<SavedSearches, keyof SavedSearches>,
  runs: Pick<SearchRuns, keyof SearchRuns>,
  capacity: Pick<Capacity, 'signals'> & SendCapacity,
): Endpoint[] {
  const results = {
    method: 'GET',
    dialect: 'isc',
    body: 'none',
    operation: 'search',
    work: 'searches',
  } as const;
  return [
    ...itemEndpoints(
      searches,
      {
        ...{ list: 'saved-search:read', get: 'saved-search:read', manage: 'saved-search:manage' },
        fields: SAVED_SEARCH_FIELDS,
      },
      capacity.signals,
    ),
    {
      ...{ method: 'POST', path: '/:id/execute', dialect: 'isc', work: 'changes', body: 'json' },
      operation: 'saved-search:manage',
      async handle(request, reply) {
        await searches.execute(callerOf(request), idOf(request), request.body, warnIn(reply));
        return reply.code(202).send();
      },
    },
    {
      ...{ ...results, path: '/:id/runs', parameters: PAGE_PARAMETERS },
      handle: async (request, reply) =>
        listed(reply, await runs.list(callerOf(request), idOf(request), listParameters(request))),
    },
    {
      ...{ ...results, path: '/:id/runs/:runId' },
      handle: async (request) =>
        runs.get(callerOf(request), idOf(request), pathParameter(request, 'runId')),
    },
    {
      ...{ ...results, path: '/:id/runs/:runId/results.csv', work: 'streams of rows' },
      async handle(request, reply) {
        const runId = pathParameter(request, 'runId');
        const type = queryParameter(request, 'type');
        const pieces = await runs.csv(callerOf(request), idOf(request), runId, type);
        await sendPieces(request, reply, pieces, CSV_TYPE, null, capacity);
        return reply;
      },
    },
    {
      ...{ ...results, path: '/:id/deliveries', parameters: PAGE_PARAMETERS },
      handle: async (request, reply) =>
        listed(
          reply,
          await runs.deliveries(callerOf(request), idOf(request), listParameters(request)),
        ),
    },
  ];
}

/** `/scheduled-searches` and the paths below it. */
export function scheduledSearchEndpoints(
  searches: Pick<ScheduledSearches, keyof ScheduledSearches>,
  { signals }: Pick<Capacity, 'signals'>,
): Endpoint[] {
  return [
    ...itemEndpoints(
      searches,
      {
        list: 'scheduled-search:read',
        get: 'scheduled-search:get',
        manage: 'scheduled-search:manage',
        fields: SCHEDULED_SEARCH_FIELDS,
      },
      signals,
    ),
    {
      ...{
        method: 'POST',
        path: '/:id/unsubscribe',
        dialect: 'isc',
        work: 'changes',
        body: 'json',
      },
      operation: 'scheduled-search:get',
      async handle(request, reply) {
        await searches.unsubscribe(callerOf(request), idOf(request), request.body);
        return reply.code(204).send();
      },
    },
  ];
}
