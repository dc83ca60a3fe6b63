// Result of the query phase of a search: the rows of a page, before its documents are read. Rows
// are numbers, so a page from another thread is cheap to transfer; the main thread reads the
// documents, through one cache.
import type { SearchResult } from '../../../identity/ports/search-backend.ts';
import type { IndexName, SortValue } from '../../../query/query.ts';

/** A document of a page, or some of its elements. */
export interface PageRow {
  readonly index: IndexName;
  /** Index into the views of that index. */
  readonly view: number;
  readonly row: number;
  readonly score: number | null;
  readonly sort: readonly SortValue[];
  /** Indexes of elements in the nested array; null: the document. */
  readonly elements: readonly number[] | null;
}

/** The rows of a page, with totals and aggregations. */
export interface PageRows extends Omit<SearchResult, 'hits'> {
  readonly rows: readonly PageRow[];
}
