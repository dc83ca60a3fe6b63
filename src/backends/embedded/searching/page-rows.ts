// Result of the query phase of a search: the rows of a page, before its documents are read. Rows
// are numbers, so a page from another thread is cheap to transfer; the main thread reads the
// documents, through one cache.
import type { HitRow } from '../../../engine/hits/hit-merge.ts';
import type { SearchResult } from '../../../service/ports/search-backend.ts';

/** The rows of a page, with totals and aggregations. */
export interface PageRows extends Omit<SearchResult, 'hits' | 'fetchMs'> {
  readonly rows: readonly HitRow[];
}
