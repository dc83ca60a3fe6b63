// `query.innerHit`: the answer is not the documents but the elements of one of their nested arrays. A document must
// meet the query and own an element that meets the inner one; the inner one knows nothing but the elements.

import { invalid } from './body.ts';
import { isNone, MATCH_NONE } from './build.ts';
import type { DateContext } from './dates/dates.ts';
import { assemble } from './language/assembly.ts';
import { pointed } from './language/caret.ts';
import { parseQueryString } from './language/query-string.ts';
import type { QueryLimits } from './limits.ts';
import type { Mapping } from './mapping/mapping.ts';
import { placed } from './placed.ts';
import type { InnerHit } from './plan.ts';
import type { Query } from './query.ts';
import type { InnerHitBody } from './search-body.ts';

/** On one index: its elements, or null where no element can be found. */
export type InnerHitQuery = (mapping: Mapping) => InnerHit | null;

/**
 * @param mappings of the indexes asked
 * @throws ServiceError `request_invalid`, `query_malformed` with the offset into the inner query, `limit_exceeded`
 */
export function readInnerHit(
  { query, type }: InnerHitBody,
  mappings: readonly Mapping[],
  dates: DateContext,
  limits: QueryLimits,
): InnerHitQuery {
  if (query === undefined || query.trim() === '') {
    throw invalid('query.innerHit.query: is required and must not be blank; * finds every element');
  }
  if (type === undefined) throw invalid('query.innerHit.type: is required');
  const path = type.trim().replace(/^@/, '');
  const known = [...new Set(mappings.flatMap(({ nestedPaths }) => nestedPaths))];
  if (!known.includes(path)) {
    throw invalid(
      `query.innerHit.type: ${JSON.stringify(path.slice(0, 60))} is no nested type of the requested indices, expected ${known.length === 0 ? 'none: they have none' : known.sort().join(', ')}`,
    );
  }
  const inText = <T>(make: () => T) => placed('query.innerHit.query', () => pointed(query, make));
  const clauses = inText(() => parseQueryString(query, limits));
  return (mapping) => {
    if (!mapping.nestedPaths.includes(path)) return null;
    const context = { dates, limits, defaultFields: [], scope: { nested: path } };
    const found = inText(() => assemble(clauses, mapping, context));
    return isNone(found) ? null : { path, query: found };
  };
}

/** The documents that own an element found: the score is that of the outer query alone. */
export function withElements(query: Query, innerHit: InnerHit | null): Query {
  if (innerHit === null || isNone(query)) return MATCH_NONE;
  const { path, query: inner } = innerHit;
  const owns: Query = { kind: 'nested', path, query: inner, scoreMode: 'none' };
  return { kind: 'bool', must: [query], should: [], filter: [owns], mustNot: [] };
}
