// The state of the search page, and its form as an address, so that a link shows the same page. It
// is in the fragment, which browsers do not send, so queries do not appear in the logs of proxies.
// Invariant: reading a printed state gives the same state.
import type { IndexName } from '../../src/query/query.ts';
import { kindNamed, kindOf } from './kinds.ts';
import { hasFreeWords } from './query/query-terms.ts';

/** Values by field. */
export type ValuesByField = Readonly<Record<string, readonly string[]>>;

export interface SearchState {
  readonly index: IndexName;
  readonly query: string;
  /** Selected facet values by field. */
  readonly facetFilters: ValuesByField;
  /** Excluded facet values by field. No field is in both. */
  readonly excluded: ValuesByField;
  /** The selected time range, `to` exclusive: instants, or `now` with an offset; null: all. */
  readonly span: { readonly from: string; readonly to: string } | null;
  /** A field, with `-` in front for descending order; '': by relevance; null: as `sortOf` says. */
  readonly sort: string | null;
  /** null: the default columns. */
  readonly columns: readonly string[] | null;
}

const BEST = 'best';
/** Date math as the console writes it: `now`, `now-7d`, `now-7d/d`. */
const RELATIVE = /^now(?:-\d{1,5}[hdMy])?(?:\/[hdMy])?$/;

/** The default search of an index: all documents, without filters. */
export function defaultSearch(index: IndexName): SearchState {
  return {
    index,
    query: '',
    facetFilters: {},
    excluded: {},
    span: null,
    sort: null,
    columns: null,
  };
}

/** The columns of a state. */
export function columnsOf(state: SearchState): readonly string[] {
  return state.columns ?? kindOf(state.index).columns;
}

/** The sort of a state: the chosen one, else '' for a query with free words. */
export function sortOf({ index, query, sort }: SearchState): string {
  return sort ?? automaticSort(index, query);
}

/** The sort without a choice: by relevance if words decide it, else that of the index. */
export function automaticSort(index: IndexName, query: string): string {
  return hasFreeWords(query) ? '' : kindOf(index).sort;
}

/** True if facets or a time range narrow a search. */
export function isNarrowed({ facetFilters, excluded, span }: SearchState): boolean {
  return span !== null || Object.keys({ ...facetFilters, ...excluded }).length > 0;
}

/** Prints a state as an address, without `#`. */
export function printSearch(state: SearchState): string {
  const parameters = new URLSearchParams();
  if (state.query !== '') parameters.set('q', state.query);
  appendValues(parameters, 'is', state.facetFilters);
  appendValues(parameters, 'not', state.excluded);
  if (state.span !== null) parameters.set('in', `${state.span.from}|${state.span.to}`);
  if (state.sort !== null) parameters.set('sort', state.sort === '' ? BEST : state.sort);
  if (state.columns !== null)
    parameters.set('columns', state.columns.map(encodeURIComponent).join(','));
  const text = parameters.toString();
  return `/search/${state.index}${text === '' ? '' : `?${text}`}`;
}

/** Reads the state of an address; missing or malformed parameters take their defaults. */
export function readSearch(index: string, parameters: URLSearchParams): SearchState {
  const kind = kindNamed(index) ?? kindOf('identities');
  const sort = parameters.get('sort');
  const facetFilters = valuesIn(parameters.getAll('is'));
  const excluded = Object.entries(valuesIn(parameters.getAll('not')));
  return {
    index: kind.index,
    query: parameters.get('q') ?? '',
    facetFilters,
    excluded: Object.fromEntries(excluded.filter(([field]) => !Object.hasOwn(facetFilters, field))),
    span: spanOf(parameters.get('in')),
    sort: sort === BEST ? '' : sort,
    columns: columnsIn(parameters.get('columns')),
  };
}

/** The selected values of a facet. */
export function selectedValues(state: SearchState, field: string): readonly string[] {
  return valuesOf(state.facetFilters, field);
}

/** The excluded values of a facet. */
export function excludedValues(state: SearchState, field: string): readonly string[] {
  return valuesOf(state.excluded, field);
}

/** Selects a facet value, or deselects it if it was selected. Ends exclusions in that facet. */
export function toggleFacetValue(state: SearchState, field: string, value: string): SearchState {
  return {
    ...state,
    facetFilters: toggled(state.facetFilters, field, value),
    excluded: without(state.excluded, field),
  };
}

/** Excludes a facet value, or includes it again. Ends selections in that facet. */
export function toggleExcludedValue(state: SearchState, field: string, value: string): SearchState {
  return {
    ...state,
    facetFilters: without(state.facetFilters, field),
    excluded: toggled(state.excluded, field, value),
  };
}

function toggled(values: ValuesByField, field: string, value: string): ValuesByField {
  const before = valuesOf(values, field);
  const after = before.includes(value) ? before.filter((one) => one !== value) : [...before, value];
  const others = without(values, field);
  return after.length === 0 ? others : { ...others, [field]: after };
}

function valuesOf(values: ValuesByField, field: string): readonly string[] {
  return Object.hasOwn(values, field) ? (values[field] ?? []) : [];
}

function without(values: ValuesByField, field: string): ValuesByField {
  const { [field]: _, ...others } = values;
  return others;
}

function appendValues(parameters: URLSearchParams, name: string, values: ValuesByField): void {
  for (const [field, list] of Object.entries(values)) {
    for (const value of list) parameters.append(name, `${encodeURIComponent(field)}:${value}`);
  }
}

function valuesIn(choices: readonly string[]): Record<string, string[]> {
  const byField = new Map<string, string[]>();
  for (const choice of choices) {
    const colon = choice.indexOf(':');
    const field = colon < 1 ? null : decoded(choice.slice(0, colon));
    if (field === null || field === '__proto__') continue;
    const values = byField.get(field) ?? [];
    const value = choice.slice(colon + 1);
    if (!values.includes(value)) byField.set(field, [...values, value]);
  }
  return Object.fromEntries(byField);
}

/** Reads `from|to`; `from/to`, as older links have it, if neither is relative. */
function spanOf(text: string | null): SearchState['span'] {
  const separator = text?.includes('|') ? '|' : '/';
  const [from, to, more] = text?.split(separator) ?? [];
  if (from === undefined || to === undefined || more !== undefined) return null;
  if (RELATIVE.test(from) && RELATIVE.test(to)) return { from, to };
  return Date.parse(from) < Date.parse(to) ? { from, to } : null;
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
