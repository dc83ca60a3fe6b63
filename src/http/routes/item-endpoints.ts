// The routes of what users own, such as saved searches: create, list, read, replace and delete.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import {
  equalityForm,
  type Listed,
  type ListParameters,
} from '../../service/saved-searches/list-request.ts';
import type { DisconnectSignals } from '../requests/disconnect-signals.ts';
import { callerOf, type Endpoint, pathParameter, queryParameters } from '../requests/endpoint.ts';
import { writeTotal } from '../responses/response.ts';
import { writeWarnings } from '../responses/warning-header.ts';

/** Receives warnings about what was sent. */
type Warn = (hints: readonly { readonly text: string }[]) => void;

/** The use cases of one kind of items; signals abort when the client disconnects. */
export interface ItemCases {
  create(caller: Caller, body: unknown, signal: AbortSignal, warn: Warn): Promise<object>;
  list(caller: Caller, parameters: ListParameters): Promise<Listed<object>>;
  get(caller: Caller, id: string): Promise<object>;
  replace(
    caller: Caller,
    id: string,
    body: unknown,
    signal: AbortSignal,
    warn: Warn,
  ): Promise<object>;
  remove(caller: Caller, id: string): Promise<void>;
}

/** The right that each route needs, and the fields of the list. */
export interface ItemOperations {
  readonly list: Operation;
  readonly get: Operation;
  readonly manage: Operation;
  /** What the list can be compared with. */
  readonly fields: readonly string[];
}

/** The query parameters of a page. */
export const PAGE_PARAMETERS = ['offset', 'limit', 'count'] as const;
/** The query parameters of a list of items. */
const LIST_PARAMETERS = [...PAGE_PARAMETERS, 'filters'] as const;

/** The rows below the path of a kind of items. */
export function itemEndpoints(
  cases: ItemCases,
  { list, get, manage, fields }: ItemOperations,
  signals: DisconnectSignals,
): Endpoint[] {
  const form = equalityForm(fields);
  const change = { dialect: 'isc', operation: manage } as const;
  const read = { method: 'GET', dialect: 'isc', body: 'none' } as const;
  return [
    {
      ...{ ...change, method: 'POST', path: '', body: 'json' },
      async handle(request, reply) {
        const created = await signals.run(reply.raw, (signal) =>
          cases.create(callerOf(request), request.body, signal, warnIn(reply)),
        );
        return reply.code(201).send(created);
      },
    },
    {
      ...{ ...read, operation: list, path: '', parameters: LIST_PARAMETERS, form },
      handle: async (request, reply) =>
        listed(reply, await cases.list(callerOf(request), listParameters(request))),
    },
    {
      ...{ ...read, operation: get, path: '/:id' },
      handle: async (request) => cases.get(callerOf(request), idOf(request)),
    },
    {
      ...{ ...change, method: 'PUT', path: '/:id', body: 'json' },
      handle: (request, reply) =>
        signals.run(reply.raw, (signal) =>
          cases.replace(callerOf(request), idOf(request), request.body, signal, warnIn(reply)),
        ),
    },
    {
      ...{ ...change, method: 'DELETE', path: '/:id', body: 'none' },
      async handle(request, reply) {
        await cases.remove(callerOf(request), idOf(request));
        return reply.code(204).send();
      },
    },
  ];
}

/** Adds warnings to a response. */
export function warnIn(reply: FastifyReply): Warn {
  return (hints) => writeWarnings(reply, hints);
}

export function idOf(request: FastifyRequest): string {
  return pathParameter(request, 'id');
}

export function listParameters(request: FastifyRequest): ListParameters {
  return queryParameters(request, LIST_PARAMETERS);
}

/** Writes the total of a list, and returns its items. */
export function listed<T>(reply: FastifyReply, { items, total }: Listed<T>): readonly T[] {
  writeTotal(reply, total);
  return items;
}
