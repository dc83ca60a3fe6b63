// How large a query is: what the limit on terms is held against.
import type { Query } from './query.ts';

/** Leaves of a query; each value of a list is one. */
export function sizeOf(query: Query): number {
  switch (query.kind) {
    case 'bool':
      return [...query.must, ...query.should, ...query.filter, ...query.mustNot].reduce(
        (sum, part) => sum + sizeOf(part),
        0,
      );
    case 'disMax':
      return query.queries.reduce((sum, part) => sum + sizeOf(part), 0);
    case 'nested':
    case 'constantScore':
      return sizeOf(query.query);
    case 'terms':
    case 'numbers':
    case 'ids':
      return query.values.length;
    case 'phrase':
      return query.terms.length;
    default:
      return 1;
  }
}
