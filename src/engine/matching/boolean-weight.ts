// Weights of boolean and disjunction-max queries: they choose the scorer that joins the clauses.
import type { Query } from '../../query/query.ts';
import { done, mapSteps } from '../../query/steps.ts';
import type { Scorer } from '../scoring/scorer.ts';
import { type CreateWeight, type Scope, unscored, type Weight } from '../scoring/weight.ts';
import { allWeight, isNone, noneWeight } from '../terms/constant-weight.ts';
import type { DisjunctionOptions } from './disjunction-scorer.ts';
import { allOf, anyOf, butNot } from './join-clauses.ts';
import { OptionalScorer } from './optional-scorer.ts';

interface Clauses {
  readonly must: readonly Weight[];
  readonly filter: readonly Weight[];
  readonly should: readonly Weight[];
  readonly mustNot: readonly Weight[];
  readonly minimumMatch: number;
  readonly scoring: boolean;
}

export function* booleanWeight(
  query: Extract<Query, { readonly kind: 'bool' }>,
  scope: Scope,
  create: CreateWeight,
): Generator<void, Weight> {
  const filters = unscored(scope);
  const must = yield* weightsOf(create, query.must, scope);
  const filter = yield* weightsOf(create, query.filter, filters);
  const should = yield* weightsOf(create, query.should, scope);
  const mustNot = yield* weightsOf(create, query.mustNot, filters);
  const required = must.length + filter.length > 0;
  // As in Lucene: without a required clause, an optional one must match whatever the minimum says.
  const least = required || should.length === 0 ? 0 : 1;
  const minimumMatch = Math.max(least, query.minimumShouldMatch ?? least);
  if (!required && minimumMatch === 0) filter.push(allWeight(filters));
  const clauses: Clauses = {
    must,
    filter,
    minimumMatch,
    scoring: scope.scoring,
    should: should.filter((weight) => !isNone(weight)),
    mustNot: mustNot.filter((weight) => !isNone(weight)),
  };
  const [only] = [...must, ...filter, ...should];
  const single = must.length + filter.length + should.length + mustNot.length === 1;
  const possible = minimumMatch <= should.length;
  return {
    scorer: (view) => booleanScorer(clauses, view),
    count: (view) => (single && only !== undefined && possible ? only.count(view) : -1),
  };
}

export function disMaxWeight(
  { queries, tieBreaker }: Extract<Query, { readonly kind: 'disMax' }>,
  scope: Scope,
  create: CreateWeight,
): Generator<void, Weight> {
  const options = { minimumMatch: 1, scoring: scope.scoring, tieBreaker };
  return mapSteps(weightsOf(create, queries, scope), (all) => disjunctionWeight(all, options));
}

/** A weight that matches where at least `minimumMatch` of the given weights match. */
export function disjunctionWeight(all: readonly Weight[], options: DisjunctionOptions): Weight {
  const weights = all.filter((weight) => !isNone(weight));
  const [only] = weights;
  if (only === undefined || weights.length < options.minimumMatch) return noneWeight();
  return {
    scorer: (view) => mapSteps(scorersOf(weights, view), (scorers) => anyOf(scorers, options)),
    count: (view) => (weights.length === 1 ? only.count(view) : -1),
  };
}

/** Most lists of clauses are empty or have one: no generator is made for these. */
function weightsOf(
  create: CreateWeight,
  queries: readonly Query[],
  scope: Scope,
): Generator<void, Weight[]> {
  const [only] = queries;
  if (only === undefined) return done([]);
  if (queries.length === 1) return mapSteps(create(only, scope), (weight) => [weight]);
  return severalWeights(create, queries, scope);
}

function* severalWeights(
  create: CreateWeight,
  queries: readonly Query[],
  scope: Scope,
): Generator<void, Weight[]> {
  const weights: Weight[] = [];
  for (const query of queries) {
    weights.push(yield* create(query, scope));
    yield;
  }
  return weights;
}

/** Creating a scorer may compute the impacts of its term. */
const WEIGHTS_PER_YIELD = 64;

/** The scorers of the clauses that have rows. */
function scorersOf(weights: readonly Weight[], view: number): Generator<void, Scorer[]> {
  const [only] = weights;
  if (only === undefined) return done([]);
  if (weights.length > 1) return severalScorers(weights, view);
  if (only.count(view) === 0) return done([]);
  return mapSteps(only.scorer(view), (scorer) => (scorer === null ? [] : [scorer]));
}

function* severalScorers(weights: readonly Weight[], view: number): Generator<void, Scorer[]> {
  const scorers: Scorer[] = [];
  for (let at = 0; at < weights.length; at++) {
    const weight = weights[at]!;
    // Most words of a free text are in few of its fields and segments.
    const scorer = weight.count(view) === 0 ? null : yield* weight.scorer(view);
    if (scorer !== null) scorers.push(scorer);
    if (at % WEIGHTS_PER_YIELD === WEIGHTS_PER_YIELD - 1) yield;
  }
  return scorers;
}

function* booleanScorer(clauses: Clauses, view: number): Generator<void, Scorer | null> {
  const { minimumMatch, scoring } = clauses;
  const must = yield* scorersOf(clauses.must, view);
  if (must.length < clauses.must.length) return null;
  const filter = yield* scorersOf(clauses.filter, view);
  if (filter.length < clauses.filter.length) return null;
  let optional: Scorer | null = null;
  if (minimumMatch > 0 || scoring) {
    const options = { minimumMatch: Math.max(1, minimumMatch), scoring, tieBreaker: null };
    optional = anyOf(yield* scorersOf(clauses.should, view), options);
    if (minimumMatch > 0) {
      if (optional === null) return null;
      must.push(optional);
      optional = null;
    }
  }
  const required = allOf(must, filter, scoring);
  const mustNot = yield* scorersOf(clauses.mustNot, view);
  const excluded = anyOf(mustNot, { minimumMatch: 1, scoring: false, tieBreaker: null });
  const matching = butNot(required, excluded);
  return optional === null ? matching : new OptionalScorer(matching, optional);
}
