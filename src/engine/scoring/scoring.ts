// Whether a query tells some of its matches from others by score. Where it does not (match all, filters, ranges,
// prefixes …), results stand in index and id order and a search may stop early.
import type { Query } from '../../query/query.ts';

/** Decided from the query alone, so it is the same whatever the index holds and whoever executes it. */
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
    case 'matchAll':
    case 'matchNone':
    case 'terms':
    case 'prefix':
    case 'wildcard':
    case 'regexp':
    case 'termRange':
    case 'numberRange':
    case 'numbers':
    case 'exists':
    case 'ids':
    case 'constantScore':
      return false;
  }
}

/** Constants beside each other tell matches apart only where the request weighs them. */
function anyScores(queries: readonly Query[]): boolean {
  return queries.some(scores) || (queries.length > 1 && queries.some(isWeighed));
}

function isWeighed(query: Query): boolean {
  return 'boost' in query && query.boost !== undefined && query.boost !== 1;
}
