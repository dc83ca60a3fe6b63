// A query as a tree that a person reads: what explain answers, for a plan alone and for a plan held against one
// document. Both walk the same parts in the same order, so a clause stands at the same place in either tree.

import type { Query } from '../query.ts';
import { formatQuery } from './format-query.ts';

/** How a clause counts in the one around it; the parts of `disMax` are `should`, those of other wrappers `must`. */
export type Occurrence = 'must' | 'should' | 'filter' | 'mustNot';

/** One clause of a plan, with what is asked of which field. Long lists and texts are cut. */
export interface ClauseHead {
  readonly clause: Query['kind'];
  readonly occurrence: Occurrence;
  /** In one line, as `formatQuery` prints it. */
  readonly text: string;
  /** What else the node holds under its own names: field, form, value, boost, path … */
  readonly [member: string]: unknown;
}

/** A clause with those inside it, which are `omitted` beyond MOST_CLAUSES. */
export interface PlanClause extends ClauseHead {
  readonly children?: readonly PlanClause[];
  readonly omitted?: number;
}

/** How a score came about (Lucene's Explanation). */
export interface ScoreDetail {
  readonly value: number;
  readonly description: string;
  readonly details?: readonly ScoreDetail[];
}

/** A clause held against one document, or against the elements of one of its nested arrays. */
export interface ExplainedClause extends ClauseHead {
  /** Whether the clause by itself is met; one that is `mustNot` keeps the document out when it is. */
  readonly matched: boolean;
  /** Of a clause that scores and is met; below a nested array, of its best element. */
  readonly score?: number;
  readonly scoring?: ScoreDetail;
  /** Below a nested array: places in it, from 0, of the first elements that meet the clause. */
  readonly elements?: readonly number[];
  /** Of a nested clause: how many elements the document has. */
  readonly elementCount?: number;
  readonly children?: readonly ExplainedClause[];
  readonly omitted?: number;
}

/** Why a document is in an answer or is not. */
export interface DocumentExplanation {
  /** Whether it is among the documents that the plan finds, whatever the page. */
  readonly matched: boolean;
  /** What the hit would have; null where the order does not depend on it, or nothing matches. */
  readonly score: number | null;
  readonly clauses: ExplainedClause;
}

/** A clause inside another. */
export interface Part {
  readonly occurrence: Occurrence;
  readonly query: Query;
}

/** How many clauses of one tree are told; the others are counted. */
export const MOST_CLAUSES = 2_000;
const MOST_VALUES = 20;
const MOST_CHARACTERS = 200;

/** The clauses directly inside a query. */
export function partsOf(query: Query): readonly Part[] {
  switch (query.kind) {
    case 'bool':
      return (['must', 'should', 'filter', 'mustNot'] as const).flatMap((occurrence) =>
        query[occurrence].map((part) => ({ occurrence, query: part })),
      );
    case 'disMax':
      return query.queries.map((part) => ({ occurrence: 'should', query: part }));
    case 'constantScore':
    case 'nested':
      return [{ occurrence: 'must', query: query.query }];
    default:
      return [];
  }
}

/** A clause without its parts. */
export function describe({ query, occurrence }: Part): ClauseHead {
  const { kind, ...members } = query;
  const shown = Object.entries(members).flatMap(([name, value]): [string, unknown][] => {
    if (PARTS.has(name)) return [];
    if (!Array.isArray(value) || value.length <= MOST_VALUES) return [[name, value]];
    return [
      [name, value.slice(0, MOST_VALUES)],
      [`${name}Count`, value.length],
    ];
  });
  const text = cut(formatQuery(query), MOST_CHARACTERS);
  return { clause: kind, occurrence, text, ...Object.fromEntries(shown) };
}

const PARTS = new Set(['must', 'should', 'filter', 'mustNot', 'queries', 'query']);

/** How many more clauses may be told. */
export interface Budget {
  left: number;
}

/**
 * A clause with all that is in it, as far as the budget goes.
 * @param shared what is told elsewhere: of these only the head
 */
export function clauseTree(
  part: Part,
  budget: Budget = { left: MOST_CLAUSES - 1 },
  shared?: ReadonlySet<Query>,
): PlanClause {
  if (shared?.has(part.query)) {
    const { clause, occurrence, text } = describe(part);
    return { clause, occurrence, text, shared: true };
  }
  const parts = partsOf(part.query);
  if (parts.length === 0) return describe(part);
  const told = parts.slice(0, budget.left);
  budget.left -= told.length;
  const omitted = parts.length - told.length;
  return {
    ...describe(part),
    children: told.map((one) => clauseTree(one, budget, shared)),
    ...(omitted > 0 && { omitted }),
  };
}

/** A text of at most so many UTF-16 units. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
