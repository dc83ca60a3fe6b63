// The read-only lists of accounts, identities, roles, … (collections.md section 3). Nothing is stored
// for them: a request becomes a plan of a search over the documents, and its hits the objects.
import { authorize } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { ServiceError } from '../../errors.ts';
import { arrayMember } from '../../json/array-member.ts';
import { objectsIn } from '../../json/array-objects.ts';
import { MATCH_ALL, MATCH_NONE } from '../../query/build.ts';
import {
  type CollectionFilter,
  readCollectionFilter,
} from '../../query/collections/collection-filter.ts';
import {
  type CollectionPage,
  type CollectionParameters,
  type CollectionSorter,
  LIST_PAGE,
  type PageBounds,
  readCollectionPage,
  readCollectionSorters,
} from '../../query/collections/collection-page.ts';
import type { QueryLimits } from '../../query/limits.ts';
import type { Mapping } from '../../query/mapping/mapping.ts';
import type { Query } from '../../query/query.ts';
import type { CooperativeScheduler } from '../../scheduling/cooperative.ts';
import { Deadline } from '../../scheduling/deadline.ts';
import { bareDocument } from '../documents/bare-document.ts';
import type { Hit, SearchResult, Waiter } from '../ports/search-backend.ts';
import { hitDocument } from '../searching/rows/hit-document.ts';
import type { Visibility } from '../searching/visibility.ts';
import { documentIn } from '../views/visible-indexes.ts';
import {
  anyBelow,
  both,
  either,
  exactly,
  negated,
  type Selection,
  selectionsOf,
} from './filter-query.ts';
import { formOf, type ListFields } from './list-field.ts';
import {
  flagIn,
  parametersOf,
  type Restriction,
  refuseSubadmin,
  type Values,
} from './list-parameters.ts';
import { type ListOrder, listPlan, orderOf } from './list-plan.ts';
import {
  ACCOUNTS,
  ASSIGNED_IDENTITIES,
  ENTITLEMENTS,
  HELD_ENTITLEMENTS,
  type HeldEntitlements,
  IDENTITIES,
  type ListResource,
  ROLES,
} from './list-resources.ts';
import { ListWalks, type WalkBegins } from './list-walks.ts';
import { type MergedPage, mergedHits, type Part } from './merged-hits.ts';
import { type ReadValue, selected } from './object-list.ts';
import { entitlement, entitlementValue } from './shapes/access.ts';
import { OWN_SOURCE } from './shapes/accounts.ts';
import { type Json, objectOf, objectsOf } from './shapes/members.ts';
import { readSources, SOURCE_FIELDS } from './sources.ts';

/** A page of a list. */
export interface ListPage {
  readonly objects: readonly Json[];
  /** null unless counted. */
  readonly total: number | null;
}

/** What lists are read from. */
export interface ListSources {
  readonly visibility: Visibility;
  readonly scheduler: CooperativeScheduler;
  readonly limits: QueryLimits;
  /** Milliseconds that a list may take. */
  readonly timeoutMs: number;
  readonly clock: { now(): number };
  /** Counts walks of all threads; left out: there is one thread. */
  readonly walkBegins?: WalkBegins;
}

/** Documents that are read at once where all of them are needed. */
const IDS_AT_ONCE = 1_000;
const UNSORTED = { offset: 0, count: false, sort: [], split: null } as const;

export class Lists {
  readonly #sources: ListSources;
  readonly #walks: ListWalks;

  constructor(sources: ListSources) {
    this.#sources = sources;
    this.#walks = new ListWalks(sources.clock, sources.walkBegins);
  }

  /**
   * A page of a list.
   * @param values parameters by name: those of all lists, and those of this one
   * @throws ServiceError `forbidden`, `request_invalid` with what is wrong of a parameter,
   * `not_found` for an object that a parameter names, `limit_exceeded`, and as a search
   */
  async page(
    caller: Caller,
    resource: ListResource,
    values: CollectionParameters & Values,
    waiter: Waiter = {},
  ): Promise<ListPage> {
    authorize(caller, resource.rights.list);
    const restriction = await parametersOf(resource.area).read(values, caller, {
      visibleSegments: (id) => this.#visibleSegments(caller, id),
      entitlementsOf: (id) => this.#namedEntitlements(caller, id, waiter),
    });
    return this.#list(caller, resource, values, { ...waiter, ...restriction });
  }

  async #list(
    caller: Caller,
    resource: ListResource,
    parameters: CollectionParameters,
    { signal, memory, only = MATCH_ALL, comparison, detail = true }: Waiter & Restriction = {},
  ): Promise<ListPage> {
    const { tenantId } = caller;
    const { visibility, timeoutMs } = this.#sources;
    const { page, filter: sent, sorters } = this.#read(parameters, resource.page, resource.fields);
    const filter = allOf([sent ?? [], comparison ?? []].flat());
    const indexes = await visibility.of(caller);
    const mapping = indexes.mappings[resource.index];
    const selections = selectionsOf(filter, resource.fields, mapping, resource.element).map(
      (selection): Selection => ({
        ...selection,
        documents: both([selection.documents, only]),
      }),
    );
    const window = { ...page, ...orderOf(resource, sorters, mapping) };
    const options = { tenantId, deadline: new Deadline(timeoutMs), signal, memory };
    const key = walkKey(caller, resource, parameters, [only, comparison]);
    const after = this.#walks.before(key, page.offset);
    const search = (selection: Selection, from: typeof window, place: typeof after) =>
      indexes.search(listPlan(resource, selection, from, place), options);
    const parts = partsOf(selections, window, mapping);
    const [part] = parts;
    if (part === undefined) return { objects: [], total: page.count ? 0 : null };
    const { hits, total, release, end } =
      parts.length === 1
        ? withEnd(await search(part, window, after))
        : await mergedHits(parts, window, after, search);
    if (end !== null && hits.length === page.limit) {
      this.#walks.ended(key, page.offset + page.limit, end);
    }
    const objects = await this.#sources.scheduler.run(shapeSteps(hits, resource, detail), options);
    release?.();
    return { objects, total };
  }

  /**
   * One object of a list. Documents are read from the store, so callers see their own writes;
   * accounts are found by a search.
   * @throws ServiceError `forbidden`, `not_found`, and as a search
   */
  async get(
    caller: Caller,
    resource: ListResource,
    id: string,
    waiter: Waiter = {},
  ): Promise<Json> {
    const { object } = resource.rights;
    if (object === null) throw new Error(`${resource.area} has no objects by id`);
    authorize(caller, object);
    if (resource.element === null) {
      return resource.shape(await this.#document(caller, resource, id), {}, { detail: true });
    }
    const hit = await this.#account(caller, id, waiter);
    return shapeOf(hit, documentOf(hit, resource.element), resource, true);
  }

  /**
   * The entitlements of an account: those of its source that its entitlement attributes name.
   * @throws ServiceError as get and list
   */
  async accountEntitlements(
    caller: Caller,
    id: string,
    parameters: CollectionParameters,
    waiter: Waiter = {},
  ): Promise<ListPage> {
    authorize(caller, 'account:read');
    const only = await this.#namedEntitlements(caller, id, waiter);
    return this.#list(caller, ENTITLEMENTS, parameters, { ...waiter, only });
  }

  /**
   * The identities that have a role.
   * @throws ServiceError as get and list
   */
  async assignedIdentities(
    caller: Caller,
    id: string,
    parameters: CollectionParameters,
    waiter: Waiter = {},
  ): Promise<ListPage> {
    authorize(caller, ASSIGNED_IDENTITIES.rights.list);
    await this.#document(caller, ROLES, id);
    const held = both([exactly('access.id', [id]), exactly('access.type', ['ROLE'])]);
    const only: Query = { kind: 'nested', path: 'access', query: held, scoreMode: 'none' };
    return this.#list(caller, ASSIGNED_IDENTITIES, parameters, { ...waiter, only });
  }

  /**
   * The entitlements that a role or access profile has itself. Those without a document have what the
   * role or access profile says of them.
   * @throws ServiceError as get and list
   */
  async heldEntitlements(
    caller: Caller,
    { holders, right }: HeldEntitlements,
    id: string,
    parameters: CollectionParameters,
    waiter: Waiter = {},
  ): Promise<ListPage> {
    authorize(caller, right);
    const document = await this.#document(caller, holders, id);
    const elements = objectsOf(document['entitlements']);
    const known = await this.#entitlements(caller, elements, waiter);
    const objects = elements.map((element) =>
      entitlement({ ...element, ...known.get(String(element['id'])) }),
    );
    return this.#page(objects, parameters, holders.page, HELD_ENTITLEMENTS, entitlementValue);
  }

  /**
   * The sources that the documents name, by id unless sorted.
   * @throws ServiceError as list
   */
  async sources(
    caller: Caller,
    parameters: CollectionParameters & Values,
    waiter: Waiter = {},
  ): Promise<ListPage> {
    authorize(caller, 'source:list');
    refuseSubadmin(parameters);
    const withOwn = flagIn(parameters, 'includeIDNSource', true);
    const all = await this.#allSources(caller, waiter);
    const sources = withOwn ? all : all.filter(({ name }) => name !== OWN_SOURCE);
    return this.#page(
      sources,
      parameters,
      LIST_PAGE,
      SOURCE_FIELDS,
      (source, name) => source[name],
    );
  }

  /** @throws ServiceError as get */
  async source(caller: Caller, id: string, waiter: Waiter = {}): Promise<Json> {
    authorize(caller, 'source:read');
    const sources = await this.#allSources(caller, waiter);
    const source = sources.find((each) => each['id'] === id);
    if (source === undefined) throw notFound('a source', id);
    return source;
  }

  /** The ids of the segments that an identity sees. */
  async #visibleSegments(caller: Caller, id: string): Promise<readonly string[]> {
    const { visibleSegments } = await this.#document(caller, IDENTITIES, id);
    return Array.isArray(visibleSegments) ? visibleSegments.map(String) : [];
  }

  /** The entitlements of the source of an account that its attributes name. */
  async #namedEntitlements(caller: Caller, id: string, waiter: Waiter): Promise<Query> {
    const hit = await this.#account(caller, id, waiter);
    const account = elementOf(hit, documentOf(hit, 'accounts'), 'accounts');
    const sourceId = objectOf(account['source'])['id'];
    const attributes = Object.entries(objectOf(account['entitlementAttributes']));
    const named = attributes.map(([attribute, value]) =>
      both([exactly('attribute', [attribute]), exactly('value', [value].flat().map(String))]),
    );
    if (typeof sourceId !== 'string') return MATCH_NONE;
    return both([exactly('source.id', [sourceId]), either(named)]);
  }

  #read(
    parameters: CollectionParameters,
    bounds: PageBounds,
    fields: ListFields,
  ): {
    readonly page: CollectionPage;
    readonly filter: CollectionFilter | null;
    readonly sorters: readonly CollectionSorter[];
  } {
    const { limits } = this.#sources;
    const { filters, sorters } = formOf(fields, bounds.most);
    return {
      page: readCollectionPage(parameters, bounds),
      filter: readCollectionFilter(parameters.filters, filters, limits),
      sorters: readCollectionSorters(parameters.sorters, sorters, limits),
    };
  }

  /** A page of objects in memory. */
  #page(
    objects: readonly Json[],
    parameters: CollectionParameters,
    bounds: PageBounds,
    fields: ListFields,
    read: ReadValue<Json>,
  ): ListPage {
    const { page, filter, sorters } = this.#read(parameters, bounds, fields);
    const matching = selected(objects, fields, filter, sorters, read);
    return {
      objects: matching.slice(page.offset, page.offset + page.limit),
      total: page.count ? matching.length : null,
    };
  }

  async #document(caller: Caller, { index, called }: ListResource, id: string): Promise<Json> {
    try {
      const indexes = await this.#sources.visibility.of(caller);
      return parsed(Buffer.concat(bareDocument(await documentIn(indexes, index, id))));
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not_found') throw notFound(called, id);
      throw error;
    }
  }

  /** @throws ServiceError `not_found` */
  async #account(caller: Caller, id: string, { signal }: Waiter): Promise<Hit> {
    const { visibility, timeoutMs } = this.#sources;
    const elements: Query = { kind: 'term', field: 'accounts.id', form: 'exact', value: id };
    const window = { ...UNSORTED, limit: 1 };
    const plan = listPlan(ACCOUNTS, { documents: MATCH_ALL, elements }, window, null);
    const indexes = await visibility.of(caller);
    const { hits } = await indexes.search(plan, { deadline: new Deadline(timeoutMs), signal });
    const [hit] = hits;
    if (hit === undefined) throw notFound(ACCOUNTS.called, id);
    return hit;
  }

  /** The documents of entitlements, by id. */
  async #entitlements(
    caller: Caller,
    elements: readonly Json[],
    { signal }: Waiter,
  ): Promise<ReadonlyMap<string, Json>> {
    const { tenantId } = caller;
    const { visibility, timeoutMs, scheduler } = this.#sources;
    const indexes = await visibility.of(caller);
    const options = { tenantId, deadline: new Deadline(timeoutMs), signal };
    const ids = [...new Set(elements.map(({ id }) => String(id)))];
    const known = new Map<string, Json>();
    for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
      const documents: Query = { kind: 'ids', values: ids.slice(from, from + IDS_AT_ONCE) };
      const window = { ...UNSORTED, limit: IDS_AT_ONCE };
      const plan = listPlan(ENTITLEMENTS, { documents, elements: MATCH_ALL }, window, null);
      const { hits, release } = await indexes.search(plan, options);
      await scheduler.run(parseSteps(hits, known), options);
      release?.();
    }
    return known;
  }

  async #allSources(caller: Caller, { signal }: Waiter): Promise<readonly Json[]> {
    const { visibility, timeoutMs, limits } = this.#sources;
    const indexes = await visibility.of(caller);
    const deadline = new Deadline(timeoutMs);
    return readSources(indexes, { deadline, signal }, limits.maxBuckets);
  }
}

function withEnd(result: SearchResult): MergedPage {
  const { hits, total, release } = result;
  return { hits, total, release, end: hits.at(-1)?.sort ?? null };
}

/** What all filters match; null: everything. */
function allOf(parts: readonly CollectionFilter[]): CollectionFilter | null {
  return parts.length > 1 ? { kind: 'and', parts } : (parts[0] ?? null);
}

/** The selections, divided by the split of the order. */
function partsOf(
  selections: readonly Selection[],
  { split }: ListOrder,
  mapping: Mapping,
): readonly Part[] {
  if (split === null) return selections;
  const any = anyBelow(split.anyBelow, mapping);
  const parts = [
    { value: 0, only: negated(any) },
    { value: 1, only: any },
  ];
  return selections.flatMap(({ documents, elements }) =>
    parts.map(({ value, only }) => ({ documents, elements: both([elements, only]), value })),
  );
}

const decoder = new TextDecoder();

function parsed(bytes: Uint8Array): Json {
  return JSON.parse(decoder.decode(bytes));
}

/** @param only the one nested array that is read; null: all */
function documentOf(hit: Hit, only: string | null): Json {
  if (only === null) return hitDocument(hit);
  return { ...parsed(hit.root), [only]: arrayMember(hit.nested, only) };
}

/** The element of a hit of a plan with `elementOrder`. */
function elementOf({ elements = [] }: Hit, document: Json, path: string): Json {
  return objectOf(objectsIn(document[path])[elements[0] ?? 0]);
}

function shapeOf(hit: Hit, document: Json, resource: ListResource, detail: boolean): Json {
  const { element, shape } = resource;
  return shape(document, element === null ? {} : elementOf(hit, document, element), { detail });
}

/** Neighbours are often elements of one document, which is then parsed once. */
function* shapeSteps(
  hits: readonly Hit[],
  resource: ListResource,
  detail: boolean,
): Generator<void, Json[]> {
  const objects: Json[] = [];
  let id: string | null = null;
  let document: Json = {};
  for (const hit of hits) {
    if (hit.id !== id) document = documentOf(hit, resource.element);
    id = hit.id;
    objects.push(shapeOf(hit, document, resource, detail));
    yield;
  }
  return objects;
}

function* parseSteps(hits: readonly Hit[], documents: Map<string, Json>): Generator<void, void> {
  for (const hit of hits) {
    documents.set(hit.id, documentOf(hit, null));
    yield;
  }
}

/** What a walk over a list is known by. */
function walkKey(
  { tenantId, views, identityId, clientId }: Caller,
  { area, rights }: ListResource,
  { filters = '', sorters = '' }: CollectionParameters,
  restriction: readonly unknown[],
): string {
  const list = [area, rights.list, filters, sorters, restriction];
  return JSON.stringify([tenantId, views, identityId, clientId, ...list]);
}

function notFound(called: string, id: string): ServiceError {
  const shown = JSON.stringify(id.slice(0, 60));
  return new ServiceError('not_found', `There is no such object.`, {
    causes: [`${shown} is not the id of ${called}`],
  });
}
