// Queries that expand to many terms, as sets of rows: lists, prefixes, wildcards, regular
// expressions and ranges. The pattern is compiled once and applied to each segment.

import { Automaton } from '../../query/language/automaton.ts';
import { parseRegexp, type RegexpNode } from '../../query/language/regexp.ts';
import type { Query } from '../../query/query.ts';
import { done } from '../../query/steps.ts';
import type { QueryCache } from '../index/query-cache.ts';
import { newBitSet, setBit } from '../rows/bit-set.ts';
import { STEPS_PER_YIELD } from '../scoring/scorer.ts';
import type { Scope } from '../scoring/weight.ts';
import type { TermDictionary } from '../sections/segment.ts';
import type { RowsOf } from './constant-weight.ts';
import { type FieldTerms, fieldTerms, type Ordinals } from './field-terms.ts';
import { matchesOnlyLiteral, requiredLiteral, termsWithLiteral } from './literal-scan.ts';
import { TermScorer } from './term-scorer.ts';
import { matchingTerms } from './term-walker.ts';
import { literalPrefix, parseWildcard } from './wildcard.ts';

type QueryOf<Kind extends Query['kind']> = Extract<Query, { readonly kind: Kind }>;

type Expandable =
  | QueryOf<'terms'>
  | QueryOf<'prefix'>
  | QueryOf<'wildcard'>
  | QueryOf<'regexp'>
  | QueryOf<'termRange'>;

/** Selects the terms of a dictionary that a query expands to. */
type Select = (terms: TermDictionary, cache: QueryCache) => Generator<void, Ordinals>;

/**
 * @throws ServiceError `query_malformed`, `limit_exceeded` for a regular expression that cannot be
 * compiled
 */
export function termExpansion(query: Expandable, scope: Scope): RowsOf {
  const select = selection(query);
  return (view) => {
    const field = fieldTerms(scope.views[view]!, scope, query.field, query.form);
    return selectedRows(field, select, scope.cache);
  };
}

function* selectedRows(
  field: FieldTerms | undefined,
  select: Select,
  cache: QueryCache,
): ReturnType<RowsOf> {
  if (field === undefined) return null;
  return yield* rowsOfTerms(field, yield* select(field.terms, cache));
}

/** The rows that contain any of the terms. */
function* rowsOfTerms(field: FieldTerms, ordinals: Ordinals): ReturnType<RowsOf> {
  if (ordinals.count === 0) return null;
  const rows = yield* field.fewRows(ordinals);
  if (rows !== null) return rows.length === 0 ? null : { kind: 'list', rows };
  if (ordinals.count === 1 && ordinals.only === null) {
    const postings = field.postings(ordinals.from);
    if (postings !== null)
      return { kind: 'cursor', scorer: new TermScorer(postings, null, null, null) };
  }
  return { kind: 'set', bits: yield* field.rows(ordinals) };
}

function selection(query: Expandable): Select {
  switch (query.kind) {
    case 'terms':
      return (terms) => selectListed(terms, query.values);
    case 'prefix':
      return (terms) => selectRange(prefixRange(terms, query.value));
    case 'termRange':
      return (terms) => selectRange(termRange(terms, query));
    case 'wildcard': {
      const { prefix, node } = parseWildcard(query.pattern);
      return matching(node, prefix);
    }
    case 'regexp': {
      const node = parseRegexp(query.pattern);
      return matching(node, literalPrefix(node));
    }
  }
}

function matching(node: RegexpNode, prefix: string): Select {
  const automaton = new Automaton(node);
  const literal = prefix === '' ? requiredLiteral(node) : '';
  if (literal === '') return (terms) => matchingTerms(terms, automaton, prefixRange(terms, prefix));
  const among = matchesOnlyLiteral(literal, node) ? null : automaton;
  return (terms, cache) => matchingWithLiteral(terms, literal, among, cache);
}

/** @param among matches terms among those that contain the literal; null: all of them match */
function* matchingWithLiteral(
  terms: TermDictionary,
  literal: string,
  among: Automaton | null,
  cache: QueryCache,
): Generator<void, Ordinals> {
  const all = { from: 0, to: terms.size };
  const containing = yield* termsWithLiteral(terms, literal, all, cache);
  if (among === null || containing.count === 0) return containing;
  return yield* matchingTerms(terms, among, containing, undefined, containing.only);
}

function* selectListed(
  terms: TermDictionary,
  values: readonly string[],
): Generator<void, Ordinals> {
  const only = newBitSet(terms.size);
  const ords = new Set<number>();
  for (const [done, value] of values.entries()) {
    const ord = terms.find(value);
    if (ord >= 0) {
      ords.add(ord);
      setBit(only, ord);
    }
    if (done % STEPS_PER_YIELD === STEPS_PER_YIELD - 1) yield;
  }
  const [first] = ords;
  if (ords.size === 1 && first !== undefined)
    return { from: first, to: first + 1, only: null, count: 1 };
  return { from: 0, to: terms.size, only, count: ords.size };
}

function selectRange({ from, to }: { from: number; to: number }): Generator<void, Ordinals> {
  return done({ from, to, only: null, count: Math.max(0, to - from) });
}

/** The terms that begin with a prefix. */
export function prefixRange(
  terms: TermDictionary,
  prefix: string,
): { readonly from: number; readonly to: number } {
  if (prefix === '') return { from: 0, to: terms.size };
  const from = terms.ceiling(prefix);
  if (from === terms.size || !terms.term(from).startsWith(prefix)) return { from, to: from };
  return { from, to: terms.prefixEnd(prefix, from) };
}

function termRange(
  terms: TermDictionary,
  { gt, gte, lt, lte }: QueryOf<'termRange'>,
): { from: number; to: number } {
  const from = Math.max(
    gte === undefined ? 0 : terms.ceiling(gte),
    gt === undefined ? 0 : ceilingAfter(terms, gt),
  );
  const to = Math.min(
    lt === undefined ? terms.size : terms.ceiling(lt),
    lte === undefined ? terms.size : ceilingAfter(terms, lte),
  );
  return { from, to };
}

/** The first ordinal whose term is greater than `term`. */
function ceilingAfter(terms: TermDictionary, term: string): number {
  const ord = terms.ceiling(term);
  return terms.find(term) === ord ? ord + 1 : ord;
}
