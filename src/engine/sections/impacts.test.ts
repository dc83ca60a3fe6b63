import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BlockPostings } from '../fields/postings.ts';
import { PostingsWriter } from '../fields/postings-writer.ts';
import { Bm25, IndexStatistics, idf } from '../scoring/bm25.ts';
import { ByteList } from './growable.ts';
import {
  bestScore,
  bestStored,
  type Impacts,
  ImpactsCollector,
  readImpacts,
  writeImpacts,
} from './impacts.ts';
import { wholeRanges } from './paged-section.ts';
import { NO_MORE_DOCS } from './segment.ts';

type Pair = readonly [freq: number, norm: number];

const SIMILARITIES = [1, 0.5, 8].map((boost, at) => {
  const docCount = 1000 + 10 * at;
  const statistics = new IndexStatistics(docCount, docCount * (1 + 30 * at));
  return new Bm25(boost, idf(1 + 300 * at, docCount), statistics);
});

/** Rows of few or many different frequencies and lengths, some beyond what is stored. */
const rowsOf = (length: { minLength: number; maxLength: number }) =>
  fc
    .tuple(fc.constantFrom(1, 2, 9, 60, 700), fc.constantFrom(1, 2, 9, 200))
    .chain(([freqs, norms]) =>
      fc.array(fc.tuple(fc.integer({ min: 1, max: freqs }), fc.integer({ min: 1, max: norms })), {
        ...length,
        size: 'max',
      }),
    );

function collected(rows: readonly Pair[]): Impacts {
  const collector = new ImpactsCollector();
  for (const [freq, norm] of rows) collector.add(freq, norm);
  return collector.finish();
}

function best(rows: readonly Pair[], similarity: Bm25): number {
  return Math.max(...rows.map(([freq, norm]) => similarity.score(freq, norm)));
}

test('the best score of the impacts is the best score of the rows, for any statistics', () => {
  fc.assert(
    fc.property(rowsOf({ minLength: 1, maxLength: 300 }), (rows) => {
      const impacts = collected(rows);
      for (const similarity of SIMILARITIES) {
        const bound = bestScore(impacts, similarity);
        // Frequencies beyond the stored ones count as unbounded.
        if (rows.every(([freq]) => freq < 255)) assert.equal(bound, best(rows, similarity));
        else assert.ok(bound >= best(rows, similarity));
      }
    }),
  );
});

test('impacts are read as they were written; too many pairs become a bound of all', () => {
  fc.assert(
    fc.property(rowsOf({ minLength: 1, maxLength: 300 }), (rows) => {
      const impacts = collected(rows);
      const out = new ByteList();
      out.uint32(7);
      writeImpacts(impacts, out);
      const stored = readImpacts(out.data, 4);
      assert.equal(out.length, 12);
      if (impacts.pairs.length <= 8) {
        const isUnbounded = impacts.pairs[0]! >= 255;
        assert.deepEqual(stored.isUniform, impacts.isUniform && !isUnbounded);
        if (!isUnbounded) assert.deepEqual(stored.pairs, impacts.pairs);
      }
      for (const similarity of SIMILARITIES) {
        const bound = bestScore(stored, similarity);
        assert.ok(bound >= best(rows, similarity));
        assert.equal(bestStored(out.data, 4, similarity), bound);
      }
    }),
  );
});

test('a collector is empty again after its impacts were taken', () => {
  const collector = new ImpactsCollector();
  collector.add(900, 1);
  collector.add(3, 2);
  collector.finish();
  collector.add(2, 9);
  assert.deepEqual(collector.finish(), { pairs: [2, 9], isUniform: true });
});

/** A cursor over rows 0, 3, 6 … with these pairs, and their norms by row. */
function postingsOf(pairs: readonly Pair[]): { cursor: () => BlockPostings; norms: Uint8Array } {
  const norms = new Uint8Array(pairs.length * 3);
  for (const [at, [, norm]] of pairs.entries()) norms[at * 3] = norm;
  const writer = new PostingsWriter(1, norms);
  for (const [at, [freq]] of pairs.entries()) {
    writer.doc(at * 3);
    for (let position = 0; position < freq; position++) writer.position(position);
  }
  writer.endTerm();
  const { bytes, starts, positions } = writer.finish();
  const ranges = wholeRanges(() => positions);
  return { cursor: () => new BlockPostings(bytes, starts[0]!, ranges), norms };
}

test('the impacts of a term bound its rows, in one block and in several', () => {
  fc.assert(
    fc.property(rowsOf({ minLength: 1, maxLength: 400 }), (pairs) => {
      const { cursor, norms } = postingsOf(pairs);
      const postings = cursor();
      const impacts = postings.impacts(norms);
      const [freq, norm] = pairs[0]!;
      const isUniform = pairs.every((pair) => pair[0] === freq && pair[1] === norm);
      if (freq < 255) assert.equal(impacts.isUniform, isUniform);
      if (impacts.isUniform) assert.deepEqual(impacts.pairs, [freq, norm]);
      for (const similarity of SIMILARITIES) {
        assert.ok(bestScore(impacts, similarity) >= best(pairs, similarity));
      }
      assert.equal(postings.docId(), -1, 'the cursor has not moved');
      assert.equal(postings.nextDoc(), 0);
    }),
    { numRuns: 50 },
  );
});

test('blocks whose best row scores too little are skipped, and no row that scores more', () => {
  const [similarity] = SIMILARITIES as [Bm25];
  // Ten blocks; long texts but for one short text in each of the fourth and eighth.
  const pairs = Array.from({ length: 1280 }, (_, at): Pair => [1, at % 512 === 400 ? 2 : 40]);
  const least = similarity.score(1, 40);
  const competitive = [3, 7];
  for (const step of [1, 5, 200, 1000]) {
    const postings = postingsOf(pairs).cursor();
    postings.skipBelow(similarity, least);
    for (let row = postings.nextDoc(); row !== NO_MORE_DOCS; row = postings.advance(row + step)) {
      assert.ok(competitive.includes(Math.floor(row / 3 / 128)), `row ${row}`);
    }
  }
  const postings = postingsOf(pairs).cursor();
  for (let row = postings.nextDoc(); row < 3 * 128; row = postings.nextDoc());
  postings.skipBelow(similarity, least);
  assert.equal(postings.advance(3 * 200), 3 * 200, 'the current block is not left');
  assert.equal(postings.advance(3 * 400), 3 * 400);
  assert.equal(postings.advance(3 * 600), 3 * 896);
  assert.equal(postings.advance(3 * 1100), NO_MORE_DOCS);
});

test('rows are taken from the blocks that are left', () => {
  const [similarity] = SIMILARITIES as [Bm25];
  const pairs = Array.from({ length: 1280 }, (_, at): Pair => [at === 700 ? 3 : 1, 9]);
  const postings = postingsOf(pairs).cursor();
  postings.skipBelow(similarity, similarity.score(1, 9));
  assert.equal(postings.nextDoc(), 640 * 3);
  const rows = new Int32Array(128);
  const count = postings.take(NO_MORE_DOCS, rows, new Int32Array(128));
  assert.deepEqual([count, rows[60]], [128, 2100]);
  assert.equal(postings.docId(), NO_MORE_DOCS);
});
