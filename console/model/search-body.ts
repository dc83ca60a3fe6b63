// Builds the request bodies of the search page from its state. "Copy as" shows the same bodies.

import { type Facet, KINDS, kindOf } from './kinds.ts';
import { columnsOf, moreFiltersOf, type SearchState, sortOf } from './search-state.ts';
import type { SearchBody } from './wire.ts';

/** The search of a state, without paging. */
export function searchBody(state: SearchState): SearchBody {
  const sort = sortKeysOf(state);
  return { ...baseBody(state), ...(sort.length === 0 ? {} : { sort }) };
}

/** Same as `searchBody`, limited to the members that rows show. */
export function rowsBody(state: SearchState): SearchBody {
  const shown = [...columnsOf(state), ...sortKeysOf(state).map((field) => field.replace(/^-/, ''))];
  const includes = [...new Set(['id', 'name', 'displayName', ...shown])];
  return { ...searchBody(state), queryResultFilter: { includes } };
}

/**
 * The sort keys of a state; they end with the id, so that pages neither overlap nor skip. None: by
 * relevance.
 */
export function sortKeysOf(state: SearchState): string[] {
  const sort = sortOf(state);
  if (sort === '') return [];
  const keys = sort.split(',');
  return keys.at(-1)?.replace(/^-/, '') === 'id' ? keys : [...keys, 'id'];
}

/**
 * The body of `POST search/rows` for a state whose rows are elements.
 * @param columns by default those of the state, as is their header
 */
export function elementRowsBody(
  state: SearchState,
  columns: readonly unknown[] = columnsOf(state),
): SearchBody {
  const { path, elements } = state.rows ?? { path: 'documents', elements: 'matching' };
  return { ...searchBody(state), rows: path, elements, columns };
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
 * @param start counts only values with a word that starts like this
 */
export function facetsBody(
  state: SearchState,
  facets: readonly Facet[],
  sizes: (facet: Facet) => number,
  excluded: string | null,
  start = '',
): SearchBody {
  const { [excluded ?? '']: _, ...facetFilters } = state.facetFilters;
  const { [excluded ?? '']: __, ...otherExclusions } = state.excluded;
  const include = start === '' ? undefined : anyCase(start);
  const aggregations = facets.map((facet, at) => [
    `facet${at}`,
    valuesOf(facet, sizes(facet), include),
  ]);
  return {
    ...baseBody({ ...state, facetFilters, excluded: otherExclusions }),
    aggregationsDsl: Object.fromEntries(aggregations),
  };
}

/** A regular expression of the service for values with a word that starts like a text. */
export function anyCase(start: string): string {
  const letters = [...start.trim()].map((letter) => {
    const cases = [...new Set([letter.toLowerCase(), letter.toUpperCase()])];
    const isPlain = /[\p{L}\p{N} ]/u.test(letter);
    return cases.length > 1 && cases.every((one) => one.length === letter.length)
      ? `(${cases.join('|')})`
      : isPlain
        ? letter
        : `\\${letter}`;
  });
  return `(.*[^A-Za-z0-9])?${letters.join('')}.*`;
}

/** The first and the last timestamp of the matches. */
export function boundsBody(state: SearchState, field: string): SearchBody {
  return {
    ...baseBody(state),
    aggregationsDsl: { first: { min: { field } }, last: { max: { field } } },
  };
}

/** Counts the matches by interval; of events those that failed, too, as `failed`. */
export function histogramBody(state: SearchState, field: string, interval: string): SearchBody {
  const times = { date_histogram: { field, calendar_interval: interval } };
  const aggs = { failed: { filter: { term: { status: 'FAILED' } } } };
  return {
    ...baseBody(state),
    aggregationsDsl: { times: state.index === 'events' ? { ...times, aggs } : times },
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
  const filters: Record<string, unknown> = { ...moreFiltersOf(state) };
  for (const [field, terms] of Object.entries(state.facetFilters))
    filters[field] = { type: 'TERMS', terms };
  for (const [field, terms] of Object.entries(state.excluded))
    filters[field] = { type: 'TERMS', terms, exclude: true };
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
    query: {
      query: state.query === '' ? '*' : state.query,
      ...(state.wordFields === null ? {} : { fields: state.wordFields }),
    },
    ...(Object.keys(filters).length === 0 ? {} : { filters }),
  };
}

function valuesOf({ field, nested }: Facet, size: number, include?: string): unknown {
  const terms = { field, size, ...(include === undefined ? {} : { include }) };
  if (nested === undefined) return { terms };
  // A nested aggregation counts elements; reverse_nested counts their documents.
  const documents = { documents: { reverse_nested: {} } };
  return {
    nested: { path: nested },
    aggs: { values: { terms, aggs: documents } },
  };
}
