// Reads DSL clauses that hold other clauses (bool, nested, constant_score, dis_max), and match_all
// and match_none.
import { invalid } from '../body.ts';
import { bool, MATCH_ALL, MATCH_NONE, matchesNothing } from '../build.ts';
import type { Query } from '../query.ts';
import { Parameters } from './dsl-parameters.ts';
import { type ClauseReader, type ReadClause, withBoost } from './dsl-reader.ts';
import type { DslQuery } from './dsl-target.ts';

export const COMPOUND_CLAUSES: Readonly<Record<string, ReadClause>> = {
  bool: readBool,
  nested: readNested,
  constant_score: readConstantScore,
  dis_max: readDisMax,
  match_all: readAll,
  match_none: readNone,
};

const SCORE_MODES = ['avg', 'max', 'min', 'sum', 'none'] as const;

function readBool(value: unknown, place: string, reader: ClauseReader): DslQuery {
  const parameters = new Parameters(value, place, [
    'must',
    'filter',
    'should',
    'must_not',
    'minimum_should_match',
    'boost',
  ]);
  const list = (name: string) => clausesOf(parameters.get(name), parameters.pathOf(name), reader);
  const [must, filter, should, mustNot] = ['must', 'filter', 'should', 'must_not'].map(list);
  const least = minimumShouldMatch(parameters);
  const query: DslQuery = (target, scope) => {
    const resolved = (clauses: readonly DslQuery[] = []) =>
      clauses.map((clause) => clause(target, scope));
    return boolQuery(
      {
        must: resolved(must),
        filter: resolved(filter),
        should: resolved(should),
        mustNot: resolved(mustNot),
      },
      least,
    );
  };
  return withBoost(query, parameters.factor('boost'));
}

interface Resolved {
  readonly must: readonly Query[];
  readonly filter: readonly Query[];
  readonly should: readonly Query[];
  readonly mustNot: readonly Query[];
}

/** Builds the bool: without clauses it matches everything; with only must_not, everything else. */
function boolQuery(clauses: Resolved, least: MinimumShouldMatch | undefined): Query {
  const { must, filter, should, mustNot } = clauses;
  const required = must.length + filter.length;
  if (required + should.length + mustNot.length === 0) return MATCH_ALL;
  const minimum = least?.(should.length) ?? 0;
  if (minimum > should.length) return MATCH_NONE;
  if (minimum <= (required === 0 ? 1 : 0)) return bool(clauses);
  const matchable = should.filter((query) => !matchesNothing(query));
  if (minimum > matchable.length) return MATCH_NONE;
  if (minimum === matchable.length)
    return bool({ ...clauses, must: [...must, ...matchable], should: [] });
  const query = bool({ ...clauses, should: matchable });
  return query.kind === 'bool' ? { ...query, minimumShouldMatch: minimum } : query;
}

/** Returns how many of `count` optional clauses must match. */
export type MinimumShouldMatch = (count: number) => number;

/**
 * Reads `2`, `-1` (all but one), `75%` or `-25%`, as Lucene's SolrPluginUtils reads them.
 * @throws ServiceError `request_invalid` for other forms
 */
export function minimumShouldMatch(parameters: Parameters): MinimumShouldMatch | undefined {
  const text = parameters.text('minimum_should_match')?.trim();
  if (text === undefined) return undefined;
  const [, sign = '', digits = '', percent] = /^([+-]?)(\d{1,6})(%?)$/.exec(text) ?? [];
  if (digits === '') {
    throw invalid(
      `${parameters.pathOf('minimum_should_match')}: expected a whole number or a percentage`,
    );
  }
  return (count) => {
    const share = percent === '%' ? Math.floor((count * Number(digits)) / 100) : Number(digits);
    return Math.max(0, sign === '-' ? count - share : share);
  };
}

/** Reads one clause or an array of clauses. */
function clausesOf(value: unknown, place: string, reader: ClauseReader): readonly DslQuery[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return [reader.clause(value, place)];
  return value.map((clause, at) => reader.clause(clause, `${place}[${at}]`));
}

/** Reads nested. An index without the path matches nothing. */
function readNested(value: unknown, place: string, reader: ClauseReader): DslQuery {
  const allowed = ['path', 'query', 'ignore_unmapped', 'score_mode', 'inner_hits', 'boost'];
  const parameters = new Parameters(value, place, allowed);
  const path = parameters.string('path') ?? parameters.requiredText('path');
  const inner = reader.clause(parameters.required('query'), parameters.pathOf('query'));
  const scoreMode = parameters.choice('score_mode', SCORE_MODES) ?? 'avg';
  parameters.boolean('ignore_unmapped');
  const query: DslQuery = (target, scope) => {
    if (!target.names.isNested(path)) return MATCH_NONE;
    if (scope.nested !== null) return scope.nested === path ? inner(target, scope) : MATCH_NONE;
    const resolved = inner(target, { nested: path });
    if (matchesNothing(resolved)) return MATCH_NONE;
    return { kind: 'nested', path, query: resolved, scoreMode };
  };
  return withBoost(query, parameters.factor('boost'));
}

function readConstantScore(value: unknown, place: string, reader: ClauseReader): DslQuery {
  const parameters = new Parameters(value, place, ['filter', 'boost']);
  const inner = reader.clause(parameters.required('filter'), parameters.pathOf('filter'));
  const query: DslQuery = (target, scope) => {
    const resolved = inner(target, scope);
    return matchesNothing(resolved) ? MATCH_NONE : { kind: 'constantScore', query: resolved };
  };
  return withBoost(query, parameters.factor('boost'));
}

function readDisMax(value: unknown, place: string, reader: ClauseReader): DslQuery {
  const parameters = new Parameters(value, place, ['queries', 'tie_breaker', 'boost']);
  const clauses = clausesOf(parameters.required('queries'), parameters.pathOf('queries'), reader);
  if (clauses.length === 0) throw invalid(`${place}: queries needs at least one clause`);
  const tieBreaker = parameters.factor('tie_breaker') ?? 0;
  if (tieBreaker > 1) {
    throw invalid(`${parameters.pathOf('tie_breaker')}: expected a number from 0 to 1`);
  }
  const query: DslQuery = (target, scope) => {
    const queries = clauses
      .map((clause) => clause(target, scope))
      .filter((resolved) => !matchesNothing(resolved));
    const [only] = queries;
    if (only === undefined) return MATCH_NONE;
    return queries.length === 1 ? only : { kind: 'disMax', queries, tieBreaker };
  };
  return withBoost(query, parameters.factor('boost'));
}

function readAll(value: unknown, place: string): DslQuery {
  const parameters = new Parameters(value ?? {}, place, ['boost']);
  return withBoost(() => MATCH_ALL, parameters.factor('boost'));
}

function readNone(value: unknown, place: string): DslQuery {
  new Parameters(value ?? {}, place, ['boost']);
  return () => MATCH_NONE;
}
