// Whether what a query finds in a segment depends on that segment alone. Fuzzy words and phrases that end in a prefix
// stand for so many terms of the whole index, so another segment may change what they find in this one.
import type { Query } from '../../query/query.ts';

/** Decided from the query alone. */
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
