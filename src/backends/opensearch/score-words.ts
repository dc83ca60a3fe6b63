// The score of a term or phrase from OpenSearch's explanation: Lucene's figures with the
// descriptions of the embedded engine's explanations (engine/scoring/bm25.ts). The nodes around
// them, such as the filter for one document and the best element, are skipped.
import { compareCodePoints } from '../../engine/sections/utf8.ts';
import type { ScoreDetail } from '../../query/plan-clause.ts';
import type { LuceneExplanation } from './requests/search-response.ts';

/** The prefixes of Lucene's descriptions (BM25Similarity.explain) and ours. */
const DESCRIPTIONS: readonly (readonly [lucene: string, ours: string])[] = [
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

/** Returns null if no term scores. */
export function scoreDetail(explanation: LuceneExplanation): ScoreDetail | null {
  const details = weightsIn(explanation).map(weightDetail);
  const [only] = details;
  if (only === undefined || details.length === 1) return only ?? null;
  const value = details.reduce((sum, detail) => sum + detail.value, 0);
  return { value, description: 'sum over the terms that are there', details };
}

const WEIGHT = /^weight\([^:]*:(.*) in \d+\) \[/s;

function weightsIn(explanation: LuceneExplanation): LuceneExplanation[] {
  if (WEIGHT.test(explanation.description)) return [explanation];
  return explanation.details.flatMap(weightsIn);
}

function weightDetail({ value, description, details }: LuceneExplanation): ScoreDetail {
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
      ...others.map(detailOf),
    ],
  };
}

/** A term and its explained idf. */
interface Term {
  readonly text: string;
  readonly idf: LuceneExplanation | undefined;
}

/** Reads `ada`, or `"ada (bob bobby)"~2`: the terms at each position of a phrase. */
function placesOf(text: string): readonly (readonly string[])[] {
  const phrase = /^"(.*)"(~\d+)?$/s.exec(text)?.[1];
  if (phrase === undefined) return [[text]];
  const places = phrase.match(/\([^)]*\)|[^\s()]+/g) ?? [];
  return places.map((place) => place.split(/[\s()]+/).filter((term) => term !== ''));
}

/** Lucene lists the terms of a prefix in no particular order. */
function inOrder(
  places: readonly (readonly string[])[],
  each: readonly (LuceneExplanation | undefined)[],
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
    details: idf?.details.map(detailOf) ?? [],
  };
}

function detailOf({ value, description, details }: LuceneExplanation): ScoreDetail {
  const wording = DESCRIPTIONS.find(([lucene]) => description.startsWith(lucene));
  return {
    value,
    description: wording?.[1] ?? description,
    ...(details.length > 0 && { details: details.map(detailOf) }),
  };
}
