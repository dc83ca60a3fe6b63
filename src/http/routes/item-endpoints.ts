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
export interface ItemCases<Item> {
  create(caller: Caller, body: unknown, signal: AbortSignal, warn: Warn): Promise<Item>;
  list(caller: Caller, parameters: ListParameters): Promise<Listed<object>>;
  get(caller: Caller, id: string): Promise<Item>;
  /** @param ifMatch the header If-Match, if sent; so in `remove` */
  replace(
    caller: Caller,
    id: string,
    body: unknown,
    signal: AbortSignal,
    warn: Warn,
    ifMatch: string | undefined,
  ): Promise<Item>;
  remove(caller: Caller, id: string, ifMatch: string | undefined): Promise<void>;
}

/** The right that each route needs, the fields of the list, and how an item is sent. */
export interface ItemOperations<Item> {
  readonly list: Operation;
  readonly get: Operation;
  readonly manage: Operation;
  /** What the list can be compared with; null: it has no filters. */
  readonly fields: readonly string[] | null;
  /** The body of an answer, whose headers it may set; omitted: the item. */
  present?(item: Item, reply: FastifyReply): object;
}

/** The query parameters of a page. */
export const PAGE_PARAMETERS = ['offset', 'limit', 'count'] as const;
/** The query parameters of a list of items. */
const LIST_PARAMETERS = [...PAGE_PARAMETERS, 'filters'] as const;

/** The rows below the path of a kind of items. */
export function itemEndpoints<Item extends object>(
  cases: ItemCases<Item>,
  { list, get, manage, fields, present = (item) => item }: ItemOperations<Item>,
  signals: DisconnectSignals,
): Endpoint[] {
  const listing =
    fields === null
      ? { parameters: PAGE_PARAMETERS }
      : { parameters: LIST_PARAMETERS, form: equalityForm(fields) };
  const change = { dialect: 'isc', operation: manage, work: 'changes' } as const;
  const read = { method: 'GET', dialect: 'isc', work: null, body: 'none' } as const;
  return [
    {
      ...{ ...change, method: 'POST', path: '', body: 'json' },
      async handle(request, reply) {
        const created = await signals.run(reply.raw, (signal) =>
          cases.create(callerOf(request), request.body, signal, warnIn(reply)),
        );
        return reply.code(201).send(present(created, reply));
      },
    },
    {
      ...{ ...read, operation: list, path: '', ...listing },
      handle: async (request, reply) =>
        listed(
          reply,
          await cases.list(callerOf(request), queryParameters(request, listing.parameters)),
        ),
    },
    {
      ...{ ...read, operation: get, path: '/:id' },
      handle: async (request, reply) =>
        present(await cases.get(callerOf(request), idOf(request)), reply),
    },
    {
      ...{ ...change, method: 'PUT', path: '/:id', body: 'json' },
      async handle(request, reply) {
        const caller = callerOf(request);
        const { body, headers } = request;
        const replaced = await signals.run(reply.raw, (signal) =>
          cases.replace(caller, idOf(request), body, signal, warnIn(reply), headers['if-match']),
        );
        return present(replaced, reply);
      },
    },
    {
      ...{ ...change, method: 'DELETE', path: '/:id', body: 'none' },
      async handle(request, reply) {
        await cases.remove(callerOf(request), idOf(request), request.headers['if-match']);
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
