// The size of a query, which the limit on terms bounds.
import type { Query } from './query.ts';

/** Counts the leaves of a query; each value of a list counts as one. */
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
