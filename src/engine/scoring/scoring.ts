// Whether scores can rank the matches of a query. If not (match all, filters, ranges, prefixes …),
// results are ordered by index and id, and a search may stop early.
import type { Query } from '../../query/query.ts';
import type { ConstantQuery } from '../../query/query-parts.ts';

/** Depends on the query only, so that it is the same for every index and backend. */
export function scores(query: Query): boolean {
  switch (query.kind) {
    case 'term':
    case 'phrase':
    case 'fuzzy':
      return true;
    case 'bool':
      return anyScores([...query.must, ...query.should]);
    case 'disMax':
      return anyScores(query.queries);
    case 'nested':
      return query.scoreMode !== 'none' && scores(query.query);
    case 'constantScore':
      return false;
    default:
      query satisfies ConstantQuery;
      return false;
  }
}

/** Several constant clauses rank matches only if one of them has a boost. */
function anyScores(queries: readonly Query[]): boolean {
  return queries.some(scores) || (queries.length > 1 && queries.some(isBoosted));
}

function isBoosted(query: Query): boolean {
  if ('boost' in query && query.boost !== undefined && query.boost !== 1) return true;
  return query.kind === 'nested' && query.scoreMode !== 'none' && isBoosted(query.query);
}
