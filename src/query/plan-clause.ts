// A query as a readable tree: the response of explain, for a plan alone or for a plan and one
// document. Both trees have the same parts in the same order, so a clause has the same position in
// either.

import { formatQuery } from './format-query.ts';
import type { Query } from './query.ts';
import { type Occurrence, type Part, partsOf } from './query-parts.ts';

/** One clause of a plan with its own members. Long lists and texts are cut. */
export interface ClauseHead {
  readonly clause: Query['kind'];
  readonly occurrence: Occurrence;
  /** In one line, as `formatQuery` prints it. */
  readonly text: string;
  /** Other members of the node: field, form, value, boost, path … */
  readonly [member: string]: unknown;
}

/** A clause with its children; `omitted` is the number of those beyond MAX_TREE_CLAUSES. */
export interface PlanClause extends ClauseHead {
  readonly children?: readonly PlanClause[];
  readonly omitted?: number;
}

/** How a score was calculated (Lucene's Explanation). */
export interface ScoreDetail {
  readonly value: number;
  readonly description: string;
  readonly details?: readonly ScoreDetail[];
}

/** A clause evaluated on one document, or on the elements of one of its nested arrays. */
export interface ExplainedClause extends ClauseHead {
  /** Whether the clause itself matches; a `mustNot` clause that matches excludes the document. */
  readonly matched: boolean;
  /** Score of a matching, scoring clause; below a nested array, of its best element. */
  readonly score?: number;
  readonly scoring?: ScoreDetail;
  /** Below a nested array: positions, from 0, of the first elements that match the clause. */
  readonly elements?: readonly number[];
  /** Of a nested clause: how many elements the document has. */
  readonly elementCount?: number;
  readonly children?: readonly ExplainedClause[];
  readonly omitted?: number;
}

/** Why a document is among the results or not. */
export interface DocumentExplanation {
  /** Whether the plan matches the document, on any page. */
  readonly matched: boolean;
  /** Score of the hit; null if the order does not depend on it or the document does not match. */
  readonly score: number | null;
  readonly clauses: ExplainedClause;
}

/** Most clauses in one tree; the others are counted as omitted. */
export const MAX_TREE_CLAUSES = 2_000;
const MAX_VALUES = 20;
const MAX_CHARACTERS = 200;

/** Describes a clause without its parts. */
export function describe({ query, occurrence }: Part): ClauseHead {
  const { kind, ...members } = query;
  const shown = Object.entries(members).flatMap(([name, value]): [string, unknown][] => {
    if (PARTS.has(name)) return [];
    if (!Array.isArray(value) || value.length <= MAX_VALUES) return [[name, value]];
    return [
      [name, value.slice(0, MAX_VALUES)],
      [`${name}Count`, value.length],
    ];
  });
  const text = cut(formatQuery(query), MAX_CHARACTERS);
  return { clause: kind, occurrence, text, ...Object.fromEntries(shown) };
}

const PARTS = new Set(['must', 'should', 'filter', 'mustNot', 'queries', 'query']);

/** Number of clauses that may still be added to a tree. */
export interface Budget {
  left: number;
}

/**
 * Builds the tree of a clause, within the budget.
 * @param shared clauses that are shown elsewhere; the tree has only their heads
 */
export function clauseTree(
  part: Part,
  budget: Budget = { left: MAX_TREE_CLAUSES - 1 },
  shared?: ReadonlySet<Query>,
): PlanClause {
  if (shared?.has(part.query)) {
    const { clause, occurrence, text } = describe(part);
    return { clause, occurrence, text, shared: true };
  }
  const parts = partsOf(part.query);
  if (parts.length === 0) return describe(part);
  const included = parts.slice(0, budget.left);
  budget.left -= included.length;
  const omitted = parts.length - included.length;
  return {
    ...describe(part),
    children: included.map((one) => clauseTree(one, budget, shared)),
    ...(omitted > 0 && { omitted }),
  };
}

/** Cuts a text to at most `length` UTF-16 units. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
