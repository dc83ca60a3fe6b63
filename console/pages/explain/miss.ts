// Why a document is missing from a search: its conditions one by one, each as a search of its own,
// and the search without it.

import { printField, printValue } from '../../model/completion.ts';
import { filterText } from '../../model/filter-text.ts';
import { kindOf, labelOf } from '../../model/kinds.ts';
import { spanLabel } from '../../model/quick-ranges.ts';
import { defaultSearch, moreFiltersOf, type SearchState } from '../../model/search-state.ts';
import type { Clause } from './explanation.ts';
import { joinClauses, plainClause, queryClauses } from './query-clauses.ts';

/** One condition of a search. */
export interface Condition {
  readonly kind: 'clause' | 'filter';
  /** As the user wrote or chose it. */
  readonly text: string;
  /** The condition alone. */
  readonly alone: SearchState;
  /** The search without it; null: it is an alternative, whose removal finds no more. */
  readonly without: SearchState | null;
  /** The search with another value in its place; null: it is no plain `field:value`. */
  readonly withValue: ((value: string) => SearchState) | null;
}

/** The conditions of a search, and whether its clauses are alternatives. */
export interface Conditions {
  readonly mode: 'all' | 'any';
  readonly conditions: readonly Condition[];
}

/** Conditions that are checked; each is a request. */
export const CONDITIONS_MAX = 16;

export function conditionsOf(state: SearchState): Conditions {
  const { mode, clauses } = queryClauses(state.query);
  const parts = clauses.map((clause, at): Condition => {
    const others = clauses.filter((_, other) => other !== at);
    const plain = plainClause(clause);
    const replaced = (value: string) =>
      clauses.map((one, other) =>
        other === at && plain !== null ? `${printField(plain.field)}:${printValue(value)}` : one,
      );
    return {
      kind: 'clause',
      text: clause,
      alone: { ...defaultSearch(state.index), query: clause, wordFields: state.wordFields },
      without: mode === 'all' ? { ...state, query: joinClauses({ mode, clauses: others }) } : null,
      withValue:
        plain === null
          ? null
          : (value) => ({ ...state, query: joinClauses({ mode, clauses: replaced(value) }) }),
    };
  });
  return { mode, conditions: [...parts, ...filtersOf(state)].slice(0, CONDITIONS_MAX) };
}

/**
 * The search with only those of its conditions that match, which finds the document; null for
 * alternatives, of which none matches.
 * @param matches by position of the condition
 */
export function matchingOnly(state: SearchState, matches: readonly boolean[]): SearchState | null {
  const { mode, conditions } = conditionsOf(state);
  if (mode === 'any') return null;
  const kept = conditions.filter((_, at) => matches[at] === true);
  const clauses = kept.filter(({ kind }) => kind === 'clause').map(({ text }) => text);
  const filters = kept.filter(({ kind }) => kind === 'filter').map(({ alone }) => alone);
  return {
    ...state,
    query: joinClauses({ mode, clauses }),
    facetFilters: Object.assign({}, ...filters.map(({ facetFilters }) => facetFilters)),
    excluded: Object.assign({}, ...filters.map(({ excluded }) => excluded)),
    span: filters.find(({ span }) => span !== null)?.span ?? null,
    moreFilters: Object.assign({}, ...filters.map(({ moreFilters }) => moreFilters)),
  };
}

/** The fields of a clause, with those of its children, but not the fields of words without one. */
export function fieldsIn(clause: Clause): string[] {
  if (clause.clause === 'disMax') return [];
  const own = clause.field === undefined || clause.field.startsWith('_') ? [] : [clause.field];
  return [...new Set([...own, ...(clause.children ?? []).flatMap(fieldsIn)])];
}

/** The fields by which a search is filtered, that of the time range among them. */
export function filteredFields(state: SearchState): string[] {
  const { facetFilters, excluded, span, moreFilters } = state;
  const { timeline } = kindOf(state.index);
  const times = span === null || timeline === null ? [] : [timeline];
  return [...times, ...Object.keys({ ...facetFilters, ...excluded, ...moreFilters })];
}

function filtersOf(state: SearchState): Condition[] {
  const alone = defaultSearch(state.index);
  const condition = (
    text: string,
    only: Partial<SearchState>,
    without: SearchState,
  ): Condition => ({
    kind: 'filter',
    text,
    alone: { ...alone, ...only },
    without,
    withValue: null,
  });
  const { facetFilters, excluded, span } = state;
  const more = moreFiltersOf(state);
  return [
    ...Object.entries(facetFilters).map(([field, values]) =>
      condition(
        `${labelOf(field)}: ${values.join(' or ')}`,
        { facetFilters: { [field]: values } },
        { ...state, facetFilters: without(facetFilters, field) },
      ),
    ),
    ...Object.entries(excluded).map(([field, values]) =>
      condition(
        `${labelOf(field)}: not ${values.join(' or ')}`,
        { excluded: { [field]: values } },
        { ...state, excluded: without(excluded, field) },
      ),
    ),
    ...(span === null ? [] : [condition(spanLabel(span), { span }, { ...state, span: null })]),
    ...Object.entries(more).map(([field, filter]) =>
      condition(
        `${labelOf(field)}: ${filterText(filter)}`,
        { moreFilters: { [field]: filter } },
        { ...state, moreFilters: without(more, field) },
      ),
    ),
  ];
}

function without<T>(
  values: Readonly<Record<string, T>>,
  field: string,
): Readonly<Record<string, T>> {
  const { [field]: _, ...others } = values;
  return others;
}
