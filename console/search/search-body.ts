// The requests a search page makes, from its state. They are what "copy as" shows, so that what is seen here can be
// asked from anywhere else.
import type { SearchBody } from '../api/wire.ts';
import { type Facet, KINDS, kindOf } from './kinds.ts';
import { columnsOf, type SearchState } from './search-state.ts';

/** The search of a state: everything but the page. */
export function searchBody(state: SearchState): SearchBody {
  return { ...chosen(state), ...(state.sort === '' ? {} : { sort: sortOf(state) }) };
}

/** As searchBody, with only the members that rows show. */
export function rowsBody(state: SearchState): SearchBody {
  const shown = [...columnsOf(state), ...sortOf(state).map((field) => field.replace(/^-/, ''))];
  const includes = [...new Set(['id', 'name', 'displayName', ...shown])];
  return { ...searchBody(state), queryResultFilter: { includes } };
}

/** The sort of a state; the id at its end makes it total, so that pages follow one another. */
export function sortOf(state: SearchState): string[] {
  if (state.sort === '') return [];
  return state.sort.replace(/^-/, '') === 'id' ? [state.sort] : [state.sort, 'id'];
}

/** How many documents of each type the query finds, whatever else is chosen. */
export function tabsBody(query: string): SearchBody {
  return {
    indices: KINDS.map((kind) => kind.index),
    query: { query: query === '' ? '*' : query },
    aggregationsDsl: { types: { terms: { field: '_type', size: KINDS.length } } },
  };
}

/** The values of some facets, as `facet0`, `facet1`, …; values chosen in `open` do not count for them. */
export function facetsBody(
  state: SearchState,
  facets: readonly Facet[],
  sizes: (facet: Facet) => number,
  open: string | null,
): SearchBody {
  const { [open ?? '']: _, ...narrowed } = state.narrowed;
  const aggregations = facets.map((facet, at) => [`facet${at}`, valuesOf(facet, sizes(facet))]);
  return { ...chosen({ ...state, narrowed }), aggregationsDsl: Object.fromEntries(aggregations) };
}

/** The first and the last instant of what is found. */
export function boundsBody(state: SearchState, field: string): SearchBody {
  return {
    ...chosen(state),
    aggregationsDsl: { first: { min: { field } }, last: { max: { field } } },
  };
}

/** How many documents there are in each interval. */
export function histogramBody(state: SearchState, field: string, interval: string): SearchBody {
  return {
    ...chosen(state),
    aggregationsDsl: { times: { date_histogram: { field, calendar_interval: interval } } },
  };
}

/** The calendar interval that cuts a stretch of time into some dozens of bars. */
export function intervalFor(milliseconds: number): string {
  const hours = milliseconds / 3_600_000;
  if (hours <= 3) return 'minute';
  if (hours <= 24 * 4) return 'hour';
  if (hours <= 24 * 130) return 'day';
  if (hours <= 24 * 800) return 'week';
  return hours <= 24 * 365 * 12 ? 'month' : 'year';
}

function chosen(state: SearchState): SearchBody {
  const filters: Record<string, unknown> = {};
  for (const [field, terms] of Object.entries(state.narrowed))
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
  // Elements are counted otherwise: here documents are wanted.
  const documents = { documents: { reverse_nested: {} } };
  return {
    nested: { path: nested },
    aggs: { values: { terms: { field, size }, aggs: documents } },
  };
}
