// The state of the search page, and its form as an address, so that a link shows the same page. It
// is in the fragment, which browsers do not send, so queries do not appear in the logs of proxies.
// Invariant: reading a printed state gives the same state.
import type { IndexName } from '../../src/query/query.ts';
import { elementColumns } from './element-columns.ts';
import { arraysOf } from './field-catalogue.ts';
import { kindNamed, kindOf, labelOf } from './kinds.ts';
import { hasFreeWords } from './query-terms.ts';

/** Values by field. */
export type ValuesByField = Readonly<Record<string, readonly string[]>>;

/** Rows that are elements of a nested array, such as `accounts`. */
export interface ElementRows {
  readonly path: string;
  /** `matching`: those that match the clauses on the array. */
  readonly elements: 'matching' | 'all';
}

export interface SearchState {
  readonly index: IndexName;
  readonly query: string;
  /** Selected facet values by field. */
  readonly facetFilters: ValuesByField;
  /** Excluded facet values by field. No field is in both. */
  readonly excluded: ValuesByField;
  /** The selected time range, `to` exclusive: instants, or `now` with an offset; null: all. */
  readonly span: { readonly from: string; readonly to: string } | null;
  /** Filters of a saved search that are neither facet values nor the time range, by field. */
  readonly moreFilters: Readonly<Record<string, unknown>>;
  /** The fields in which words without a field are searched; null: the default. */
  readonly wordFields: readonly string[] | null;
  /**
   * A field, with `-` in front for descending order, or several, separated by commas; '': by
   * relevance; null: as `sortOf` says.
   */
  readonly sort: string | null;
  /** null: the default columns. */
  readonly columns: readonly string[] | null;
  /** null: the rows are documents. */
  readonly rows: ElementRows | null;
  /** The id of the saved search that was opened. */
  readonly saved: string | null;
}

/** A search without filters. */
export const NO_FILTERS = {
  facetFilters: {},
  excluded: {},
  span: null,
  moreFilters: {},
  wordFields: null,
} as const;

const BEST = 'best';
/** Date math as the console writes it: `now`, `now-7d`, `now-7d/d`. */
const RELATIVE = /^now(?:-\d{1,5}[hdMy])?(?:\/[hdMy])?$/;

/** The default search of an index: all documents, without filters. */
export function defaultSearch(index: IndexName): SearchState {
  return {
    index,
    query: '',
    ...NO_FILTERS,
    sort: null,
    columns: null,
    rows: null,
    saved: null,
  };
}

/** The columns of a state. */
export function columnsOf(state: SearchState): readonly string[] {
  return state.columns ?? defaultColumnsOf(state);
}

/** The label of a column; of an element relative to it. */
export function columnLabel({ rows }: SearchState, column: string): string {
  const isRelative = rows !== null && column.startsWith(`${rows.path}.`);
  return labelOf(isRelative ? column.slice(rows.path.length + 1) : column);
}

/** The columns without a choice. */
export function defaultColumnsOf({
  index,
  rows,
}: Pick<SearchState, 'index' | 'rows'>): readonly string[] {
  return rows === null ? kindOf(index).columns : elementColumns(index, rows.path);
}

/**
 * The sort of a state: the chosen one, else '' for a query with free words. Elements have no
 * relevance.
 */
export function sortOf({ index, query, sort, rows }: SearchState): string {
  const chosen = sort ?? automaticSort(index, query);
  return chosen === '' && rows !== null ? kindOf(index).sort : chosen;
}

/** The sort without a choice: by relevance if words decide it, else that of the index. */
export function automaticSort(index: IndexName, query: string): string {
  return hasFreeWords(query) ? '' : kindOf(index).sort;
}

/** True if facets, a time range or other filters narrow a search. */
export function isNarrowed(state: SearchState): boolean {
  const { facetFilters, excluded, span, moreFilters, wordFields } = state;
  const filters = { ...facetFilters, ...excluded, ...moreFilters };
  return span !== null || wordFields !== null || Object.keys(filters).length > 0;
}

/** Prints a state as an address, without `#`. */
export function printSearch(state: SearchState): string {
  const parameters = new URLSearchParams();
  if (state.query !== '') parameters.set('q', state.query);
  appendValues(parameters, 'is', state.facetFilters);
  appendValues(parameters, 'not', state.excluded);
  if (state.span !== null) parameters.set('in', `${state.span.from}|${state.span.to}`);
  const more = moreFiltersOf(state);
  if (Object.keys(more).length > 0) parameters.set('filters', JSON.stringify(more));
  if (state.wordFields !== null) parameters.set('words', listed(state.wordFields));
  if (state.sort !== null) parameters.set('sort', state.sort === '' ? BEST : state.sort);
  if (state.columns !== null) parameters.set('columns', listed(state.columns));
  if (state.rows !== null) parameters.set('rows', state.rows.path);
  if (state.rows?.elements === 'all') parameters.set('elements', 'all');
  if (state.saved !== null) parameters.set('saved', state.saved);
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
    span: readSpan(parameters.get('in')),
    moreFilters: filtersIn(parameters.get('filters')),
    wordFields: namesIn(parameters.get('words')),
    sort: sort === BEST ? '' : sort,
    columns: namesIn(parameters.get('columns')),
    rows: rowsIn(kind.index, parameters),
    saved: parameters.get('saved'),
  };
}

/** The further filters of a state. A facet value or the time range replaces one on its field. */
export function moreFiltersOf(state: SearchState): Readonly<Record<string, unknown>> {
  const { timeline } = kindOf(state.index);
  const isReplaced = (field: string) =>
    Object.hasOwn(state.facetFilters, field) ||
    Object.hasOwn(state.excluded, field) ||
    (state.span !== null && field === timeline);
  const filters = Object.entries(state.moreFilters).filter(([field]) => !isReplaced(field));
  return Object.fromEntries(filters);
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

/** Reads a time range, `from|to`, or as older links have it `from/to`; null if it is none. */
export function readSpan(text: string | null): SearchState['span'] {
  const separator = text?.includes('|') ? '|' : '/';
  const [from, to, more] = text?.split(separator) ?? [];
  if (from === undefined || to === undefined || more !== undefined) return null;
  if (RELATIVE.test(from) && RELATIVE.test(to)) return { from, to };
  return Date.parse(from) < Date.parse(to) ? { from, to } : null;
}

function rowsIn(index: IndexName, parameters: URLSearchParams): ElementRows | null {
  const path = parameters.get('rows');
  if (path === null || !arraysOf(index).includes(path)) return null;
  return { path, elements: parameters.get('elements') === 'all' ? 'all' : 'matching' };
}

function filtersIn(text: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isMap ? (value as Record<string, unknown>) : {};
  } catch {
    // Not JSON, as in a truncated address.
    return {};
  }
}

function listed(names: readonly string[]): string {
  return names.map(encodeURIComponent).join(',');
}

function namesIn(text: string | null): string[] | null {
  const names = (text ?? '')
    .split(',')
    .map(decoded)
    .filter((name) => name !== null && name !== '');
  return names.length === 0 ? null : [...new Set(names as string[])];
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    // A malformed escape, as in a truncated address.
    return null;
  }
}
