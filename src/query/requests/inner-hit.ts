// Reads `query.innerHit`: the results are elements of a nested array rather than documents. A
// document must match the query and have an element that matches the inner query, which sees only
// the elements.

import { invalid } from '../body.ts';
import { MATCH_NONE, matchesNothing } from '../build.ts';
import { withPlace } from '../fault-place.ts';
import { assemble } from '../language/assembly.ts';
import { withCaret } from '../language/caret.ts';
import { parseQueryString } from '../language/query-string.ts';
import type { RequestTexts } from '../language/request-texts.ts';
import type { QueryLimits } from '../limits.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { InnerHit } from '../plan.ts';
import type { Query } from '../query.ts';
import type { InnerHitBody } from './search-body.ts';

/** Resolves the inner query on one index; null if no element there can match. */
export type InnerHitQuery = (mapping: Mapping) => InnerHit | null;

/**
 * Validates the inner query.
 * @param mappings of the requested indexes
 * @throws ServiceError `request_invalid`, `query_malformed` with the offset into the inner query,
 * `limit_exceeded`
 */
export function readInnerHit(
  { query, type }: InnerHitBody,
  mappings: readonly Mapping[],
  texts: RequestTexts,
  limits: QueryLimits,
): InnerHitQuery {
  if (query === undefined || query.trim() === '') {
    throw invalid('query.innerHit.query: is required and must not be blank; * finds every element');
  }
  if (type === undefined) throw invalid('query.innerHit.type: is required');
  const path = type.trim().replace(/^@/, '');
  const paths = [...new Set(mappings.flatMap(({ nestedPaths }) => nestedPaths))];
  if (!paths.includes(path)) {
    throw invalid(
      `query.innerHit.type: ${JSON.stringify(path.slice(0, 60))} is not a nested type of the requested indices, expected ${paths.length === 0 ? 'none: they have none' : paths.sort().join(', ')}`,
    );
  }
  const inText = <T>(make: () => T) =>
    withPlace('query.innerHit.query', () => withCaret(query, make));
  const clauses = inText(() => parseQueryString(query, limits));
  return (mapping) => {
    if (!mapping.nestedPaths.includes(path)) return null;
    const context = { texts, limits, defaultFields: [], scope: { nested: path } };
    const resolved = inText(() => assemble(clauses, mapping, context));
    return matchesNothing(resolved) ? null : { path, query: resolved };
  };
}

/** Matches documents with a matching element; only the outer query scores. */
export function withElements(query: Query, innerHit: InnerHit | null): Query {
  if (innerHit === null || matchesNothing(query)) return MATCH_NONE;
  const { path, query: inner } = innerHit;
  const hasElement: Query = { kind: 'nested', path, query: inner, scoreMode: 'none' };
  return { kind: 'bool', must: [query], should: [], filter: [hasElement], mustNot: [] };
}
