// The execution paths of the engine, as data: each is a statement that runs when the path is taken.
// The differential run counts them (path-counts.ts) and fails when one was taken less often than
// `least` times in 1,000 cases. A statement is given by text that occurs once in its compiled file,
// so that renaming or removing a path is an error.

export interface Path {
  /** The operation that the path is one way of. */
  readonly part: string;
  readonly path: string;
  /** Path below src/, without extension. */
  readonly file: string;
  /** Text of the statement. */
  readonly statement: string;
  /** Text of a statement whose count is subtracted, to count the second and later times. */
  readonly less?: string;
  /** Minimum count in 1,000 cases. */
  readonly least: number;
}

type Row = readonly [path: string, statement: string, least: number, less?: string];

function paths(part: string, file: string, rows: readonly Row[]): Path[] {
  return rows.map(([path, statement, least, less]) => {
    return { part, path, file, statement, least, ...(less !== undefined && { less }) };
  });
}

export const PATHS: readonly Path[] = [
  ...paths('candidates of one clause', 'engine/scoring/score-window', [
    ['a clause joined apart and poured into its parent', 'other.put(this.base + at,', 5],
    ['rows left out that cannot reach the least score', 'mine &= ~bit;', 0.2],
    ['cached postings joined in a window', 'const score = scoreByKind[kinds[place]];', 50],
    ['a set of rows put into a window', 'this.marks[offset >>> 5] |= bits;', 50],
  ]),
  ...paths('candidates of one clause', 'engine/scoring/fill-window', [
    ['row by row within a window', 'window.put(row, scorer.score())', 50],
    ['advanced to the rows that another clause marked', 'const marked = window.base + at;', 50],
  ]),
  ...paths('candidates of one clause', 'engine/scoring/bit-set-scorer', [
    ['a set of rows, walked', 'let rest = this.#joined & (-1 << (target & 31));', 100],
    ['a window that begins inside a word of rows', 'rows &= -1 << (first & 31);', 20],
    ['a window that ends inside a word of rows', 'rows &= ~(-1 << (to & 31));', 20],
    ['several sets joined word by word', 'rows &= required[set][word];', 20],
    ['a set without another', 'rows &= ~excluded[set][word];', 20],
    ['any of several sets', 'bits[word] |= others[word];', 5],
  ]),
  ...paths('candidates of one clause', 'engine/matching/range-scorer', [
    ['numbers looked at in turn', 'this.#isInside = true;', 20],
    ['many rows passed without a number in range', 'this.#isInside = false;', 5],
  ]),
  ...paths('candidates of one clause', 'engine/terms/term-scorer', [
    ['postings, scored in a window', 'if (score > minScore)', 50],
    ['postings of equal score in a window', 'window.put(rows[i], score);', 2],
  ]),
  ...paths('candidates of one clause', 'engine/matching/nested-scorer', [
    ['elements one by one', 'if (!child.matches())', 50],
    ['elements in windows', 'const elements = window.borrow(', 50],
    ['several windows of elements', 'from = to;', 0.2, 'const rowCount = this.#parent.length;'],
    [
      'a document put when the next begins',
      'this.#putRoot(window);\n                    this.#row = row;',
      20,
    ],
  ]),
  ...paths('phrases', 'engine/matching/phrase-scorer', [
    ['positions read', 'cursor.read();', 50],
    ['a row left out for its frequencies alone', 'return false;\n        for (const cursor', 1],
    ['with slop', ': this.#sloppy.freq(', 10],
  ]),
  ...paths('phrases', 'engine/matching/position-cursor', [
    ['several terms in one place', 'this.positions.subarray(0, this.count).sort();', 1],
    ['more positions than there was room for', 'const larger = new Int32Array(', 1],
  ]),
  ...paths('clauses joined', 'engine/matching/conjunction-scorer', [
    ['row by row', 'other = scorer.advance(row);', 50],
    ['the lead moved to where another clause is', 'row = this.#lead.advance(other);', 50],
    ['no common row for long', 'this.#aligned = false;', 0.2],
    ['in windows', 'const unscored = this.#scoring.filter(', 20],
  ]),
  ...paths('clauses joined', 'engine/matching/disjunction-scorer', [
    ['row by row', 'rows[0] = this.#heap[0].nextDoc();', 50],
    ['several must match, or a tie breaker', 'fillByCandidates(this, window);', 5],
    ['in windows, summed', 'fillSum(this.#byMaxScore(), window, this.#minScore);', 20],
    ['in windows, the best', 'fillBest(this.#byMaxScore(), window, this.#minScore);', 2],
    ['clause by clause, added to a set', 'this.#added += 1;', 0.2],
    ['row by row after windows', 'this.#scattered = false;', 0.2],
  ]),
  ...paths('clauses joined', 'engine/scoring/disjunction-window', [
    ['clauses that are only added where others match', 'joinAtMarks(scorers[at], window', 0.2],
    ['brought to each marked row', 'advanceToMarks(window, scorer, counts, keep);', 20],
    ['gathered in a window of their own', 'window.addMarkedOf(own, keep);', 2],
  ]),
  ...paths('candidates of one clause', 'engine/scoring/row-list-scorer', [
    ['a list of rows, searched', 'this.#at = firstFrom(this.rows, ', 0.2],
    ['a list of rows put into a window', 'window.put(row, this.maxScore);', 0.2],
    ['a list of rows added to a set', 'setBit(bits, row);', 0.2],
  ]),
  ...paths('clauses joined', 'engine/matching/exclusion-scorer', [
    ['exclusion, row by row', 'const isCandidate = advanceExact(', 10],
    ['exclusion, in windows', "advanceToMarks(own, this.#excluded, 'nothing'", 1],
  ]),
  ...paths('clauses joined', 'engine/matching/known-rows', [
    ['rows to leave out counted', 'left -= countCommon(', 0.2],
    ['rows to leave out removed from a set', 'leaveOut(excluded, bits);', 0.2],
    ['documents of a set of elements', 'setBit(bits, parent[', 0.2],
  ]),
  ...paths('clauses joined', 'engine/matching/optional-scorer', [
    ['optional clause, row by row', 'this.#checkedRow = row;', 5],
    [
      'optional clause, in windows',
      "joinAtMarks(this.#optional, window, { rows, counts: 'score'",
      2,
    ],
  ]),
  ...paths('cached rows', 'engine/terms/cached-postings', [
    ['postings found in the cache', 'return done(cached);', 5],
    ['postings put into the cache', 'cache.add(POSTINGS, [segment], key,', 5],
    ['rows of a phrase', 'into.add(row, scorer.freq(), norms[row]);', 20],
  ]),
  ...paths('cached rows', 'engine/terms/term-rows', [
    ['a frequent term found in the cache', 'return done(cached);', 20],
    ['a frequent term put into the cache', 'cache.add(SETS, [field.segment], key,', 20],
    ['a frequent term asked for the first time', 'return done(null);\n    const computed', 20],
  ]),
  ...paths('cached rows', 'engine/matching/row-set-cache', [
    ['rows of a clause made', 'const matching = yield* rowsOf(view);', 20],
    ['a cursor, not kept', 'return matching;\n        const reusable', 5],
    ['rows of a clause kept', 'this.#cache.add(ROWS, [this.#views[view].segment],', 20],
    ['rows of a cursor gathered to be kept', 'const bits = yield* gatherRows(rows.scorer', 2],
  ]),
  ...paths('cached rows', 'engine/hits/row-order', [
    ['an order found in the cache', 'return cached;', 5],
    [
      'an order made',
      'const rows = yield* cache.compute(orderedRows(rowCount, keys, columns));',
      5,
    ],
    ['an order that does not pay', 'return null;\n    const rows', 2],
  ]),
  ...paths('cached rows', 'engine/hits/row-order', [
    ['elements in the order of their documents', 'byElement[row] = byRow[parent[row]];', 5],
  ]),
  ...paths('elements in order', 'engine/hits/element-order', [
    ['scanned in a cached order', 'return new OrderedHits(place, rows, order, after);', 5],
    ['collected', 'return new RankedHits(place, table, best,', 5],
    ['after a document that is gone', '? firstRow[ids.ceiling(id)]', 2],
  ]),
  ...paths('elements in order', 'engine/hits/element-rows', [
    ['elements of some documents', 'setBit(matching, row);', 20],
    ['live elements counted one by one', 'count += 1;', 5],
  ]),
  ...paths('hits', 'engine/hits/searcher', [
    [
      'all rows score alike',
      'parts.push(new RowHits(place, scorer, segmentView, knownCount));',
      20,
    ],
    ['by score, not counted', 'yield* collector.collect();', 20],
    ['by score, counted', 'count = yield* collector.collectAll();', 20],
    ['by sort keys with a score, or row by row', 'return new RankedHits(place, root, best,', 20],
    ['in an order of rows', 'return ordered.hits;', 20],
    ['counted without looking', 'total += knownCount;', 20],
  ]),
  ...paths('hits', 'engine/hits/score-collector', [
    ['a window of rows', 'const window = this.#windows.borrow(', 50],
    [
      'a later window of rows',
      'const window = this.#windows.borrow(',
      20,
      'this.#losingTieScore = losingTieScore;',
    ],
    ['windows made smaller, as rows are asked one by one', 'Math.max(this.#rows / 2, 32)', 0.2],
    ['ties looked for after the page', 'this.#collectWindow();\n        return true;', 1],
    ['deleted rows among the marked ones', 'continue;\n            count += 1;', 5],
  ]),
  ...paths('hits', 'engine/hits/collector', [
    ['counted in a set', 'return known;', 20],
    ['counted in a set that is gathered for it', 'return countBits(yield* gatherRows(', 0.2],
    ['counted row by row', 'count += countWindow(scorer, view);', 20],
    ['behind the searchAfter values', 'isAfter(places, row, after)', 20],
  ]),
  ...paths('hits', 'engine/hits/ordered-hits', [
    ['an order of rows entered in the middle', 'const middle = (low + high) >>> 1;', 20],
    ['rows of a cursor gathered', 'yield* gatherRows(scorer', 5],
    ['collected from gathered rows, as they are few', 'new BitSetScorer(matching', 5],
  ]),
  ...paths('hits', 'engine/hits/rows-in-order', [
    ['rows of an order passed that do not match', 'return false;\n        return isLive', 20],
    ['rows of an order left out that do not match', 'hits[count++] = row;', 5],
  ]),
  ...paths('hits', 'engine/hits/pass-hits', [
    ['hits passed over, not merged', 'first.rows.pass(passed);', 5],
  ]),
  ...paths('hits', 'engine/hits/hit-merge', [
    ['segments merged', 'const middle = (low + high) >>> 1;', 20],
  ]),
  ...paths('hits', 'engine/hits/inner-hits', [
    ['elements of documents', 'elements.push(row - first);', 10],
    ['elements counted', 'this.count += 1;', 10],
  ]),
  ...paths('segments', 'engine/fields/postings', [
    ['a block of postings', 'this.#freq = this.#withPositions ? 0 : 1;', 100],
    ['a later block of postings', 'this.#row = this.#lastRow(block - 1);', 20],
    ['blocks skipped', 'block += 1;', 0.2],
    // Unit tests cover blocks skipped for their best score; no world is large enough.
    ['a block of postings added to a set', 'set[row >>> 5] |= 1 << (row & 31);', 20],
    ['best score of a term, stored', 'return readImpacts(', 5],
    ['best score of a term of one block', 'norm = Math.min(norm, norms[row]);', 5],
    ['positions passed', 'if (bytes[at++] < 0x80)', 20],
    ['positions apart from their rows', 'const end = this.#skipsAt + this.#block', 5],
  ]),
  ...paths('segments', 'engine/sections/paged-section', [
    ['positions in one page', 'return this.#page(first).subarray(', 0.2],
    ['positions over several pages', 'joined.set(bytes, Math.max(0, pageAt - from));', 0.1],
    ['a page found in the cache', 'return cached;', 0.2],
    ['a page read', 'cache.add(offset, bytes, bytes.length);', 0.2],
    ['positions in memory', 'bytes ??= load();', 5],
  ]),
  ...paths('segments', 'engine/sections/live-docs', [
    ['rows deleted', 'liveDocs[row >>> 5] &= ~bit;', 20],
  ]),
  ...paths('segments', 'engine/index/segment-merger', [
    ['segments merged into one', 'versions[row] = part.versions[old];', 0.5],
  ]),
  ...paths('segments', 'backends/embedded/files/segment-index', [
    ['a section read from its file', 'return this.#fill(this.kept.bytes.subarray(', 2],
  ]),
  ...paths('threads', 'scheduling/cooperative', [
    ['at once', 'const isOver = this.#runSlice(task, ', 10],
    ['in slices', 'if (!this.#runSlice(task, sliceMs))', 10],
  ]),
  ...paths('threads', 'backends/embedded/searching/search-runner', [
    ['in a worker', 'pool.submit(job);', 10],
  ]),
  ...paths('aggregations', 'engine/aggregation/aggregator', [
    ['a set of rows at once', 'yield* collector.collectSet(set);', 20],
    ['many matches made a set', 'return commonRows(yield* gatherRows(scorer', 20],
    ['blocks of rows', 'collector.collect(rows, null, count);', 20],
    ['one row at a time, with its score', 'index.score = scorer.score();', 1],
  ]),
  ...paths('aggregations', 'engine/aggregation/bucket/keyed', [
    ['keys of one value per row', 'outRows[blockSize] = row;', 5],
    ['keys of several values per row', 'const to = start[row + 1];', 5],
    ['keys loaded row by row', 'const keys = column.load(row);', 5],
    ['keys counted', 'const counts = yield* countKeys(column, rows);', 1],
    [
      'a set of rows for each key',
      'yield* this.#collectBucket(key, commonRows(rows, set, rowCount), rowCount);',
      1,
    ],
  ]),
  ...paths('aggregations', 'engine/aggregation/keys/key-counts', [
    ['counts of chosen rows', 'yield* addRows(counts, column, rows ?? allLive', 1],
    ['counts of all rows', 'counts[ord] = column.frequency(ord);', 1],
    [
      'counts of all rows, less those of the others',
      'yield* addRows(counts, column, rowsWithout(null',
      0.2,
    ],
  ]),
  ...paths('aggregations', 'engine/aggregation/bucket/single', [
    ['filter of a set', 'return this.forwardSet(commonRows(rows, this.#matching,', 1],
    ['filter of a block', 'if (!hasRow(matching, row))', 1],
    ['rows without a value', 'if (this.#valuesOf(row) > 0)', 1],
    ['elements of a block of documents', 'const to = firstRow[rows[i] + 1];', 1],
    ['documents of a block of elements', 'last[bucket] = document + 1;', 1],
  ]),
  ...paths('aggregations', 'engine/aggregation/bucket/ranges', [
    ['ranges', 'return value >= this.#from[range] && value < this.#to[range];', 1],
    ['filters row by row', 'if (!hasRow(this.sets[at], row))', 1],
  ]),
  ...paths('aggregations', 'engine/aggregation/bucket/composite', [
    ['tuples of keys', 'const count = this.#addTuples(row, 0, 0, 0);', 1],
  ]),
  ...paths('aggregations', 'engine/aggregation/keys/index-keys', [
    ['histogram keys of several numbers per row', 'const number = this.#number(values[i]);', 1],
  ]),
  // Unit tests cover columns of more than 65,536 keys; no world is that large.
  ...paths('aggregations', 'engine/aggregation/keys/rounded-ordinals', [
    ['histogram keys of one number per row', 'const ord = keys.push(key) - 1;', 1],
  ]),
  ...paths('aggregations', 'engine/aggregation/keys/string-keys', [
    ['strings numbered when a row has them', 'number = this.#resolve(ord);', 1],
  ]),
  ...paths('aggregations', 'engine/aggregation/metric/values', [
    ['metric of one number per row', 'const value = values[rows[i]];', 5],
    ['metric of several numbers per row', 'this.add(values[at], bucket);', 5],
    [
      'metric of what stands in for a missing value',
      'this.add(missing, bucket);\n        }\n    }\n    #collectMany',
      1,
    ],
    ['strings counted', 'const values = this.#valuesOf(rows[i]) || this.#absent;', 20],
    ['percentiles', 'this.#digests[bucket].add(value);', 1],
  ]),
  ...paths('aggregations', 'engine/aggregation/metric/distinct', [
    ['distinct keys of one value per row', 'const ord = ords[rows[i]];', 1],
    ['distinct keys loaded row by row', 'const keys = column.load(rows[i]);', 1],
    ['distinct keys of a set of rows', 'const needsCounts = rows !== null || absent >= 0;', 1],
    ['distinct keys of several indexes', 'this.#keys.addTo(keys, number);', 1],
  ]),
  ...paths('aggregations', 'engine/aggregation/collecting/rows', [
    ['elements of a set of documents', 'addRange(elements, first, end);', 1],
  ]),
  ...paths('aggregations', 'engine/aggregation/collecting/collector', [
    ['a set handed on in blocks', 'collector.collect(walk.rows, null, count);', 5],
    ['rows of a filter gathered', 'yield* gatherRows(scorer, rowCount)', 1],
  ]),
];
