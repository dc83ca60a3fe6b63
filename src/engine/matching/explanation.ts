// Explains clause by clause why a document matches a query or does not (Lucene's Weight.explain).
// Evaluates the weight of each clause on that one row, so that explanations use the code of
// searches. For nested queries it evaluates all elements of the document, as the one that almost
// matches is the answer.

import {
  type DocumentExplanation,
  describe,
  type ExplainedClause,
  MAX_TREE_CLAUSES,
  type ScoreDetail,
} from '../../query/plan-clause.ts';
import type { Query } from '../../query/query.ts';
import { type ConstantQuery, type Part, partsOf } from '../../query/query-parts.ts';
import type { IndexSegments } from '../index/query-cache.ts';
import type { RowLocation } from '../index/segment-list.ts';
import { STEPS_PER_YIELD } from '../scoring/scorer.ts';
import { boostedScope, type Scope, type ScoringScope, unscored } from '../scoring/weight.ts';
import { tableOf } from '../terms/field-terms.ts';
import { createWeight } from './create-weight.ts';
import { elementScope } from './nested-weight.ts';

/** Rows of one table: the document's own, or those of its elements. */
interface Rows {
  readonly view: number;
  readonly from: number;
  readonly to: number;
}

/** The rows that one clause matches. */
interface ClauseMatches {
  readonly rows: readonly number[];
  /** The greatest score, and how it was computed if the clause explains it. */
  readonly score: number;
  readonly scoring: ScoreDetail | null;
}

/** Most matching elements that an explanation lists. */
export const MOST_ELEMENTS = 100;

/**
 * @param place a live row of the root table
 * @param scoring whether hits of the search have scores
 * Throws what createWeight throws.
 */
export function* explainRow(
  query: Query,
  { views, cache }: IndexSegments,
  { view, row }: RowLocation,
  scoring: boolean,
): Generator<void, DocumentExplanation> {
  const explainer = new Explainer();
  const scope: Scope = { views, cache, path: null, scoring, boost: 1 };
  const rows = { view, from: row, to: row + 1 };
  const clauses = yield* explainer.explain({ query, occurrence: 'must' }, scope, rows);
  const { matched, score = null } = clauses;
  return { matched, score, clauses };
}

class Explainer {
  #clausesLeft = MAX_TREE_CLAUSES - 1;

  *explain(part: Part, scope: Scope, rows: Rows): Generator<void, ExplainedClause> {
    const { query } = part;
    const matches = yield* matchRows(query, scope, rows);
    const matched = matches.rows.length > 0;
    const inner = innerRows(query, scope, rows);
    return {
      ...describe(part),
      matched,
      ...(matched && scope.scoring && { score: matches.score }),
      ...(matched &&
        scope.scoring && { scoring: scoringOf(query, matches.score, matches.scoring) }),
      ...(scope.path !== null && {
        elements: matches.rows.slice(0, MOST_ELEMENTS).map((row) => row - rows.from),
      }),
      ...(inner !== rows && { elementCount: inner.to - inner.from }),
      ...(yield* this.#children(query, scope, inner)),
    };
  }

  *#children(
    query: Query,
    scope: Scope,
    rows: Rows,
  ): Generator<
    void,
    { readonly children?: readonly ExplainedClause[]; readonly omitted?: number }
  > {
    const parts = partsOf(query);
    if (parts.length === 0) return {};
    const explained = parts.slice(0, this.#clausesLeft);
    this.#clausesLeft -= explained.length;
    const omitted = parts.length - explained.length;
    const children: ExplainedClause[] = [];
    for (const part of explained) {
      children.push(yield* this.explain(part, innerScope(query, part, scope), rows));
      yield;
    }
    return { children, ...(omitted > 0 && { omitted }) };
  }
}

/** The scope in which the weight of a query evaluates a clause. */
export function innerScope<S extends ScoringScope>(
  query: Query,
  { occurrence }: Part,
  outer: S,
): S {
  const scope = boostedScope(outer, 'boost' in query ? query.boost : undefined);
  if (query.kind === 'nested') return elementScope(query, scope);
  const counts = occurrence === 'must' || occurrence === 'should';
  return counts && query.kind !== 'constantScore' ? scope : unscored(scope);
}

/** The rows on which the clauses of a query are evaluated. */
function innerRows(query: Query, { views, path }: Scope, rows: Rows): Rows {
  if (query.kind !== 'nested') return rows;
  const none = { view: rows.view, from: 0, to: 0 };
  const view = views[rows.view];
  const firstRow = view && tableOf(view, query.path)?.firstRow;
  if (!firstRow || path !== null) return none;
  return { view: rows.view, from: firstRow[rows.from]!, to: firstRow[rows.from + 1]! };
}

function* matchRows(
  query: Query,
  scope: Scope,
  { view, from, to }: Rows,
): Generator<void, ClauseMatches> {
  const matches: { rows: number[]; score: number; scoring: ScoreDetail | null } = {
    rows: [],
    score: Number.NEGATIVE_INFINITY,
    scoring: null,
  };
  if (from === to) return matches;
  const weight = yield* createWeight(query, scope);
  const scorer = yield* weight.scorer(view);
  if (scorer === null) return matches;
  let row = scorer.docId() < from ? scorer.advance(from) : scorer.docId();
  for (let step = 1; row < to; row = scorer.nextDoc(), step++) {
    if (step % STEPS_PER_YIELD === 0) yield;
    if (!scorer.matches()) continue;
    matches.rows.push(row);
    if (!scope.scoring) continue;
    const score = scorer.score();
    if (score <= matches.score) continue;
    matches.score = score;
    matches.scoring = scorer.explain?.() ?? null;
  }
  return matches;
}

/**
 * How the score of a clause is computed.
 * @param scoring the clause's own explanation
 */
export function scoringOf(query: Query, score: number, scoring: ScoreDetail | null): ScoreDetail {
  const own = (description: string): ScoreDetail => ({ value: score, description });
  switch (query.kind) {
    case 'term':
    case 'phrase':
    case 'fuzzy':
      // A boost of 0 leaves nothing to explain, and Lucene explains no term of such a clause.
      return score === 0
        ? own('nothing, since its boost is 0')
        : (scoring ?? own('the score of its terms'));
    case 'bool':
      return own('the sum of the must and should clauses that match');
    case 'disMax':
      return own(
        query.tieBreaker === 0
          ? 'the best of the clauses that match'
          : `the best of the clauses that match, plus ${query.tieBreaker} times each other`,
      );
    case 'nested':
      return own(NESTED_SCORES[query.scoreMode]);
    default:
      query satisfies ConstantQuery | { readonly kind: 'constantScore' };
      return own('a constant: the product of the boosts around it');
  }
}

const NESTED_SCORES = {
  avg: 'the average over the elements that match',
  max: 'the best of the elements that match',
  min: 'the least of the elements that match',
  sum: 'the sum over the elements that match',
  none: 'elements do not count for the score',
} as const;
