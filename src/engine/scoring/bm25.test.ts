import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { intToByte4 } from '../fields/norms.ts';
import { Bm25, IndexStatistics, idf } from './bm25.ts';
import { boostedScope } from './weight.ts';

describe('BM25 agrees with its formula, rounded to 32-bit floats', () => {
  // [docFreq, docCount, tokens in all, freq, length, boost, score]. The first is the score Lucene
  // gives to the only word of the only document; the others are computed by hand.
  const table = [
    [1, 1, 1, 1, 1, 1, 0.13076457],
    [1, 1, 1, 1, 1, 2, 0.26152915],
    [1, 2, 4, 1, 2, 1, 0.31506687],
    [1, 10, 50, 3, 5, 1, 1.4231644],
    [10, 10, 50, 1, 5, 1, 0.02114546],
    [3, 1000, 20000, 2, 41, 1, 2.7590204],
  ] as const;
  for (const [docFreq, docCount, sumTotalTermFreq, freq, length, boost, expected] of table) {
    test(`freq ${freq} in ${length} words, ${docFreq} of ${docCount} documents: ${expected}`, () => {
      const statistics = new IndexStatistics(docCount, sumTotalTermFreq);
      const similarity = new Bm25(boost, idf(docFreq, docCount), statistics);
      const score = similarity.score(freq, intToByte4(length));
      assert.ok(Math.abs(score - expected) < 1e-6, `${score}`);
      assert.equal(score, Math.fround(score));
    });
  }
});

test('a term in every document still has some weight', () => {
  assert.ok(idf(1000, 1000) > 0);
});

test('the largest boosts give finite scores, in the order of the frequencies', () => {
  const statistics = new IndexStatistics(100, 1_000);
  const { boost } = boostedScope({ path: null, scoring: true, boost: 1e38 }, 1e38);
  const similarity = new Bm25(boost, idf(1, 100), statistics);
  const scores = [1, 2, 3].map((freq) => similarity.score(freq, 5));
  assert.ok(scores.every(Number.isFinite), scores.join(' '));
  assert.deepEqual(
    scores,
    [...scores].sort((a, b) => a - b),
  );
});
