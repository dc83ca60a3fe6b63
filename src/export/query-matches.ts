// Finds the ids of the documents that match a query, page by page, by the use case that also answers
// searches over HTTP.

import type { IndexName } from '../query/query.ts';
import type { Search } from '../service/searching/search.ts';
import { unrestricted } from '../service/views/views-in-force.ts';

/** Ids read at a time. */
const PAGE_SIZE = 500;

export interface QueryMatches {
  /** The number of documents that match, and warnings about names that no index has. */
  count(indexes: readonly IndexName[]): Promise<{ total: number; warnings: readonly string[] }>;
  ids(index: IndexName): AsyncGenerator<readonly string[]>;
}

/**
 * @param query a query string
 * @param sizeMax the largest page that the search allows
 */
export function queryMatches(
  search: Search,
  tenantId: string,
  query: string,
  sizeMax: number,
): QueryMatches {
  const size = Math.min(PAGE_SIZE, sizeMax);
  return {
    async count(indexes) {
      const body = { indices: [...indexes], query: { query } };
      const { total, warnings } = await search.count(unrestricted(tenantId), body);
      return { total, warnings: warnings.map(({ text }) => text) };
    },
    ids: (index) => idPages(search, tenantId, query, { index, size }),
  };
}

async function* idPages(
  search: Search,
  tenantId: string,
  query: string,
  { index, size }: { readonly index: IndexName; readonly size: number },
): AsyncGenerator<string[]> {
  const body = {
    ...{ indices: [index], query: { query }, sort: ['id'] },
    queryResultFilter: { includes: ['id'] },
  };
  for await (const { hits } of search.walk(unrestricted(tenantId), body, { size })) {
    yield hits.map(({ id }) => id);
  }
}
