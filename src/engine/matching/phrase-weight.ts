// Weight of a phrase; its last word may be a prefix. idf is summed over all terms, expansions
// included, as in Lucene's PhraseQuery and MultiPhraseQuery.
import type { Query } from '../../query/query.ts';
import type { QueryCache } from '../index/query-cache.ts';
import { Bm25, idf } from '../scoring/bm25.ts';
import type { Scorer } from '../scoring/scorer.ts';
import type { Scope, Weight } from '../scoring/weight.ts';
import { bestScore } from '../sections/impacts.ts';
import { cachedPhrasePostings } from '../terms/cached-postings.ts';
import { CachedPostingsScorer } from '../terms/cached-postings-scorer.ts';
import { noneWeight } from '../terms/constant-weight.ts';
import { prefixExpansions } from '../terms/prefix-expansion.ts';
import {
  type IndexField,
  type IndexTerm,
  indexField,
  indexTerm,
} from '../terms/term-statistics.ts';
import { disjunctionWeight } from './boolean-weight.ts';
import { PhraseScorer } from './phrase-scorer.ts';
import { PositionCursor } from './position-cursor.ts';
import { SloppyPhrase } from './sloppy-phrase.ts';
import { weightOfTerm } from './term-weight.ts';

type PhraseQuery = Extract<Query, { readonly kind: 'phrase' }>;

/** The terms that may occur at one position of the phrase. */
type Place = readonly IndexTerm[];

export function* phraseWeight(query: PhraseQuery, scope: Scope): Generator<void, Weight> {
  const field = indexField(scope, query.field, 'word');
  const places = yield* placesOf(query, field, scope);
  if (places.length === 0 || places.some((place) => place.length === 0)) return noneWeight();
  const [only] = places;
  if (places.length === 1 && only !== undefined) return anyOf(only, scope);
  let weightOfTerms = 0;
  const terms = places.flat();
  for (const { docFreq } of terms) weightOfTerms += idf(docFreq, field.statistics.docCount);
  const similarity = scope.scoring
    ? new Bm25(scope.boost, weightOfTerms, field.statistics, terms)
    : null;
  const { slop } = query;
  const { cache } = scope;
  return {
    scorer: (view) => phraseScorer(places, field, { view, similarity, slop, cache }),
    count: () => -1,
  };
}

interface PhraseOptions {
  readonly view: number;
  readonly slop: number;
  /** null when no scores are needed. */
  readonly similarity: Bm25 | null;
  readonly cache: QueryCache;
}

function* phraseScorer(
  places: readonly Place[],
  field: IndexField,
  { view, slop, similarity, cache }: PhraseOptions,
): Generator<void, Scorer | null> {
  const terms = field.byView[view];
  if (terms === undefined || terms.norms === null) return null;
  const { norms } = terms;
  const ords = places.map((place) =>
    place.map((term) => term.ords[view]!).filter((ord) => ord >= 0),
  );
  if (ords.some((here) => here.length === 0)) return null;
  const texts = places.map((place) => place.map(({ text }) => text));
  const createScorer = (maxScore: number) => {
    const cursors = ords.map(
      (here) => new PositionCursor(here.flatMap((ord) => terms.postings(ord) ?? [])),
    );
    const sloppy = slop > 0 ? new SloppyPhrase(cursors, texts, slop) : null;
    return new PhraseScorer(cursors, sloppy, { similarity, maxScore, norms });
  };
  let maxScore = similarity?.maxScore ?? 0;
  const all = ords.flat();
  if (similarity !== null && slop === 0 && all.length === ords.length) {
    const create = () => createScorer(maxScore);
    const postings = yield* cachedPhrasePostings(terms, all, cache, create);
    if (postings !== null) {
      return postings.rows.length === 0 ? null : new CachedPostingsScorer(postings, similarity);
    }
    // An exact phrase occurs at most as often as each of its terms.
    for (const ord of all) {
      const impacts = terms.postings(ord)?.impacts(norms);
      if (impacts) maxScore = Math.min(maxScore, bestScore(impacts, similarity));
    }
  }
  return createScorer(maxScore);
}

function* placesOf(query: PhraseQuery, field: IndexField, scope: Scope): Generator<void, Place[]> {
  const places: Place[] = [];
  const expansionsMax = query.prefixExpansions;
  for (const [at, text] of query.terms.entries()) {
    const isPrefix = expansionsMax !== undefined && at === query.terms.length - 1;
    const texts = isPrefix ? yield* prefixExpansions(field, scope, text, expansionsMax) : [text];
    const place: IndexTerm[] = [];
    for (const expansion of texts) {
      const term = yield* indexTerm(field, expansion);
      if (term.docFreq > 0) place.push(term);
    }
    places.push(place);
    yield;
  }
  return places;
}

function anyOf(place: Place, scope: Scope): Weight {
  const weights = place.map((term) => weightOfTerm(term, scope, term.docFreq));
  return disjunctionWeight(weights, { minimumMatch: 1, scoring: scope.scoring, tieBreaker: null });
}
