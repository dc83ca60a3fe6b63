// All that says what a search page shows, and its address: whoever opens the address sees the same. The address is
// the part behind `#`, which browsers keep to themselves: what is searched for stays out of the logs of proxies.
// Invariant: reading what was printed gives the same state.
import type { IndexName } from '../../src/query/query.ts';
import { kindNamed, kindOf } from './kinds.ts';

export interface SearchState {
  readonly index: IndexName;
  readonly query: string;
  /** Values chosen in facets, by field. */
  readonly narrowed: Readonly<Record<string, readonly string[]>>;
  /** The instants of the timeline that are chosen: from, and up to but not with; null: all. */
  readonly span: { readonly from: string; readonly to: string } | null;
  /** A field, `-` before it for descending; '': the best match first. */
  readonly sort: string;
  /** null: the usual ones. */
  readonly columns: readonly string[] | null;
}

const BEST = 'best';

/** The whole of an index, as it is first shown. */
export function wholeOf(index: IndexName): SearchState {
  return { index, query: '', narrowed: {}, span: null, sort: kindOf(index).sort, columns: null };
}

/** The columns of a page. */
export function columnsOf(state: SearchState): readonly string[] {
  return state.columns ?? kindOf(state.index).columns;
}

/** The address of a state, behind `#`. */
export function printSearch(state: SearchState): string {
  const parts = new URLSearchParams();
  if (state.query !== '') parts.set('q', state.query);
  for (const [field, values] of Object.entries(state.narrowed)) {
    for (const value of values) parts.append('is', `${encodeURIComponent(field)}:${value}`);
  }
  if (state.span !== null) parts.set('in', `${state.span.from}/${state.span.to}`);
  if (state.sort !== kindOf(state.index).sort)
    parts.set('sort', state.sort === '' ? BEST : state.sort);
  if (state.columns !== null) parts.set('columns', state.columns.map(encodeURIComponent).join(','));
  const text = parts.toString();
  return `/search/${state.index}${text === '' ? '' : `?${text}`}`;
}

/** The state of an address; what it does not say, or says in a way nobody wrote, is as usual. */
export function readSearch(index: string, parts: URLSearchParams): SearchState {
  const kind = kindNamed(index) ?? kindOf('identities');
  const sort = parts.get('sort');
  return {
    index: kind.index,
    query: parts.get('q') ?? '',
    narrowed: narrowedBy(parts.getAll('is')),
    span: spanOf(parts.get('in')),
    sort: sort === null ? kind.sort : sort === BEST ? '' : sort,
    columns: columnsIn(parts.get('columns')),
  };
}

/** The values chosen of a field. */
export function chosenIn(state: SearchState, field: string): readonly string[] {
  return Object.hasOwn(state.narrowed, field) ? (state.narrowed[field] ?? []) : [];
}

/** The state with a value of a facet chosen, or let go if it was. */
export function toggled(state: SearchState, field: string, value: string): SearchState {
  const held = chosenIn(state, field);
  const values = held.includes(value) ? held.filter((one) => one !== value) : [...held, value];
  const { [field]: _, ...others } = state.narrowed;
  return { ...state, narrowed: values.length === 0 ? others : { ...others, [field]: values } };
}

function narrowedBy(choices: readonly string[]): Record<string, string[]> {
  const narrowed = new Map<string, string[]>();
  for (const choice of choices) {
    const colon = choice.indexOf(':');
    const field = colon < 1 ? null : decoded(choice.slice(0, colon));
    if (field === null || field === '__proto__') continue;
    const values = narrowed.get(field) ?? [];
    const value = choice.slice(colon + 1);
    if (!values.includes(value)) narrowed.set(field, [...values, value]);
  }
  return Object.fromEntries(narrowed);
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
    // An address somebody cut: that part says nothing.
    return null;
  }
}
