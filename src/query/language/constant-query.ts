// Evaluates a leaf on a field that has the same value in every document of an index. The plan then
// has matchAll or matchNone, so no backend stores `_type`, `org` and other constants.
import { fold } from '../analysis/fold.ts';
import { MATCH_ALL, MATCH_NONE } from '../build.ts';
import { editDistance } from '../mapping/nearest-name.ts';
import type { Query } from '../query.ts';
import { Automaton } from './automaton.ts';
import { valueQuery } from './field-query.ts';
import { parseRegexp } from './regexp.ts';
import type { Leaf } from './syntax.ts';
import { wildcardMatches, wildcardParts } from './wildcard.ts';

/**
 * Returns matchAll if the constant matches the leaf (ignoring case unless `exact`), else matchNone.
 */
export function constantQuery(leaf: Leaf, constant: string, exact: boolean): Query {
  if (leaf.kind === 'any') return MATCH_ALL;
  const query = valueQuery(leaf, '', exact ? 'exact' : 'folded');
  return query !== null && matches(exact ? constant : fold(constant), query)
    ? MATCH_ALL
    : MATCH_NONE;
}

function matches(value: string, query: Query): boolean {
  switch (query.kind) {
    case 'term':
      return value === query.value;
    case 'prefix':
      return value.startsWith(query.value);
    case 'wildcard':
      return wildcardMatches(wildcardParts(query.pattern), value);
    case 'regexp':
      return new Automaton(parseRegexp(query.pattern)).matches(value);
    case 'fuzzy':
      return editDistance([...value], [...query.value]) <= query.maxEdits;
    case 'termRange':
      return (
        !(query.gt !== undefined && value <= query.gt) &&
        !(query.gte !== undefined && value < query.gte) &&
        !(query.lt !== undefined && value >= query.lt) &&
        !(query.lte !== undefined && value > query.lte)
      );
    default:
      return false;
  }
}
