// How the score of a term or phrase came about, from what OpenSearch explains: Lucene's figures under the names that the
// embedded engine's explanations have (engine/scoring/bm25.ts). What stands around them, as the limit to one document
// and the best element do, is passed over.
import { compareCodePoints } from '../../engine/fields/utf8.ts';
import type { ScoreDetail } from '../../query/explain/plan-clause.ts';
import type { FoundExplanation } from './search-answer.ts';

/** Lucene's BM25Similarity.explain begins its descriptions so. */
const WORDS: readonly (readonly [lucene: string, ours: string])[] = [
  ['boost', 'boost'],
  ['n, ', 'n, rows with the term'],
  ['N, ', 'N, rows with the field'],
  ['tf, ', 'tf: freq / (freq + k1 * (1 - b + b * length / average))'],
  ['freq, ', 'freq, occurrences'],
  ['phraseFreq=', 'freq, occurrences'],
  ['k1, ', 'k1'],
  ['b, ', 'b'],
  ['dl, ', 'length, words in the field, rounded as it is stored'],
  ['avgdl, ', 'average length'],
];

/** Null where there are no terms that score. */
export function scoreDetail(explanation: FoundExplanation): ScoreDetail | null {
  const details = weightsIn(explanation).map(weightDetail);
  const [only] = details;
  if (only === undefined || details.length === 1) return only ?? null;
  const value = details.reduce((sum, detail) => sum + detail.value, 0);
  return { value, description: 'sum over the terms that are there', details };
}

const WEIGHT = /^weight\([^:]*:(.*) in \d+\) \[/s;

function weightsIn(explanation: FoundExplanation): FoundExplanation[] {
  if (WEIGHT.test(explanation.description)) return [explanation];
  return explanation.details.flatMap(weightsIn);
}

function weightDetail({ value, description, details }: FoundExplanation): ScoreDetail {
  const factors = details[0]?.details ?? [];
  const boost = factors.find((factor) => factor.description.startsWith('boost'));
  const idf = factors.find((factor) => factor.description.startsWith('idf, '));
  const others = factors.filter((factor) => factor !== boost && factor !== idf);
  const each = idf?.description.startsWith('idf, sum') ? idf.details : [idf];
  const terms = inOrder(placesOf(WEIGHT.exec(description)?.[1] ?? ''), each);
  return {
    value,
    description: `${terms.map(({ text }) => JSON.stringify(text)).join(' ')}: boost * idf * tf`,
    details: [
      { value: boost?.value ?? 1, description: 'boost' },
      {
        value: idf?.value ?? 0,
        description: terms.length === 1 ? 'idf' : 'idf, the sum over the terms',
        details: terms.map(idfDetail),
      },
      ...others.map(told),
    ],
  };
}

/** A term and how rare it is. */
interface Term {
  readonly text: string;
  readonly idf: FoundExplanation | undefined;
}

/** `ada`, or `"ada (bob bobby)"~2`: the terms of each place of a phrase. */
function placesOf(text: string): readonly (readonly string[])[] {
  const phrase = /^"(.*)"(~\d+)?$/s.exec(text)?.[1];
  if (phrase === undefined) return [[text]];
  const places = phrase.match(/\([^)]*\)|[^\s()]+/g) ?? [];
  return places.map((place) => place.split(/[\s()]+/).filter((term) => term !== ''));
}

/** Lucene tells the terms that a prefix stands for in no order. */
function inOrder(
  places: readonly (readonly string[])[],
  each: readonly (FoundExplanation | undefined)[],
): readonly Term[] {
  let at = 0;
  return places.flatMap((place) =>
    place
      .map((text): Term => ({ text, idf: each[at++] }))
      .sort((a, b) => compareCodePoints(a.text, b.text)),
  );
}

function idfDetail({ text, idf }: Term): ScoreDetail {
  return {
    value: idf?.value ?? 0,
    description: `${JSON.stringify(text)}: log(1 + (N - n + 0.5) / (n + 0.5))`,
    details: idf?.details.map(told) ?? [],
  };
}

function told({ value, description, details }: FoundExplanation): ScoreDetail {
  const words = WORDS.find(([lucene]) => description.startsWith(lucene));
  return {
    value,
    description: words?.[1] ?? description,
    ...(details.length > 0 && { details: details.map(told) }),
  };
}
