// Search over HTTP. The use case returns bytes, which are sent unchanged.
import type { FastifyRequest } from 'fastify';
import type { Search } from '../../identity/searching/search.ts';
import type { Capacity } from '../admission/capacity.ts';
import { callerOf, type Endpoint, pathParameter, queryParameter } from '../endpoint.ts';
import { acceptedForm } from '../responses/accept.ts';
import {
  CSV_TYPE,
  JSON_TYPE,
  type SendCapacity,
  sendBytes,
  sendTotal,
} from '../responses/response.ts';
import { writeWarnings } from '../responses/warning-header.ts';

/** `/search` and the paths below it. */
export function searchEndpoints(
  search: Pick<Search, 'search' | 'count' | 'explain' | 'aggregate' | 'get'>,
  capacity: Pick<Capacity, 'signals'> & SendCapacity,
): Endpoint[] {
  const { signals } = capacity;
  return [
    {
      method: 'POST',
      path: '',
      dialect: 'search',
      operation: 'search',
      body: 'query',
      async handle(request, reply) {
        const answer = await signals.run(reply.raw, (signal) =>
          search.search(callerOf(request), request.body, pageOf(request), signal),
        );
        writeWarnings(reply, answer.warnings);
        sendBytes(request, reply, answer.body, JSON_TYPE, answer.total, capacity);
        return reply;
      },
    },
    {
      method: 'POST',
      path: '/count',
      dialect: 'search',
      operation: 'search:count',
      body: 'query',
      async handle(request, reply) {
        const { total, warnings } = await signals.run(reply.raw, (signal) =>
          search.count(callerOf(request), request.body, signal),
        );
        writeWarnings(reply, warnings);
        sendTotal(request, reply, total);
        return reply;
      },
    },
    {
      method: 'POST',
      path: '/explain',
      dialect: 'search',
      operation: 'search',
      body: 'query',
      handle: (request, reply) =>
        signals.run(reply.raw, (signal) =>
          search.explain(
            callerOf(request),
            request.body,
            parametersOf(request, ['offset', 'limit', 'count', 'index', 'id']),
            signal,
          ),
        ),
    },
    {
      method: 'POST',
      path: '/aggregate',
      dialect: 'search',
      operation: 'search:aggregate',
      body: 'query',
      async handle(request, reply) {
        const accepted = acceptedForm(request.headers.accept);
        const answer = await signals.run(reply.raw, (signal) =>
          search.aggregate(callerOf(request), request.body, pageOf(request), accepted, signal),
        );
        const type = answer.form === 'csv' ? CSV_TYPE : JSON_TYPE;
        writeWarnings(reply, answer.warnings);
        sendBytes(request, reply, answer.body, type, answer.total, capacity);
        return reply;
      },
    },
    {
      method: 'GET',
      path: '/:index/:id',
      dialect: 'search',
      operation: 'document:get',
      body: 'none',
      async handle(request, reply) {
        const index = pathParameter(request, 'index');
        const body = await search.get(callerOf(request), index, pathParameter(request, 'id'));
        sendBytes(request, reply, [body], JSON_TYPE, null, capacity);
        return reply;
      },
    },
  ];
}

/** The paging parameters; of a repeated one the last value. */
function pageOf(request: FastifyRequest) {
  return parametersOf(request, ['offset', 'limit', 'count']);
}

function parametersOf<Name extends string>(
  request: FastifyRequest,
  names: readonly Name[],
): { [name in Name]?: string } {
  const values: { [name in Name]?: string } = {};
  for (const name of names) {
    const value = queryParameter(request, name);
    if (value !== undefined) values[name] = value;
  }
  return values;
}
