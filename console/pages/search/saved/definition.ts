// Converts between the state of the search page and the definition of a saved search. What the page
// cannot show, such as the columns of other document types, stays in the definition.
// Invariant: opening the definition of a state gives that search again, except for rows of elements.
import type { ResultColumn } from '../../../../src/query/search-definition.ts';
import type { SavedSearch, SavedSearchDefinition } from '../../../api/saved-search.ts';
import { KINDS, type Kind, kindNamed, kindOf } from '../../../model/kinds.ts';
import { searchBody } from '../../../model/search-body.ts';
import {
  automaticSort,
  columnsOf,
  defaultSearch,
  printSearch,
  readSpan,
  type SearchState,
  sortOf,
} from '../../../model/search-state.ts';

/** What the search page does not show of a saved search. */
export type SearchDetails = Pick<SavedSearchDefinition, 'name' | 'description' | 'shared'>;

/** A filter as the service accepts it. */
interface StoredFilter {
  readonly type?: unknown;
  readonly exclude?: unknown;
  readonly terms?: unknown;
  readonly range?: { readonly lower?: StoredBound; readonly upper?: StoredBound };
}

interface StoredBound {
  readonly value?: unknown;
  readonly inclusive?: unknown;
}

/**
 * The definition that saves a state.
 * @param previous the definition that it replaces; null for a new one
 */
export function definitionOf(
  state: SearchState,
  details: SearchDetails,
  previous: SavedSearchDefinition | null,
): SavedSearchDefinition {
  const { type } = kindOf(state.index);
  const documents = documentsOf(state, previous);
  // `*` is every index.
  const isOfType = previous?.indices.some((one) => one === state.index || one === '*') ?? false;
  const hasOthers = isOfType && (previous?.indices.length !== 1 || previous.indices[0] === '*');
  const sort = sortOf(documents);
  const { [type]: _, ...otherOrders } = previous?.orderBy ?? {};
  const orderBy = { ...otherOrders, ...(sort === '' ? {} : { [type]: sort.split(',') }) };
  const { query, filters } = searchBody(documents) as unknown as {
    query: { query: string };
    filters?: Record<string, unknown>;
  };
  return {
    name: details.name,
    description: details.description,
    shared: details.shared,
    indices: previous !== null && isOfType ? previous.indices : [state.index],
    query: query.query,
    columns: {
      ...(isOfType ? previous?.columns : {}),
      [type]: columnsOf(documents).map((field) => columnOf(field, previous?.columns[type])),
    },
    fields: state.wordFields,
    // The other types may have no order of their own.
    sort: hasOthers && sort !== '' ? (previous?.sort ?? null) : null,
    orderBy: Object.keys(orderBy).length === 0 ? null : orderBy,
    filters: filters ?? null,
  };
}

/** The details that were changed: the others stay as somebody else may have changed them meanwhile. */
export function changedDetails(
  before: SearchDetails,
  after: SearchDetails,
): Partial<SearchDetails> {
  const { name, description, shared } = after;
  return {
    ...(name === before.name ? {} : { name }),
    ...(description === before.description ? {} : { description }),
    ...(shared === before.shared ? {} : { shared }),
  };
}

/** The state that shows a saved search: of its first document type that the console has. */
export function stateOf(saved: SavedSearch): SearchState {
  const kind = saved.indices.map(kindNamed).find((one) => one !== undefined) ?? KINDS[0];
  if (kind === undefined) throw new Error('There are no kinds of documents');
  const query = saved.query === '*' ? '' : saved.query;
  const sort = (saved.orderBy?.[kind.type] ?? saved.sort ?? []).join(',');
  const columns = saved.columns[kind.type]?.map(({ field }) => field) ?? [];
  return {
    ...defaultSearch(kind.index),
    ...filtersOf(kind, saved.filters ?? {}),
    query,
    wordFields: saved.fields,
    sort: sort === '' || sort === automaticSort(kind.index, query) ? null : sort,
    columns: columns.length === 0 ? null : [...new Set(columns)],
    saved: saved.id,
  };
}

/** True if a state is no longer the saved search, so that there is something to update. */
export function isChanged(state: SearchState, saved: SavedSearch): boolean {
  const stored = stateOf(saved);
  const documents = documentsOf(state, saved);
  const plain = (one: SearchState, columns: readonly string[] | null) =>
    printSearch({ ...one, columns, sort: sortOf(one), saved: null });
  // A search without columns is shown with those that the browser remembers.
  return stored.columns === null
    ? plain(documents, null) !== plain(stored, null)
    : plain(documents, columnsOf(documents)) !== plain(stored, stored.columns);
}

/** The same search with documents as rows. The columns of elements are no columns of documents. */
function documentsOf(state: SearchState, previous: SavedSearchDefinition | null): SearchState {
  if (state.rows === null) return state;
  const columns = previous?.columns[kindOf(state.index).type]?.map(({ field }) => field) ?? null;
  return { ...state, rows: null, columns };
}

function columnOf(field: string, previous: readonly ResultColumn[] | undefined): ResultColumn {
  return previous?.find((column) => column.field === field) ?? { field };
}

type Filters = Pick<SearchState, 'facetFilters' | 'excluded' | 'span' | 'moreFilters'>;

function filtersOf(kind: Kind, stored: Readonly<Record<string, unknown>>): Filters {
  const facetFilters: Record<string, readonly string[]> = {};
  const excluded: Record<string, readonly string[]> = {};
  const moreFilters: Record<string, unknown> = {};
  let span: SearchState['span'] = null;
  for (const [field, value] of Object.entries(stored)) {
    const filter = value as StoredFilter;
    const terms = termsOf(filter);
    const range = field === kind.timeline ? spanOf(filter) : null;
    if (terms !== null) (filter.exclude === true ? excluded : facetFilters)[field] = terms;
    else if (range !== null) span = range;
    else moreFilters[field] = value;
  }
  return { facetFilters, excluded, span, moreFilters };
}

/** The values of a filter that is a choice of facet values; null if it is another one. */
function termsOf({ type = 'TERMS', terms, range }: StoredFilter): readonly string[] | null {
  if (type !== 'TERMS' || range !== undefined || !Array.isArray(terms)) return null;
  const isPlain = terms.length > 0 && terms.every((term) => typeof term === 'string');
  return isPlain ? [...new Set<string>(terms)] : null;
}

/** The time range of a filter; null if the page could not have written it. */
function spanOf({ type = 'RANGE', exclude, range }: StoredFilter): SearchState['span'] {
  const { lower, upper } = range ?? {};
  const isHalfOpen = lower?.inclusive === true && upper?.inclusive !== true;
  if (type !== 'RANGE' || exclude === true || !isHalfOpen) return null;
  const [from, to] = [lower?.value, upper?.value];
  if (typeof from !== 'string' || typeof to !== 'string') return null;
  return readSpan(`${from}|${to}`);
}
