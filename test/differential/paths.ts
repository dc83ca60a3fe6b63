// The execution paths of the engine, which are marked in the code: `// path: NAME` before the
// statement, or `/* path: NAME */` before the expression, that runs when the path is taken. The
// differential run counts them (path-counts.ts) and fails when one was taken less often than its row
// here says. A marker without a row, and a row without its marker, are errors.

/** Minimum count in 1,000 cases, or how often more than another path of the same file. */
type Least = number | { readonly more: number; readonly than: string };

export interface Path {
  /** Path below src/, without extension. */
  readonly file: string;
  readonly name: string;
  readonly least: Least;
}

const ROWS: Readonly<Record<string, Readonly<Record<string, Least>>>> = {
  'engine/scoring/score-window': {
    'moved into the parent window': 5,
    'row below the least score': 0.2,
    'cached posting': 50,
    'set of rows': 50,
  },
  'engine/scoring/fill-window': {
    'row by row': 50,
    'advanced to marked rows': 50,
  },
  'engine/scoring/bit-set-scorer': {
    'next row': 100,
    'first word cut': 20,
    'last word cut': 20,
    'several sets': 20,
    'without a set': 20,
    'any of several sets': 5,
  },
  'engine/matching/range-scorer': {
    'number in range': 20,
    'no number in range for long': 5,
  },
  'engine/terms/term-scorer': {
    scored: 50,
    'one score': 2,
  },
  'engine/matching/nested-scorer': {
    'elements one by one': 50,
    'filled in windows': 50,
    'window of elements': { more: 0.2, than: 'filled in windows' },
    'next document': 20,
  },
  'engine/matching/phrase-scorer': {
    'positions read': 50,
    'left out for its frequencies': 1,
    'with slop': 10,
  },
  'engine/matching/position-cursor': {
    'several terms': 1,
    'more room': 1,
  },
  'engine/matching/conjunction-scorer': {
    'row by row': 50,
    'lead advanced': 50,
    'no common row for long': 0.2,
    'in windows': 20,
  },
  'engine/matching/disjunction-scorer': {
    'row by row': 50,
    'several must match': 5,
    'scores summed': 20,
    'best score': 2,
    'clause added to a set': 0.2,
    'row by row after windows': 0.2,
  },
  'engine/scoring/disjunction-window': {
    'clause that adds no rows': 0.2,
    'advanced to marked rows': 20,
    'gathered in a window': 2,
  },
  'engine/scoring/row-list-scorer': {
    'list searched': 0.2,
    'put into a window': 0.2,
    'added to a set': 0.2,
  },
  'engine/matching/exclusion-scorer': {
    'row by row': 10,
    'in windows': 1,
  },
  'engine/matching/known-rows': {
    'excluded rows counted': 0.2,
    'excluded rows removed': 0.2,
    'documents of elements': 0.2,
  },
  'engine/matching/optional-scorer': {
    'row by row': 5,
    'in windows': 2,
  },
  'engine/terms/cached-postings': {
    'in the cache': 5,
    'put into the cache': 5,
    'row of a phrase': 20,
  },
  'engine/terms/term-rows': {
    'in the cache': 20,
    'put into the cache': 20,
    'first use': 20,
  },
  'engine/matching/row-set-cache': {
    'rows computed': 20,
    'cursor not kept': 5,
    'rows kept': 20,
    'cursor gathered': 2,
  },
  'engine/hits/row-order': {
    'in the cache': 5,
    'order made': 5,
    'order does not pay': 2,
    'elements ordered by document': 5,
  },
  'engine/hits/element-order': {
    'order scanned': 5,
    collected: 5,
    'after a deleted document': 2,
  },
  'engine/hits/element-rows': {
    'element of a document': 20,
    'live element counted': 5,
  },
  'engine/hits/searcher': {
    'equal scores': 20,
    'by score, not counted': 20,
    'by score, counted': 20,
    'by sort keys': 20,
    'in row order': 20,
    'count known': 20,
  },
  'engine/hits/score-collector': {
    'segment by score': 50,
    'window of rows': { more: 20, than: 'segment by score' },
    'smaller window': 0.2,
    ties: 1,
    'deleted row': 5,
  },
  'engine/hits/collector': {
    'count known': 20,
    gathered: 0.2,
    'row by row': 20,
    searchAfter: 20,
  },
  'engine/hits/ordered-hits': {
    'entered in the middle': 20,
    'cursor gathered': 5,
    'few rows gathered': 5,
  },
  'engine/hits/rows-in-order': {
    'no match': 20,
    'match kept': 5,
  },
  'engine/hits/pass-hits': {
    'hits passed over': 5,
  },
  'engine/hits/hit-merge': {
    'segments merged': 20,
  },
  'engine/hits/inner-hits': {
    'element found': 10,
    'element counted': 10,
  },
  'engine/fields/postings': {
    'block of postings': 100,
    'later block of postings': 20,
    'block skipped': 0.2,
    // Unit tests cover blocks skipped for their best score; no world is large enough.
    'added to a set': 20,
    'stored best score': 5,
    'best score of one block': 5,
    'position passed': 20,
    'positions stored apart': 5,
  },
  'engine/sections/paged-section': {
    'one page': 0.2,
    'several pages': 0.1,
    'in the cache': 0.2,
    'page read': 0.2,
    'in memory': 5,
  },
  'engine/sections/live-docs': {
    'row deleted': 20,
  },
  'engine/index/segment-merger': {
    'document merged': 0.5,
  },
  'backends/embedded/files/segment-index': {
    'section read': 2,
  },
  'scheduling/cooperative': {
    'first slice': 10,
    'later slice': 10,
  },
  'backends/embedded/searching/thread-indexes': {
    'in another thread': 10,
  },
  'engine/aggregation/aggregator': {
    'a set': 20,
    'matches gathered': 20,
    'block of rows': 20,
    'with scores': 1,
  },
  'engine/aggregation/bucket/keyed': {
    'one value': 5,
    'several values': 5,
    'keys loaded': 5,
    'keys counted': 1,
    'set of each key': 1,
  },
  'engine/aggregation/keys/key-counts': {
    'chosen rows': 1,
    'all rows': 1,
    'all but the others': 0.2,
  },
  'engine/aggregation/bucket/single': {
    'filter of a set': 1,
    'filter of a block': 1,
    'row without a value': 1,
    'elements of documents': 1,
    'documents of elements': 1,
  },
  'engine/aggregation/bucket/ranges': {
    'a range': 1,
    'a filter': 1,
  },
  'engine/aggregation/bucket/composite': {
    tuples: 1,
  },
  'engine/aggregation/keys/index-keys': {
    'several numbers': 1,
  },
  // Unit tests cover columns of more than 65,536 keys; no world is that large.
  'engine/aggregation/keys/rounded-ordinals': {
    'one number': 1,
  },
  'engine/aggregation/keys/string-keys': {
    'numbered when used': 1,
  },
  'engine/aggregation/metric/values': {
    'one number': 5,
    'several numbers': 5,
    'missing value': 1,
    'values counted': 20,
    percentiles: 1,
  },
  'engine/aggregation/metric/distinct': {
    'one value': 1,
    'keys loaded': 1,
    'set of rows': 1,
    'several indexes': 1,
  },
  'engine/aggregation/collecting/rows': {
    'elements of documents': 1,
  },
  'engine/aggregation/collecting/collector': {
    'set in blocks': 5,
    'filter gathered': 1,
  },
};

export const PATHS: readonly Path[] = Object.entries(ROWS).flatMap(([file, names]) =>
  Object.entries(names).map(([name, least]) => ({ file, name, least })),
);
