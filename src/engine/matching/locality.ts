// Whether the matches of a query in a segment depend on that segment alone. Fuzzy words and phrase
// prefixes are not local: they expand to a limited number of terms of the whole index, so another
// segment may change which.
import type { Query } from '../../query/query.ts';

/** Depends on the query only. */
export function isLocal(query: Query): boolean {
  switch (query.kind) {
    case 'fuzzy':
      return false;
    case 'phrase':
      return query.prefixExpansions === undefined;
    case 'bool':
      return (
        query.must.every(isLocal) &&
        query.should.every(isLocal) &&
        query.filter.every(isLocal) &&
        query.mustNot.every(isLocal)
      );
    case 'disMax':
      return query.queries.every(isLocal);
    case 'nested':
    case 'constantScore':
      return isLocal(query.query);
    case 'matchAll':
    case 'matchNone':
    case 'term':
    case 'terms':
    case 'prefix':
    case 'wildcard':
    case 'regexp':
    case 'termRange':
    case 'numberRange':
    case 'numbers':
    case 'exists':
    case 'ids':
      return true;
  }
}
