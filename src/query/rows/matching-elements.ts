// Which elements of a nested array a query is about: those that match one of its clauses on that
// array, such as `@accounts(disabled:true)`.
// Invariant: a clause below NOT excludes documents, never elements.
import { anyOf, MATCH_ALL } from '../build.ts';
import type { Query } from '../query.ts';

/**
 * The query that an element must match: any of the clauses on its array. Without such a clause every
 * element matches.
 */
export function matchingElements(query: Query, path: string): Query {
  const clauses = [...clausesOn(query, path, true)];
  return clauses.length === 0 ? MATCH_ALL : anyOf(clauses);
}

/** @param isRequired false below an odd number of NOTs */
function* clausesOn(query: Query, path: string, isRequired: boolean): Generator<Query> {
  switch (query.kind) {
    case 'nested':
      if (isRequired && query.path === path) yield query.query;
      return;
    case 'bool':
      for (const part of [...query.must, ...query.should, ...query.filter]) {
        yield* clausesOn(part, path, isRequired);
      }
      for (const part of query.mustNot) yield* clausesOn(part, path, !isRequired);
      return;
    case 'disMax':
      for (const part of query.queries) yield* clausesOn(part, path, isRequired);
      return;
    case 'constantScore':
      yield* clausesOn(query.query, path, isRequired);
      return;
    case 'matchAll':
    case 'matchNone':
    case 'term':
    case 'terms':
    case 'phrase':
    case 'prefix':
    case 'wildcard':
    case 'regexp':
    case 'fuzzy':
    case 'termRange':
    case 'numberRange':
    case 'numbers':
    case 'exists':
    case 'ids':
      return;
  }
}
