// The values of a field that contain a phrase, found by looking at one row of each value. Where the
// field has few values this costs far less than reading the positions of all rows.
import type { QueryCache } from '../index/query-cache.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import type { PhraseScorer } from '../matching/phrase-scorer.ts';
import type { Scorer } from '../matching/scorer.ts';
import { TermSetScorer } from '../matching/term-scorer.ts';
import { termScorer } from '../matching/term-weight.ts';
import { countBits, newBitSet, setBit } from '../rows/bit-set.ts';
import type { Bm25 } from '../scoring/bm25.ts';
import { ImpactsCollector, samplesFor } from '../scoring/impacts.ts';
import type { FieldTerms, Impacts } from './field-terms.ts';

/** The values that contain a phrase. */
export interface MatchingValues {
  /** Their exact ordinals. */
  readonly ords: readonly number[];
  /** Of the phrase in their rows; of no meaning if the phrase is not scored. */
  readonly impacts: Impacts;
}

/** Number of rows looked at before the generator yields. */
const SAMPLES_PER_YIELD = 256;

/**
 * The values that contain a phrase; null if looking at all of its rows costs no more.
 * @param phrase over the words of the field; it is moved
 */
export function* valuesWith(
  words: FieldTerms,
  phrase: PhraseScorer,
): Generator<void, MatchingValues | null> {
  const samples = yield* samplesFor(words, phrase.cost);
  const { norms } = words;
  if (samples === null || norms === null) return null;
  const ords: number[] = [];
  const impacts = new ImpactsCollector();
  for (const [at, row] of samples.rows.entries()) {
    const found = phrase.docId() < row ? phrase.advance(row) : phrase.docId();
    if (found === NO_MORE_DOCS) break;
    if (found === row && phrase.matches()) {
      ords.push(samples.ords[at]!);
      impacts.add(phrase.freq(), norms[row]!);
    }
    if (at % SAMPLES_PER_YIELD === SAMPLES_PER_YIELD - 1) yield;
  }
  return { ords, impacts: impacts.finish() };
}

/**
 * The rows of one or more values.
 * @param values the whole values of the field
 * @param similarity null when no scores are needed; otherwise the impacts are uniform
 */
export function* valueRows(
  values: FieldTerms,
  { ords, impacts }: MatchingValues,
  similarity: Bm25 | null,
  cache: QueryCache,
): Generator<void, Scorer> {
  const scoring = { similarity, impacts: similarity === null ? null : impacts, cache };
  const [only] = ords;
  if (only !== undefined && ords.length === 1) return yield* termScorer(values, only, scoring);
  const set = newBitSet(values.terms.size);
  for (const ord of ords) setBit(set, ord);
  const bits = yield* values.rows({
    from: 0,
    to: values.terms.size,
    only: set,
    count: ords.length,
  });
  return new TermSetScorer({ bits, count: countBits(bits, null) }, similarity, scoring.impacts);
}
