import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchSegments } from '../../../test/support/engine-search.ts';
import { sourceDocument, testMapping, testSegment } from '../../../test/support/segments.ts';
import type { Query } from '../../query/query.ts';
import { QueryCache } from '../index/query-cache.ts';
import { Bm25, IndexStatistics, idf } from '../scoring/bm25.ts';
import { joinAtMarks } from '../scoring/disjunction-window.ts';
import { fillWindow } from '../scoring/fill-window.ts';
import { WindowPool } from '../scoring/score-window.ts';
import { liveView, withDeleted } from '../sections/live-docs.ts';
import { NO_MORE_DOCS, type SegmentView } from '../sections/segment.ts';
import { cachedPostings } from './cached-postings.ts';
import { CachedPostingsScorer } from './cached-postings-scorer.ts';
import { type FieldTerms, fieldTerms } from './field-terms.ts';
import { TermScorer } from './term-scorer.ts';

const MAPPING = testMapping({ id: 'keyword', name: 'text' }, []);
const COUNT = 1000;
const CACHE = new QueryCache();
const WINDOWS = new WindowPool();
const BY_SCORE = { field: '_score', order: 'desc', type: 'score' } as const;

/** The word one to three times in a text of one to seven words; every fifth row lacks it. */
function nameOf(row: number): string {
  const times = row % 5 === 0 ? 0 : 1 + (row % 3);
  return `${'ada '.repeat(times)}${'bob '.repeat(row % 4)}x`;
}

function view(rows = COUNT): SegmentView {
  const documents = Array.from({ length: rows }, (_, row) => {
    return sourceDocument(`d${String(row).padStart(4, '0')}`, { name: nameOf(row) }, []);
  });
  return liveView(testSegment(MAPPING, documents));
}

function wordsOf(segment: SegmentView): FieldTerms {
  const field = fieldTerms(segment, { path: null, cache: CACHE }, 'name', 'word');
  assert.ok(field);
  return field;
}

function drive<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function scorers(field: FieldTerms): { cached: CachedPostingsScorer; plain: TermScorer } {
  const ord = field.terms.find('ada');
  drive(cachedPostings(field, ord, CACHE));
  const cached = drive(cachedPostings(field, ord, CACHE));
  const postings = field.postings(ord);
  assert.ok(cached);
  assert.ok(postings);
  const weight = idf(field.docFreq(ord), field.statistics.docCount);
  const { docCount, sumTotalTermFreq } = field.statistics;
  const statistics = new IndexStatistics(docCount, sumTotalTermFreq);
  const similarity = new Bm25(2, weight, statistics);
  return {
    cached: new CachedPostingsScorer(cached, similarity),
    plain: new TermScorer(postings, similarity, field.norms, null),
  };
}

test('caches the postings of a word on second use, unless they are short', () => {
  const field = wordsOf(view());
  const ord = field.terms.find('ada');
  assert.equal(drive(cachedPostings(field, ord, CACHE)), null);
  assert.equal(drive(cachedPostings(field, ord, CACHE))?.rows.length, 800);
  const few = wordsOf(view(100));
  for (let times = 0; times < 3; times++) {
    assert.equal(drive(cachedPostings(few, few.terms.find('ada'), CACHE)), null);
  }
});

test('cached postings have the rows and scores of postings, by nextDoc, advance and windows', () => {
  for (const step of [1, 2, 7, 64, 300]) {
    const { cached, plain } = scorers(wordsOf(view()));
    for (let target = 0; plain.docId() !== NO_MORE_DOCS; target = plain.docId() + step) {
      assert.equal(cached.advance(target), plain.advance(target));
      if (plain.docId() === NO_MORE_DOCS) break;
      assert.ok(cached.matches() && plain.matches());
      assert.equal(cached.score(), plain.score());
      if (step === 7) assert.equal(cached.nextDoc(), plain.nextDoc());
    }
  }
  for (const minScore of [-1, 0.3]) {
    const { cached, plain } = scorers(wordsOf(view()));
    const windows = [cached, plain].map((scorer) => {
      scorer.setMinScore(minScore);
      const contents: number[][] = [];
      for (const [from, to] of [[0, 32] as const, [64, 512] as const, [512, COUNT] as const]) {
        const window = WINDOWS.borrow(from, to, COUNT, 'sum');
        fillWindow(scorer, window);
        contents.push([...window.scores], [...window.marks]);
        window.scores.fill(0);
        window.marks.fill(0);
        window.giveBack();
      }
      return contents;
    });
    assert.deepEqual(windows[0], windows[1]);
  }
});

test('cached postings of an optional clause add their score once to marked rows only', () => {
  const { cached, plain } = scorers(wordsOf(view()));
  for (const [from, to] of [[0, 512] as const, [608, COUNT] as const]) {
    const marked = WINDOWS.borrow(from, to, COUNT, 'sum');
    const filled = WINDOWS.borrow(from, to, COUNT, 'sum');
    fillWindow(plain, filled);
    for (let row = from; row < to; row += 7) marked.put(row, 1);
    const before = marked.marks.slice();
    const rows = marked.countMarked();
    joinAtMarks(cached, marked, { rows, counts: 'score', keep: 'all' });
    assert.deepEqual(marked.marks, before);
    for (let row = from; row < to; row++) {
      const expected = row % 7 === from % 7 ? 1 + filled.scores[row - from]! : 0;
      assert.equal(marked.scores[row - from], expected, `row ${row}`);
    }
    assert.ok(cached.docId() >= to);
    for (const window of [marked, filled]) {
      window.scores.fill(0);
      window.marks.fill(0);
      window.giveBack();
    }
  }
});

test('guaranteedScore is a score that as many rows have, and -1 for more rows than there are', () => {
  const { cached } = scorers(wordsOf(view()));
  const scores: number[] = [];
  while (cached.nextDoc() !== NO_MORE_DOCS) if (cached.matches()) scores.push(cached.score());
  assert.equal(Math.max(...scores), cached.maxScore);
  for (const count of [1, 2, 10, 100, 799, 800]) {
    const score = cached.guaranteedScore(count);
    assert.ok(score > 0);
    assert.ok(scores.filter((other) => other >= score).length >= count, `${count} rows`);
  }
  assert.equal(cached.guaranteedScore(801), -1);
});

test('deleted rows do not count for the guaranteed score', () => {
  const whole = view();
  const query: Query = { kind: 'term', field: 'name', form: 'word', value: 'ada' };
  const all = searchSegments(MAPPING, [whole], query, { sort: [BY_SCORE], size: COUNT });
  const deleted = all.docs.slice(0, 40).map(({ row }) => row);
  const remaining = withDeleted(whole, deleted);
  for (let times = 0; times < 3; times++) {
    const { docs } = searchSegments(MAPPING, [remaining], query, {
      ...{ sort: [BY_SCORE], size: 10, trackTotal: false },
    });
    const expected = all.docs.slice(40, 50).map(({ row }) => row);
    assert.deepEqual(
      docs.map(({ row }) => row),
      expected,
    );
  }
});

test('a repeated phrase has the same scores', () => {
  const segment = view();
  const query: Query = { kind: 'phrase', field: 'name', terms: ['ada', 'bob'], slop: 0 };
  const search = () => {
    return searchSegments(MAPPING, [segment], query, { sort: [BY_SCORE], size: COUNT }).docs;
  };
  const first = search();
  assert.ok(first.length > 400);
  assert.deepEqual(search(), first);
  assert.deepEqual(search(), first);
});
