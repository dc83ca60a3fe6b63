// Checks the search of a saved search or of a tile by planning it, so that it does not fail later
// where nobody reads the error.
import { ServiceError } from '../../errors.ts';
import { invalid } from '../../query/body.ts';
import { indexOfType } from '../../query/mapping/document-types.ts';
import type { SearchDefinition } from '../../query/search-definition.ts';
import type { Hint } from '../searching/rows/search-hints.ts';
import type { CheckSearch } from '../searching/search.ts';

/** The members of a definition that decide what is found, and in which order. */
export type PlannedMembers = Pick<
  SearchDefinition,
  'indices' | 'query' | 'fields' | 'sort' | 'filters' | 'orderBy'
>;

/**
 * Plans a search once with `sort`, and once for each type in `orderBy`.
 * @returns the warnings that a search would have
 * @throws ServiceError as a search
 */
export async function checkSearch(
  check: CheckSearch,
  { indices, query, fields, sort, filters, orderBy }: PlannedMembers,
): Promise<readonly Hint[]> {
  const request = { indices, query: { query, fields }, filters };
  const hints = await check({ ...request, sort: sort ?? [] });
  for (const [type, keys] of Object.entries(orderBy ?? {})) {
    const index = indexOfType(type);
    if (index === undefined) continue;
    try {
      await check({ ...request, indices: [index], sort: keys });
    } catch (error) {
      const causes = error instanceof ServiceError ? (error.details.causes ?? []) : [];
      const [cause] = causes;
      if (cause?.startsWith('sort[')) throw invalid(cause.replace(/^sort/, `orderBy.${type}`));
      throw error;
    }
  }
  return hints;
}
