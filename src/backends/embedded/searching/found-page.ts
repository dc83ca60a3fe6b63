// What a search comes to before its documents are read: which rows, in which order. Rows are numbers, so a page that another
// thread found costs little to bring over; the documents are read by the thread that answers, from one cache.
import type { SearchResult } from '../../../identity/ports/search-backend.ts';
import type { IndexName, SortValue } from '../../../query/query.ts';

/** A document of a page, or some elements of one. */
export interface FoundRow {
  readonly index: IndexName;
  /** Into the views of that index. */
  readonly view: number;
  readonly row: number;
  readonly score: number | null;
  readonly sort: readonly SortValue[];
  /** Which elements of the nested array, by their place in it; null: the document. */
  readonly elements: readonly number[] | null;
}

/** What a search comes to before its documents are read. */
export interface FoundPage extends Omit<SearchResult, 'hits'> {
  readonly rows: readonly FoundRow[];
}
