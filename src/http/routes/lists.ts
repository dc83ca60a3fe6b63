// The read-only lists over HTTP (contract/collections.md section 3): a row each, and what is below an
// object.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { formOf } from '../../service/lists/list-field.ts';
import { parametersOf } from '../../service/lists/list-parameters.ts';
import {
  ACCESS_PROFILES,
  ACCOUNTS,
  ASSIGNED_IDENTITIES,
  ENTITLEMENTS,
  HELD_ENTITLEMENTS,
  type HeldEntitlements,
  LIST_RESOURCES,
  type ListResource,
  OF_ACCESS_PROFILES,
  OF_ROLES,
  ROLES,
} from '../../service/lists/list-resources.ts';
import type { ListPage, Lists } from '../../service/lists/lists.ts';
import type { CollectionForm } from '../../service/lists/parameter-hints.ts';
import { SOURCE_FIELDS } from '../../service/lists/sources.ts';
import type { Waiter } from '../../service/ports/search-backend.ts';
import type { Capacity } from '../admission/capacity.ts';
import {
  callerOf,
  type Endpoint,
  pathParameter,
  publicArea,
  queryParameters,
  type ServedEndpoint,
} from '../requests/endpoint.ts';
import { areasBelow, routeNotFound } from '../requests/unserved-areas.ts';
import { JSON_TYPE, type SendCapacity, sendBytes } from '../responses/response.ts';

/** What the routes call. */
export type ListCases = Pick<
  Lists,
  | 'page'
  | 'get'
  | 'accountEntitlements'
  | 'heldEntitlements'
  | 'assignedIdentities'
  | 'sources'
  | 'source'
>;

/** Reads a page, or one object. */
type Read = (caller: Caller, request: FastifyRequest, waiter: Waiter) => Promise<ListPage | object>;

const encoder = new TextEncoder();
const PAGE = ['limit', 'offset', 'count', 'filters', 'sorters'] as const;
const OF_SOURCES = [...PAGE, 'for-subadmin', 'includeIDNSource'] as const;

/** The lists, under every path version. */
export function listEndpoints(
  lists: ListCases,
  capacity: Pick<Capacity, 'signals'> & SendCapacity,
): ServedEndpoint[] {
  const get = (
    path: string,
    operation: Operation,
    read: Read,
    parameters: readonly string[],
    form?: CollectionForm,
  ): Endpoint => ({
    method: 'GET',
    path,
    dialect: 'isc',
    operation,
    work: null,
    body: 'none',
    parameters,
    ...(form !== undefined && { form }),
    async handle(request, reply) {
      await capacity.signals.run(reply.raw, async (signal) => {
        const answer = await read(callerOf(request), request, { signal, memory: reply });
        send(request, reply, answer, capacity);
      });
      return reply;
    },
  });
  const id = (request: FastifyRequest) => pathParameter(request, 'id');
  const page = (request: FastifyRequest) => queryParameters(request, PAGE);
  const heldEntitlements = (held: HeldEntitlements): Endpoint =>
    get(
      '/:id/entitlements',
      held.right,
      (caller, request, waiter) =>
        lists.heldEntitlements(caller, held, id(request), page(request), waiter),
      PAGE,
      formOf(HELD_ENTITLEMENTS, held.holders.page.most),
    );
  const below: Readonly<Record<string, readonly Endpoint[]>> = {
    [ACCOUNTS.area]: [
      get(
        '/:id/entitlements',
        'account:read',
        (caller, request, waiter) =>
          lists.accountEntitlements(caller, id(request), page(request), waiter),
        PAGE,
        resourceForm(ENTITLEMENTS),
      ),
    ],
    [ROLES.area]: [
      heldEntitlements(OF_ROLES),
      get(
        '/:id/assigned-identities',
        ASSIGNED_IDENTITIES.rights.list,
        (caller, request, waiter) =>
          lists.assignedIdentities(caller, id(request), page(request), waiter),
        PAGE,
        resourceForm(ASSIGNED_IDENTITIES),
      ),
    ],
    [ACCESS_PROFILES.area]: [heldEntitlements(OF_ACCESS_PROFILES)],
  };
  const rows = (resource: ListResource): readonly Endpoint[] => {
    const { area, rights } = resource;
    const names = parameterNames(resource);
    const list = get(
      '',
      rights.list,
      (caller, request, waiter) =>
        lists.page(caller, resource, queryParameters(request, names), waiter),
      names,
      resourceForm(resource),
    );
    if (rights.object === null) return [list];
    const object = get(
      '/:id',
      rights.object,
      (caller, request, waiter) => {
        if (areasBelow(request.url).length > 0) throw routeNotFound(request.url);
        return lists.get(caller, resource, id(request), waiter);
      },
      [],
    );
    return [list, object, ...(below[area] ?? [])];
  };
  return [
    ...Object.values(LIST_RESOURCES).flatMap((resource) =>
      publicArea(resource.area, rows(resource)),
    ),
    ...publicArea('/sources', [
      get(
        '',
        'source:list',
        (caller, request, waiter) =>
          lists.sources(caller, queryParameters(request, OF_SOURCES), waiter),
        OF_SOURCES,
        formOf(SOURCE_FIELDS),
      ),
      get(
        '/:id',
        'source:read',
        (caller, request, waiter) => lists.source(caller, id(request), waiter),
        [],
      ),
    ]),
  ];
}

function parameterNames({ area }: ListResource): readonly string[] {
  return [...new Set([...PAGE, ...parametersOf(area).names])];
}

function resourceForm({ fields, page }: ListResource): CollectionForm {
  return formOf(fields, page.most);
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: ListPage | object,
  capacity: SendCapacity,
): void {
  const { body, total } =
    'objects' in answer
      ? { body: answer.objects, total: answer.total }
      : { body: answer, total: null };
  sendBytes(request, reply, [encoder.encode(JSON.stringify(body))], JSON_TYPE, total, capacity);
}
