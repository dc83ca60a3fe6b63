// The searches of tiles as request bodies, and as addresses of the search page.

import type { IndexName } from '../../../../src/query/query.ts';
import type { SearchDefinition } from '../../../../src/query/search-definition.ts';
import { arraysOf } from '../../../model/field-catalogue.ts';
import { kindNamed, kindOf, labelOf } from '../../../model/kinds.ts';
import { searchBody } from '../../../model/search-body.ts';
import {
  columnsOf,
  defaultSearch,
  printSearch,
  type SearchState,
  sortOf,
  toggleFacetValue,
} from '../../../model/search-state.ts';
import type { SearchBody } from '../../../model/wire.ts';
import type { TileColumn } from './tile.ts';

/** The `status` of documents that are failures, by index. */
const FAILED: Readonly<Record<string, string>> = { events: 'FAILED', accountactivities: 'Failure' };

/** The first index of a search that the console knows; identities if there is none. */
export function indexOf({ indices }: Pick<SearchDefinition, 'indices'>): IndexName {
  return indices.map(kindNamed).find((kind) => kind !== undefined)?.index ?? 'identities';
}

/** The search that a state of the search page shows. */
export function searchOf(state: SearchState): SearchDefinition {
  const body = searchBody(state) as {
    readonly query: { readonly query: string; readonly fields?: readonly string[] };
    readonly filters?: Readonly<Record<string, unknown>>;
  };
  const { type } = kindOf(state.index);
  const sort = sortOf(state);
  return {
    indices: [state.index],
    query: body.query.query,
    fields: body.query.fields ?? null,
    filters: body.filters ?? null,
    columns: { [type]: columnsOf(state).map((field) => ({ field })) },
    sort: null,
    orderBy: sort === '' ? null : { [type]: sort.split(',') },
  };
}

/** The body of a search, without sort and page. */
export function bodyOf({ indices, query, fields, filters }: SearchDefinition): SearchBody {
  return {
    indices,
    query: fields === null ? { query } : { query, fields },
    ...(filters === null ? {} : { filters }),
  };
}

/** Counts the documents by value of a field. Its result is named `values` at every level. */
export function valuesBody(search: SearchDefinition, field: string, size: number): SearchBody {
  const path = arraysOf(indexOf(search)).find((array) => field.startsWith(`${array}.`));
  const body = bodyOf(search);
  if (path === undefined)
    return { ...body, aggregationsDsl: { values: { terms: { field, size } } } };
  // A nested aggregation counts elements; reverse_nested counts their documents.
  const values = {
    terms: { field, size, order: { documents: 'desc' } },
    aggs: { documents: { reverse_nested: {} } },
  };
  return { ...body, aggregationsDsl: { values: { nested: { path }, aggs: { values } } } };
}

/** The first and the last time of the matches. */
export function boundsBody(search: SearchDefinition, field: string): SearchBody {
  return {
    ...bodyOf(search),
    aggregationsDsl: { first: { min: { field } }, last: { max: { field } } },
  };
}

/** Counts the matches by interval, and those that failed, as `failed`, where documents can. */
export function timeBody(search: SearchDefinition, field: string, interval: string): SearchBody {
  const times = { date_histogram: { field, calendar_interval: interval } };
  const status = FAILED[indexOf(search)];
  const aggs = { failed: { filter: { term: { status } } } };
  return {
    ...bodyOf(search),
    aggregationsDsl: { times: status === undefined ? times : { ...times, aggs } },
  };
}

/**
 * The date field by which the time range of a page limits a search; null if the documents have no
 * time line, or the search has a time range of its own.
 */
export function timelineOf({ indices, filters }: SearchDefinition): string | null {
  const { timeline } = kindOf(indexOf({ indices }));
  return indices.length === 1 && !Object.hasOwn(filters ?? {}, timeline ?? '') ? timeline : null;
}

/** A search within a time range; the same search if a range does not limit it. */
export function withSpan(search: SearchDefinition, span: SearchState['span']): SearchDefinition {
  const timeline = timelineOf(search);
  if (span === null || timeline === null) return search;
  const lower = { value: span.from, inclusive: true };
  const upper = { value: span.to, inclusive: false };
  const filters = { ...search.filters, [timeline]: { type: 'RANGE', range: { lower, upper } } };
  return { ...search, filters };
}

/** The columns of the rows of a search. */
export function columnsIn(search: SearchDefinition): readonly TileColumn[] {
  const kind = kindOf(indexOf(search));
  const chosen = search.columns[kind.type] ?? [];
  const columns =
    chosen.length > 0 ? chosen : kind.columns.map((field) => ({ field, header: null }));
  return columns.map(({ field, header }) => ({ field, label: header ?? labelOf(field) }));
}

/** The first rows of a search, with the members that the columns show. */
export function rowsBody(search: SearchDefinition): SearchBody {
  const { type } = kindOf(indexOf(search));
  const sort = search.orderBy?.[type] ?? search.sort ?? [];
  const fields = columnsIn(search).map(({ field }) => field);
  const includes = [...new Set(['id', 'name', 'displayName', ...fields])];
  return {
    ...bodyOf({ ...search, indices: [indexOf(search)] }),
    ...(sort.length === 0 ? {} : { sort }),
    queryResultFilter: { includes },
  };
}

/** The address of a search on the search page; null if that cannot show all of it. */
export function addressOf(search: SearchDefinition): string | null {
  const state = stateOf(search);
  return state === null ? null : `#${printSearch(state)}`;
}

/** The address of the documents that have a value; null as `addressOf`. */
export function valueAddress(
  search: SearchDefinition,
  field: string,
  value: string,
): string | null {
  const state = stateOf(search);
  return state === null ? null : `#${printSearch(toggleFacetValue(state, field, value))}`;
}

/** The state of the search page; null if it cannot show the search. */
function stateOf(search: SearchDefinition): SearchState | null {
  const { indices, query, fields, filters, orderBy, columns } = search;
  const kind = kindOf(indexOf(search));
  if (indices.length !== 1 || indices[0] !== kind.index || fields !== null) return null;
  const facetFilters: Record<string, string[]> = {};
  const excluded: Record<string, string[]> = {};
  let span: SearchState['span'] = null;
  for (const [field, value] of Object.entries(filters ?? {})) {
    const terms = termsOf(value);
    const range = field === kind.timeline ? spanOf(value) : null;
    if (range !== null) span = range;
    else if (terms === null) return null;
    else (terms.isExcluded ? excluded : facetFilters)[field] = terms.values;
  }
  const shown = columns[kind.type]?.map(({ field }) => field) ?? [];
  return {
    ...defaultSearch(kind.index),
    ...{ query: query === '*' ? '' : query, facetFilters, excluded, span },
    sort: orderBy?.[kind.type]?.[0] ?? null,
    columns: shown.length === 0 ? null : [...new Set(shown)],
  };
}

function termsOf(filter: unknown): { values: string[]; isExcluded: boolean } | null {
  const { type = 'TERMS', terms, exclude, range } = filter as Record<string, unknown>;
  if (type !== 'TERMS' || range !== undefined || !Array.isArray(terms) || terms.length === 0)
    return null;
  return { values: terms.map(String), isExcluded: exclude === true };
}

function spanOf(filter: unknown): SearchState['span'] {
  const { range, exclude } = filter as {
    range?: Record<'lower' | 'upper', { value?: unknown; inclusive?: unknown } | undefined>;
    exclude?: unknown;
  };
  const { lower, upper } = range ?? {};
  if (exclude === true || lower?.inclusive !== true || upper?.inclusive === true) return null;
  const [from, to] = [lower.value, upper?.value];
  return typeof from === 'string' && typeof to === 'string' ? { from, to } : null;
}
