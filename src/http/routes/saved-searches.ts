// Saved and scheduled searches over HTTP. The paths below `/saved-searches/{id}` of runs, results and
// deliveries are extensions of the public API.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Listed, ListParameters } from '../../identity/saved-searches/list-request.ts';
import type { SavedSearches } from '../../identity/saved-searches/saved-searches.ts';
import type { ScheduledSearches } from '../../identity/saved-searches/scheduled-searches.ts';
import type { SearchRuns } from '../../identity/saved-searches/search-runs.ts';
import { callerOf, type Endpoint, pathParameter, queryParameter } from '../endpoint.ts';
import { CSV_TYPE, type SendCapacity, sendBytes, writeTotal } from '../responses/response.ts';

/** `/saved-searches` and the paths below it. */
export function savedSearchEndpoints(
  searches: Pick<SavedSearches, keyof SavedSearches>,
  runs: Pick<SearchRuns, keyof SearchRuns>,
  capacity: SendCapacity,
): Endpoint[] {
  const reading = { method: 'GET', dialect: 'isc', body: 'none' } as const;
  const read = { ...reading, operation: 'saved-search:read' } as const;
  const results = { ...reading, operation: 'search' } as const;
  const manage = { dialect: 'isc', operation: 'saved-search:manage' } as const;
  return [
    {
      ...manage,
      ...{ method: 'POST', path: '', body: 'json' },
      handle: async (request, reply) =>
        reply.code(201).send(await searches.create(callerOf(request), request.body)),
    },
    {
      ...{ ...read, path: '' },
      handle: async (request, reply) =>
        listed(reply, await searches.list(callerOf(request), parametersOf(request))),
    },
    {
      ...{ ...read, path: '/:id' },
      handle: async (request) => searches.get(callerOf(request), idOf(request)),
    },
    {
      ...{ ...manage, method: 'PUT', path: '/:id', body: 'json' },
      handle: async (request) => searches.replace(callerOf(request), idOf(request), request.body),
    },
    {
      ...{ ...manage, method: 'DELETE', path: '/:id', body: 'none' },
      async handle(request, reply) {
        await searches.remove(callerOf(request), idOf(request));
        return reply.code(204).send();
      },
    },
    {
      ...{ ...manage, method: 'POST', path: '/:id/execute', body: 'json' },
      async handle(request, reply) {
        await searches.execute(callerOf(request), idOf(request), request.body);
        return reply.code(202).send();
      },
    },
    {
      ...{ ...results, path: '/:id/runs' },
      handle: async (request, reply) =>
        listed(reply, await runs.list(callerOf(request), idOf(request), parametersOf(request))),
    },
    {
      ...{ ...results, path: '/:id/runs/:runId' },
      handle: async (request) =>
        runs.get(callerOf(request), idOf(request), pathParameter(request, 'runId')),
    },
    {
      ...{ ...results, path: '/:id/runs/:runId/results.csv' },
      async handle(request, reply) {
        const runId = pathParameter(request, 'runId');
        const type = queryParameter(request, 'type');
        const body = await runs.csv(callerOf(request), idOf(request), runId, type);
        sendBytes(request, reply, body, CSV_TYPE, null, capacity);
        return reply;
      },
    },
    {
      ...{ ...results, path: '/:id/deliveries' },
      handle: async (request, reply) =>
        listed(
          reply,
          await runs.deliveries(callerOf(request), idOf(request), parametersOf(request)),
        ),
    },
  ];
}

/** `/scheduled-searches` and the paths below it. */
export function scheduledSearchEndpoints(
  searches: Pick<ScheduledSearches, keyof ScheduledSearches>,
): Endpoint[] {
  const get = { dialect: 'isc', operation: 'scheduled-search:get' } as const;
  const manage = { dialect: 'isc', operation: 'scheduled-search:manage' } as const;
  return [
    {
      ...{ ...manage, method: 'POST', path: '', body: 'json' },
      handle: async (request, reply) =>
        reply.code(201).send(await searches.create(callerOf(request), request.body)),
    },
    {
      ...{ method: 'GET', path: '', dialect: 'isc', body: 'none' },
      operation: 'scheduled-search:read',
      handle: async (request, reply) =>
        listed(reply, await searches.list(callerOf(request), parametersOf(request))),
    },
    {
      ...{ ...get, method: 'GET', path: '/:id', body: 'none' },
      handle: async (request) => searches.get(callerOf(request), idOf(request)),
    },
    {
      ...{ ...manage, method: 'PUT', path: '/:id', body: 'json' },
      handle: async (request) => searches.replace(callerOf(request), idOf(request), request.body),
    },
    {
      ...{ ...manage, method: 'DELETE', path: '/:id', body: 'none' },
      async handle(request, reply) {
        await searches.remove(callerOf(request), idOf(request));
        return reply.code(204).send();
      },
    },
    {
      ...{ ...get, method: 'POST', path: '/:id/unsubscribe', body: 'json' },
      async handle(request, reply) {
        await searches.unsubscribe(callerOf(request), idOf(request), request.body);
        return reply.code(204).send();
      },
    },
  ];
}

function idOf(request: FastifyRequest): string {
  return pathParameter(request, 'id');
}

function parametersOf(request: FastifyRequest): ListParameters {
  const names = ['offset', 'limit', 'count', 'filters'] as const;
  const values = names.map((name) => [name, queryParameter(request, name)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function listed<T>(reply: FastifyReply, { items, total }: Listed<T>): readonly T[] {
  writeTotal(reply, total);
  return items;
}
