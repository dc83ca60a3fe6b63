// Which elements of a nested array a query is about: those that match one of its clauses on that
// array, such as `@accounts(disabled:true)`.
// Invariant: a clause below NOT excludes documents, never elements.
import { anyOf, MATCH_ALL } from '../build.ts';
import type { Query } from '../query.ts';
import { partsOf } from '../query-parts.ts';

/**
 * The query that an element must match: any of the clauses on its array. Without such a clause every
 * element matches.
 */
export function matchingElements(query: Query, path: string): Query {
  const clauses = clausesOn(query, path, true);
  return clauses.length === 0 ? MATCH_ALL : anyOf(clauses);
}

/** @param isRequired false below an odd number of NOTs */
function clausesOn(query: Query, path: string, isRequired: boolean): readonly Query[] {
  if (query.kind === 'nested') return isRequired && query.path === path ? [query.query] : [];
  return partsOf(query).flatMap((part) =>
    clausesOn(part.query, path, isRequired !== (part.occurrence === 'mustNot')),
  );
}
