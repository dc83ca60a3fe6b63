// The documents that views show of one index, as a query.
// Invariant: what cannot be planned shows nothing.
import { ServiceError } from '../../errors.ts';
import { bool, MATCH_ALL, MATCH_NONE } from '../build.ts';
import { UTC } from '../dates/time-zone.ts';
import { assemble } from '../language/assembly.ts';
import { parseQueryString } from '../language/query-string.ts';
import type { QueryLimits } from '../limits.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { Query } from '../query.ts';
import { RequestTexts } from '../request-texts.ts';

/**
 * The documents that match all of the queries.
 * @param queries one for each view; undefined for a view that shows nothing of the index
 * @param mapping of the index, with its hidden fields: a view may select by what it hides
 */
export function visibleDocuments(
  queries: readonly (string | undefined)[],
  mapping: Mapping,
  { limits, now }: { readonly limits: QueryLimits; readonly now: number },
): Query {
  const filters: Query[] = [];
  for (const text of queries) {
    if (text === undefined) return MATCH_NONE;
    if (text.trim() === '*') continue;
    try {
      const texts = new RequestTexts(now, UTC);
      const clauses = parseQueryString(text, limits);
      filters.push(assemble(clauses, mapping, { texts, limits, defaultFields: [] }));
    } catch (error) {
      // It could be planned when it was written; a limit or the type of a field has changed since.
      if (error instanceof ServiceError) return MATCH_NONE;
      throw error;
    }
  }
  return filters.length === 0 ? MATCH_ALL : bool({ filter: filters });
}
