// Lucene's explanations with the engine's descriptions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LuceneExplanation } from './requests/search-response.ts';
import { scoreDetail } from './score-words.ts';

const of = (
  value: number,
  description: string,
  ...details: LuceneExplanation[]
): LuceneExplanation => ({ value, description, details });

const idf = of(
  0.5,
  'idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:',
  of(1, 'n, number of documents containing term'),
  of(2, 'N, total number of documents with field'),
);
const tf = of(
  0.4,
  'tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:',
  of(1, 'freq, occurrences of term within document'),
  of(3, 'dl, length of field'),
);
const limit = of(0, 'match on required clause, product of:', of(0, '# clause'));
const weight = (text: string, ...factors: LuceneExplanation[]): LuceneExplanation =>
  of(
    0.4,
    `weight(name.words:${text} in 3) [PerFieldSimilarity], result of:`,
    of(0.4, 'score(freq=1.0), computed as boost * idf * tf from:', ...factors),
  );

const IDF = {
  value: 0.5,
  description: '"ada": log(1 + (N - n + 0.5) / (n + 0.5))',
  details: [
    { value: 1, description: 'n, rows with the term' },
    { value: 2, description: 'N, rows with the field' },
  ],
};
const TF = {
  value: 0.4,
  description: 'tf: freq / (freq + k1 * (1 - b + b * length / average))',
  details: [
    { value: 1, description: 'freq, occurrences' },
    { value: 3, description: 'length, words in the field, rounded as it is stored' },
  ],
};

test('a term is explained by its boost, idf and tf, at any depth', () => {
  const best = of(0.4, 'Score based on 1 child docs', weight('ada', of(2, 'boost'), idf, tf));
  assert.deepEqual(scoreDetail(of(0.4, 'sum of:', best, limit)), {
    value: 0.4,
    description: '"ada": boost * idf * tf',
    details: [
      { value: 2, description: 'boost' },
      { value: 0.5, description: 'idf', details: [IDF] },
      TF,
    ],
  });
});

test('a phrase has the idf of each of its terms; a boost of one is shown too', () => {
  const both = of(1, 'idf, sum of:', idf, idf);
  const detail = scoreDetail(weight('"ada (bob)"~1', both, tf));
  assert.equal(detail?.description, '"ada" "bob": boost * idf * tf');
  assert.deepEqual(detail?.details?.[0], { value: 1, description: 'boost' });
  assert.equal(detail?.details?.[1]?.description, 'idf, the sum over the terms');
  assert.deepEqual(
    detail?.details?.[1]?.details?.map(({ description }) => description.slice(0, 5)),
    ['"ada"', '"bob"'],
  );
});

test('the terms that a prefix expands to are in their order', () => {
  const [one, two, three] = [1, 2, 3].map((value) => ({ ...idf, value }));
  assert.ok(one && two && three);
  const both = of(6, 'idf, sum of:', one, two, three);
  const detail = scoreDetail(weight('"ada (bobby bob)"', both, tf));
  assert.deepEqual(
    detail?.details?.[1]?.details?.map(({ value, description }) => [
      value,
      description.slice(0, description.indexOf(':')),
    ]),
    [
      [1, '"ada"'],
      [3, '"bob"'],
      [2, '"bobby"'],
    ],
  );
});

test('several terms are summed, and an explanation without terms is null', () => {
  const detail = scoreDetail(of(0.8, 'sum of:', weight('ada', idf, tf), weight('adan', idf, tf)));
  assert.equal(detail?.value, 0.8);
  assert.equal(detail?.description, 'sum over the terms that are there');
  assert.equal(detail?.details?.length, 2);
  assert.equal(scoreDetail(limit), null);
});
