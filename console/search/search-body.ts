// Builds the request bodies of the search page from its state. "Copy as" shows the same bodies.
import type { SearchBody } from '../api/wire.ts';
import { type Facet, KINDS, kindOf } from './kinds.ts';
import { columnsOf, type SearchState } from './search-state.ts';

/** The search of a state, without paging. */
export function searchBody(state: SearchState): SearchBody {
  return { ...baseBody(state), ...(state.sort === '' ? {} : { sort: sortOf(state) }) };
}

/** Same as `searchBody`, limited to the members that rows show. */
export function rowsBody(state: SearchState): SearchBody {
  const shown = [...columnsOf(state), ...sortOf(state).map((field) => field.replace(/^-/, ''))];
  const includes = [...new Set(['id', 'name', 'displayName', ...shown])];
  return { ...searchBody(state), queryResultFilter: { includes } };
}

/** The sort of a state; it ends with the id, so that pages neither overlap nor skip. */
export function sortOf(state: SearchState): string[] {
  if (state.sort === '') return [];
  return state.sort.replace(/^-/, '') === 'id' ? [state.sort] : [state.sort, 'id'];
}

/** Counts the matches of a query by type, without any filter. */
export function tabsBody(query: string): SearchBody {
  return {
    indices: KINDS.map((kind) => kind.index),
    query: { query: query === '' ? '*' : query },
    aggregationsDsl: { types: { terms: { field: '_type', size: KINDS.length } } },
  };
}

/**
 * Counts the values of facets, as `facet0`, `facet1`, …, without the filter on the field
 * `excluded`.
 */
export function facetsBody(
  state: SearchState,
  facets: readonly Facet[],
  sizes: (facet: Facet) => number,
  excluded: string | null,
): SearchBody {
  const { [excluded ?? '']: _, ...facetFilters } = state.facetFilters;
  const aggregations = facets.map((facet, at) => [`facet${at}`, valuesOf(facet, sizes(facet))]);
  return {
    ...baseBody({ ...state, facetFilters }),
    aggregationsDsl: Object.fromEntries(aggregations),
  };
}

/** The first and the last timestamp of the matches. */
export function boundsBody(state: SearchState, field: string): SearchBody {
  return {
    ...baseBody(state),
    aggregationsDsl: { first: { min: { field } }, last: { max: { field } } },
  };
}

/** Counts the matches by interval. */
export function histogramBody(state: SearchState, field: string, interval: string): SearchBody {
  return {
    ...baseBody(state),
    aggregationsDsl: { times: { date_histogram: { field, calendar_interval: interval } } },
  };
}

/** The calendar interval that divides a time range into some dozens of bars. */
export function intervalFor(milliseconds: number): string {
  const hours = milliseconds / 3_600_000;
  if (hours <= 3) return 'minute';
  if (hours <= 24 * 4) return 'hour';
  if (hours <= 24 * 130) return 'day';
  if (hours <= 24 * 800) return 'week';
  return hours <= 24 * 365 * 12 ? 'month' : 'year';
}

function baseBody(state: SearchState): SearchBody {
  const filters: Record<string, unknown> = {};
  for (const [field, terms] of Object.entries(state.facetFilters))
    filters[field] = { type: 'TERMS', terms };
  const { timeline } = kindOf(state.index);
  if (state.span !== null && timeline !== null) {
    const { from, to } = state.span;
    filters[timeline] = {
      type: 'RANGE',
      range: { lower: { value: from, inclusive: true }, upper: { value: to, inclusive: false } },
    };
  }
  return {
    indices: [state.index],
    query: { query: state.query === '' ? '*' : state.query },
    ...(Object.keys(filters).length === 0 ? {} : { filters }),
  };
}

function valuesOf({ field, nested }: Facet, size: number): unknown {
  if (nested === undefined) return { terms: { field, size } };
  // A nested aggregation counts elements; reverse_nested counts their documents.
  const documents = { documents: { reverse_nested: {} } };
  return {
    nested: { path: nested },
    aggs: { values: { terms: { field, size }, aggs: documents } },
  };
}
