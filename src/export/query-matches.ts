// Finds the ids of the documents that match a query, page by page with `searchAfter`, by the use case
// that also answers searches over HTTP.
import { answerBytes } from '../identity/searching/answer-bytes.ts';
import type { Search } from '../identity/searching/search.ts';
import type { IndexName } from '../query/query.ts';

/** Ids read at a time. */
const PAGE_SIZE = 500;
const TEXT = new TextDecoder();

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
  const limit = Math.min(PAGE_SIZE, sizeMax);
  return {
    async count(indexes) {
      const body = { indices: [...indexes], query: { query } };
      const { total, warnings } = await search.count({ tenantId }, body);
      return { total, warnings: warnings.map(({ text }) => text) };
    },
    ids: (index) => idPages(search, tenantId, query, { index, limit }),
  };
}

async function* idPages(
  search: Search,
  tenantId: string,
  query: string,
  { index, limit }: { readonly index: IndexName; readonly limit: number },
): AsyncGenerator<string[]> {
  const request = {
    ...{ indices: [index], query: { query }, sort: ['id'] },
    queryResultFilter: { includes: ['id'] },
  };
  for (let searchAfter: string[] = []; ; ) {
    const body = searchAfter.length === 0 ? request : { ...request, searchAfter };
    const answer = await search.search({ tenantId }, body, { limit: String(limit) });
    const rows = JSON.parse(TEXT.decode(answerBytes(answer.body))) as { id: string }[];
    if (rows.length > 0) yield rows.map(({ id }) => id);
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return;
    searchAfter = [last.id];
  }
}
