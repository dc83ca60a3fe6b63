// One term of a field, scored by BM25.
import type { Query } from '../../query/query.ts';
import { done, mapSteps } from '../../query/steps.ts';
import type { QueryCache } from '../index/query-cache.ts';
import { Bm25, idf, NORM_ONE } from '../scoring/bm25.ts';
import type { Scorer } from '../scoring/scorer.ts';
import type { Scope, Weight } from '../scoring/weight.ts';
import type { Impacts } from '../sections/impacts.ts';
import type { Postings } from '../sections/segment.ts';
import { cachedPostings } from '../terms/cached-postings.ts';
import { CachedPostingsScorer } from '../terms/cached-postings-scorer.ts';
import { noneWeight } from '../terms/constant-weight.ts';
import type { FieldTerms } from '../terms/field-terms.ts';
import { frequentTermRows } from '../terms/term-rows.ts';
import { TermScorer, TermSetScorer } from '../terms/term-scorer.ts';
import { type IndexTerm, indexField, indexTerm } from '../terms/term-statistics.ts';

export function termWeight(
  query: Extract<Query, { readonly kind: 'term' }>,
  scope: Scope,
): Generator<void, Weight> {
  const field = indexField(scope, query.field, query.form);
  return mapSteps(indexTerm(field, query.value), (term) =>
    term.docFreq === 0 ? noneWeight() : weightOfTerm(term, scope, term.docFreq),
  );
}

/** @param docFreq for idf; differs from the term's own when several terms are blended */
export function weightOfTerm(term: IndexTerm, scope: Scope, docFreq: number): Weight {
  const { statistics } = term.field;
  const weighed = docFreq === term.docFreq ? term : { text: term.text, docFreq };
  const similarity =
    scope.scoring && docFreq > 0
      ? new Bm25(scope.boost, idf(docFreq, statistics.docCount), statistics, [weighed])
      : null;
  return new TermWeight(term, similarity, scope.cache);
}

/** A class, as a search has dozens of them: closures would take four times the memory. */
class TermWeight implements Weight {
  readonly #term: IndexTerm;
  readonly #similarity: Bm25 | null;
  readonly #cache: QueryCache;

  constructor(term: IndexTerm, similarity: Bm25 | null, cache: QueryCache) {
    this.#term = term;
    this.#similarity = similarity;
    this.#cache = cache;
  }

  scorer(view: number): Generator<void, Scorer | null> {
    const ord = this.#term.ords[view]!;
    const field = this.#term.field.byView[view];
    if (ord < 0 || field === undefined) return done(null);
    const similarity = this.#similarity;
    const cache = this.#cache;
    if (similarity === null || isWholeValue(field)) {
      const impacts = similarity === null ? null : ONE_OCCURRENCE;
      return uniformTermScorer(field, ord, { similarity, impacts, cache });
    }
    const postings = postingsOf(field, ord);
    const norms = field.norms as Uint8Array;
    const impacts = postings.impacts(norms);
    if (impacts.isUniform) return uniformTermScorer(field, ord, { similarity, impacts, cache });
    return mapSteps(cachedPostings(field, ord, cache), (cached) =>
      cached === null
        ? new TermScorer(postings, similarity, norms, impacts)
        : new CachedPostingsScorer(cached, similarity),
    );
  }

  count(view: number): number {
    const ord = this.#term.ords[view]!;
    const field = this.#term.field.byView[view];
    if (ord < 0 || field === undefined) return 0;
    return field.hasExactDocFreq(ord) ? field.docFreq(ord) : -1;
  }
}

interface TermScoring {
  /** null when no scores are needed. */
  readonly similarity: Bm25 | null;
  /** Uniform; null when no scores are needed. */
  readonly impacts: Impacts | null;
  readonly cache: QueryCache;
}

/** The rows of a term, which all score alike: a set if it is frequent, else postings. */
export function uniformTermScorer(
  field: FieldTerms,
  ord: number,
  { similarity, impacts, cache }: TermScoring,
): Generator<void, Scorer> {
  return mapSteps(frequentTermRows(field, ord, cache), (set) =>
    set === null
      ? new TermScorer(postingsOf(field, ord), similarity, null, impacts)
      : new TermSetScorer(set, similarity, impacts),
  );
}

/** Of a term that occurs once in rows without a length (whole values). */
const ONE_OCCURRENCE: Impacts = { pairs: [1, NORM_ONE], isUniform: true };

function postingsOf(field: FieldTerms, ord: number): Postings {
  const postings = field.postings(ord);
  if (postings === null) throw new TypeError('A term without postings');
  return postings;
}

/** True for whole values, and if every row has one word, which scores the same. */
function isWholeValue({ norms, statistics }: FieldTerms): boolean {
  return norms === null || statistics.sumTotalTermFreq === statistics.docCount;
}
