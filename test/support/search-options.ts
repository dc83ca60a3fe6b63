// Options of a search with much time, and the mappings that its plan was made with.
import { byIndex, staticMapping } from '../../src/query/mapping/document-types.ts';
import type { Mapping } from '../../src/query/mapping/mapping.ts';
import type { IndexName } from '../../src/query/query.ts';
import { Deadline } from '../../src/scheduling/deadline.ts';
import type { SearchOptions } from '../../src/service/ports/search-backend.ts';

/** @param mapping that of an index; by default the static one of the tenant `acme` */
export function searchOptions(
  mapping: (index: IndexName) => Mapping = (index) =>
    staticMapping(index, { name: 'acme', pod: 'cardea' }),
): SearchOptions {
  return { deadline: new Deadline(3_600_000), mappings: byIndex(mapping) };
}
