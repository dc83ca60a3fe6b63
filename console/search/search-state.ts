// The state of the search page, and its form as an address, so that a link shows the same page. It
// is in the fragment, which browsers do not send, so queries do not appear in the logs of proxies.
// Invariant: reading a printed state gives the same state.
import type { IndexName } from '../../src/query/query.ts';
import { kindNamed, kindOf } from './kinds.ts';

export interface SearchState {
  readonly index: IndexName;
  readonly query: string;
  /** Selected facet values by field. */
  readonly facetFilters: Readonly<Record<string, readonly string[]>>;
  /** The selected time range, `to` exclusive; null: all. */
  readonly span: { readonly from: string; readonly to: string } | null;
  /** A field, with `-` in front for descending order; '': by relevance. */
  readonly sort: string;
  /** null: the default columns. */
  readonly columns: readonly string[] | null;
}

const BEST = 'best';

/** The default search of an index: all documents, without filters. */
export function defaultSearch(index: IndexName): SearchState {
  return {
    index,
    query: '',
    facetFilters: {},
    span: null,
    sort: kindOf(index).sort,
    columns: null,
  };
}

/** The columns of a state. */
export function columnsOf(state: SearchState): readonly string[] {
  return state.columns ?? kindOf(state.index).columns;
}

/** Prints a state as an address, without `#`. */
export function printSearch(state: SearchState): string {
  const parameters = new URLSearchParams();
  if (state.query !== '') parameters.set('q', state.query);
  for (const [field, values] of Object.entries(state.facetFilters)) {
    for (const value of values) parameters.append('is', `${encodeURIComponent(field)}:${value}`);
  }
  if (state.span !== null) parameters.set('in', `${state.span.from}/${state.span.to}`);
  if (state.sort !== kindOf(state.index).sort)
    parameters.set('sort', state.sort === '' ? BEST : state.sort);
  if (state.columns !== null)
    parameters.set('columns', state.columns.map(encodeURIComponent).join(','));
  const text = parameters.toString();
  return `/search/${state.index}${text === '' ? '' : `?${text}`}`;
}

/** Reads the state of an address; missing or malformed parameters take their defaults. */
export function readSearch(index: string, parameters: URLSearchParams): SearchState {
  const kind = kindNamed(index) ?? kindOf('identities');
  const sort = parameters.get('sort');
  return {
    index: kind.index,
    query: parameters.get('q') ?? '',
    facetFilters: facetFiltersOf(parameters.getAll('is')),
    span: spanOf(parameters.get('in')),
    sort: sort === null ? kind.sort : sort === BEST ? '' : sort,
    columns: columnsIn(parameters.get('columns')),
  };
}

/** The selected values of a facet. */
export function selectedValues(state: SearchState, field: string): readonly string[] {
  return Object.hasOwn(state.facetFilters, field) ? (state.facetFilters[field] ?? []) : [];
}

/** Selects a facet value, or deselects it if it was selected. */
export function toggleFacetValue(state: SearchState, field: string, value: string): SearchState {
  const selected = selectedValues(state, field);
  const values = selected.includes(value)
    ? selected.filter((one) => one !== value)
    : [...selected, value];
  const { [field]: _, ...others } = state.facetFilters;
  return { ...state, facetFilters: values.length === 0 ? others : { ...others, [field]: values } };
}

function facetFiltersOf(choices: readonly string[]): Record<string, string[]> {
  const facetFilters = new Map<string, string[]>();
  for (const choice of choices) {
    const colon = choice.indexOf(':');
    const field = colon < 1 ? null : decoded(choice.slice(0, colon));
    if (field === null || field === '__proto__') continue;
    const values = facetFilters.get(field) ?? [];
    const value = choice.slice(colon + 1);
    if (!values.includes(value)) facetFilters.set(field, [...values, value]);
  }
  return Object.fromEntries(facetFilters);
}

function spanOf(text: string | null): SearchState['span'] {
  const [from, to, more] = text?.split('/') ?? [];
  const valid = from !== undefined && to !== undefined && more === undefined;
  return valid && Date.parse(from) < Date.parse(to) ? { from, to } : null;
}

function columnsIn(text: string | null): string[] | null {
  const columns = (text ?? '')
    .split(',')
    .map(decoded)
    .filter((column) => column !== null && column !== '');
  return columns.length === 0 ? null : [...new Set(columns as string[])];
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    // A malformed escape, as in a truncated address.
    return null;
  }
}
