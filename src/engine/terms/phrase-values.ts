// The values of a field that contain a phrase, found by looking at one row of each value. Where the
// field has few values this costs far less than reading the positions of all rows.

import { type Impacts, ImpactsCollector } from '../fields/impacts.ts';
import type { QueryCache } from '../index/query-cache.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import type { PhraseScorer } from '../matching/phrase-scorer.ts';
import type { Scorer } from '../matching/scorer.ts';
import { TermSetScorer } from '../matching/term-scorer.ts';
import { uniformTermScorer } from '../matching/term-weight.ts';
import { countBits, newBitSet, setBit } from '../rows/bit-set.ts';
import type { Bm25 } from '../scoring/bm25.ts';
import type { FieldTerms } from './field-terms.ts';
import { ROWS_PER_SAMPLE } from './value-samples.ts';

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
  const { norms } = words;
  if (norms === null || phrase.cost < ROWS_PER_SAMPLE) return null;
  const samples = yield* words.samples();
  if (samples === null || samples.rows.length * ROWS_PER_SAMPLE > phrase.cost) return null;
  const ords: number[] = [];
  const impacts = new ImpactsCollector();
  for (let at = 0; at < samples.rows.length; at++) {
    const row = samples.rows[at]!;
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
  if (only !== undefined && ords.length === 1)
    return yield* uniformTermScorer(values, only, scoring);
  const set = newBitSet(values.terms.size);
  for (const ord of ords) setBit(set, ord);
  const ordinals = { from: 0, to: values.terms.size, only: set, count: ords.length };
  const bits = yield* values.rows(ordinals);
  return new TermSetScorer({ bits, count: countBits(bits, null) }, similarity, scoring.impacts);
}
