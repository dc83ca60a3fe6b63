// Explains a plan for a person: the clauses of each index as a tree, the clauses that all indices
// share shown once, the fields that a word without a field searches, and the parts beside the
// query.

import { formatQuery } from '../format-query.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { Plan, Target } from '../plan.ts';
import { clauseTree, cut, MAX_TREE_CLAUSES, type PlanClause } from '../plan-clause.ts';
import { CATCH_ALL, type IndexName, type Query } from '../query.ts';
import { type Occurrence, type Part, partsOf } from '../query-parts.ts';
import type { FilterBody } from '../requests/filters.ts';
import { readSearchBody } from '../requests/search-body.ts';
import type { Steps } from '../steps.ts';
import { format } from './format.ts';

/** The plan of a request. */
export interface PlanExplanation {
  readonly queryType: string;
  /** As `format` prints it: a line for each index and each aggregation, then sort and page. */
  readonly plan: string;
  /** Indices with the same query are grouped; those where nothing can match come last. */
  readonly targets: readonly TargetExplanation[];
  /** Clauses common to all targets that can match; marked `shared` in the trees. */
  readonly shared: readonly PlanClause[];
  /** By index, where the query has words without a field. */
  readonly freeWords: Readonly<Partial<Record<IndexName, FreeWordFields>>>;
  readonly filters: readonly FilterExplanation[];
  /** Empty: by score where the query scores, else by index and id. */
  readonly sort: readonly {
    readonly field: string;
    readonly order: string;
    readonly type: string;
  }[];
  readonly page: { readonly from: number; readonly size: number; readonly searchAfter?: unknown };
  readonly source: Plan['source'];
}

export interface TargetExplanation {
  readonly indices: readonly IndexName[];
  /** In one line. */
  readonly query: string;
  readonly clauses: PlanClause;
  /** With an inner query: which elements are the rows. */
  readonly elements?: { readonly path: string; readonly clauses: PlanClause };
  /** Of a type-ahead: the requested values. */
  readonly values?: object;
}

/** The fields that a word without a field searches. */
export interface FreeWordFields {
  /** Compared word by word. */
  readonly words: readonly string[];
  /** Compared as whole values. */
  readonly values: readonly string[];
  /** Searched only if the word is an integer. */
  readonly integers: readonly string[];
  /** Boosted fields with their weights. */
  readonly weights: Readonly<Record<string, number>>;
}

export interface FilterExplanation {
  readonly field: string;
  readonly type: string;
  readonly exclude: boolean;
}

const MAX_CHARACTERS = 10_000;

/**
 * Explains a plan, in steps.
 * @param body the request of the plan
 */
export function* explainPlan(
  body: unknown,
  plan: Plan,
  mapping: (index: IndexName) => Mapping,
): Steps<PlanExplanation> {
  const { queryType, filters } = readSearchBody(body);
  const groups = yield* groupsOf(plan.targets);
  const shared = yield* sharedParts(groups.map(([target]) => target));
  const text = cut(format(plan), MAX_CHARACTERS);
  const targets: TargetExplanation[] = [];
  for (const [target, indices] of groups) {
    yield;
    targets.push(explainTarget(target, indices, shared));
  }
  yield;
  const budget = { left: MAX_TREE_CLAUSES };
  const { from, size, searchAfter, source } = plan;
  return {
    queryType,
    plan: text,
    targets,
    shared: [...shared.values()].slice(0, MAX_TREE_CLAUSES).map((part) => clauseTree(part, budget)),
    freeWords: Object.fromEntries(
      plan.targets
        .filter(({ query }) => usesCatchAll(query))
        .map(({ index }) => [index, freeWordFields(mapping(index))]),
    ),
    filters: filters.map(explainFilter),
    sort: plan.sort,
    page: { from, size, ...(searchAfter && { searchAfter }) },
    source,
  };
}

/** Groups the indices of equal targets; returns the first target of each group with its indices. */
function* groupsOf(targets: readonly Target[]): Steps<[Target, IndexName[]][]> {
  const groups = new Map<string, [Target, IndexName[]]>();
  for (const target of targets) {
    yield;
    const { index, ...rest } = target;
    const key = JSON.stringify(rest);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [target, [index]]);
    else group[1].push(index);
  }
  const empty = ([{ query }]: [Target, IndexName[]]) => (query.kind === 'matchNone' ? 1 : 0);
  return [...groups.values()].sort((a, b) => empty(a) - empty(b));
}

/**
 * Returns the outermost clauses common to all targets that can match, by their JSON; none for a
 * single target.
 */
function* sharedParts(targets: readonly Target[]): Steps<ReadonlyMap<string, Part>> {
  const all: ReadonlyMap<string, Part>[] = [];
  for (const { query } of targets) {
    if (query.kind === 'matchNone') continue;
    yield;
    all.push(new Map(outermost(query).map((part) => [JSON.stringify(part), part])));
  }
  yield;
  const [first, ...others] = all;
  if (first === undefined || others.length === 0) return new Map();
  return new Map([...first].filter(([key]) => others.every((other) => other.has(key))));
}

function outermost(query: Query): readonly Part[] {
  if (query.kind === 'bool' && query.boost === undefined) return partsOf(query);
  return [{ occurrence: 'must', query }];
}

function explainTarget(
  { query, innerHit, typeahead }: Target,
  indices: readonly IndexName[],
  shared: ReadonlyMap<string, Part>,
): TargetExplanation {
  const sharedQueries = new Set(
    outermost(query)
      .filter((part) => shared.size > 0 && shared.has(JSON.stringify(part)))
      .map((part) => part.query),
  );
  const tree = (of: Query, occurrence: Occurrence = 'must') =>
    clauseTree({ query: of, occurrence });
  return {
    indices,
    query: cut(formatQuery(query), MAX_CHARACTERS),
    clauses: clauseTree({ query, occurrence: 'must' }, undefined, sharedQueries),
    ...(innerHit && { elements: { path: innerHit.path, clauses: tree(innerHit.query) } }),
    ...(typeahead && { values: { ...typeahead, filter: tree(typeahead.filter, 'filter') } }),
  };
}

function usesCatchAll(query: Query): boolean {
  if ('field' in query && query.field === CATCH_ALL) return true;
  return partsOf(query).some((part) => usesCatchAll(part.query));
}

function freeWordFields({ fields, identifying }: Mapping): FreeWordFields {
  const all = [...fields.values()];
  const pathsOfType = (type: string) =>
    all
      .filter((field) => field.type === type)
      .map(({ path }) => path)
      .sort();
  return {
    words: pathsOfType('text'),
    values: pathsOfType('keyword'),
    integers: pathsOfType('long'),
    weights: Object.fromEntries(identifying.map(({ path, boost }) => [path, boost])),
  };
}

function explainFilter({ field, type, exclude, terms, range }: FilterBody): FilterExplanation {
  const kind = type ?? (range === undefined ? 'TERMS' : 'RANGE');
  return {
    field,
    type: kind,
    exclude,
    ...(kind === 'TERMS' && { terms: terms?.slice(0, 20), termCount: terms?.length }),
    ...(kind === 'RANGE' && { range }),
  };
}
