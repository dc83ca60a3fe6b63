// What programs mean by parameters of other APIs, of searches and lists alike.

/** What a parameter is for. */
export type Meaning = 'filters' | 'query' | 'order' | 'limit' | 'offset' | 'page' | 'count';

/** The words of each meaning, without case, `_`, `-` and `$`. */
const WORDS: Readonly<Record<Meaning, readonly string[]>> = {
  filters: ['filter', 'filters', 'where'],
  query: ['q', 'query', 'querystring', 'querytext', 'search', 'searchquery'],
  order: [
    ...['order', 'orderby', 'ordering', 'sort', 'sortby', 'sorter', 'sorters', 'sorting', 'sorts'],
  ],
  limit: [
    ...['limit', 'size', 'pagesize', 'perpage', 'pagelimit', 'top', 'first', 'take', 'max'],
    ...['maxresults', 'maxitems', 'resultsperpage', 'itemsperpage', 'recordsperpage'],
  ],
  offset: [
    ...['offset', 'from', 'skip', 'start', 'startat', 'startindex', 'startrow', 'firstresult'],
  ],
  page: ['page', 'pageno', 'pagenumber', 'pageindex', 'currentpage'],
  count: [
    ...['count', 'total', 'totalcount', 'includetotal', 'includecount', 'tracktotalhits'],
    'counttotal',
  ],
};

const MEANINGS: ReadonlyMap<string, Meaning> = new Map(
  Object.entries(WORDS).flatMap(([meaning, words]) =>
    words.map((word): [string, Meaning] => [word, meaning as Meaning]),
  ),
);

/** What a parameter means; null: unknown. @param folded its name without case, `_`, `-` and `$` */
export function meaningOf(folded: string): Meaning | null {
  return MEANINGS.get(folded) ?? null;
}
