// Which queries find the same rows of a segment whatever other segments there are, so that what they found may be kept.
import type { Query } from '../../query/plan.ts';

/** Not so: a fuzzy term, which stands for the best terms of the whole index. */
export function asksSegmentsAlone(query: Query): boolean {
  switch (query.kind) {
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
    case 'fuzzy':
    case 'phrase':
      return false;
    case 'constantScore':
    case 'nested':
      return asksSegmentsAlone(query.query);
    case 'disMax':
      return query.queries.every(asksSegmentsAlone);
    case 'bool': {
      const { must, filter, should, mustNot } = query;
      return [...must, ...filter, ...should, ...mustNot].every(asksSegmentsAlone);
    }
  }
}
