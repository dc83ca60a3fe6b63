// One term of a field, scored by BM25.
import type { Query } from '../../query/query.ts';
import type { Impacts } from '../fields/impacts.ts';
import type { QueryCache } from '../index/query-cache.ts';
import type { Postings } from '../index/segment.ts';
import { Bm25, idf, NORM_ONE } from '../scoring/bm25.ts';
import { cachedPostings } from '../scoring/cached-postings.ts';
import { CachedPostingsScorer } from '../scoring/cached-postings-scorer.ts';
import { type IndexTerm, indexField, indexTerm } from '../scoring/term-statistics.ts';
import type { FieldTerms } from '../terms/field-terms.ts';
import { frequentTermRows } from '../terms/term-rows.ts';
import { noneWeight } from './constant-weight.ts';
import type { Scorer } from './scorer.ts';
import { TermScorer, TermSetScorer } from './term-scorer.ts';
import type { Scope, Weight } from './weight.ts';

export function* termWeight(
  query: Extract<Query, { readonly kind: 'term' }>,
  scope: Scope,
): Generator<void, Weight> {
  const term = yield* indexTerm(indexField(scope, query.field, query.form), query.value);
  return term.docFreq === 0 ? noneWeight() : weightOfTerm(term, scope, term.docFreq);
}

/** @param docFreq for idf; differs from the term's own when several terms are blended */
export function weightOfTerm(term: IndexTerm, scope: Scope, docFreq: number): Weight {
  const { statistics } = term.field;
  const similarity =
    scope.scoring && docFreq > 0
      ? new Bm25(scope.boost, idf(docFreq, statistics.docCount), statistics, [
          { text: term.text, docFreq },
        ])
      : null;
  return {
    *scorer(view): Generator<void, Scorer | null> {
      const ord = term.ords[view]!;
      const field = term.field.byView[view];
      if (ord < 0 || field === undefined) return null;
      const { cache } = scope;
      if (similarity === null || isWholeValue(field)) {
        const impacts = similarity === null ? null : ONE_OCCURRENCE;
        return yield* uniformTermScorer(field, ord, { similarity, impacts, cache });
      }
      const postings = postingsOf(field, ord);
      const norms = field.norms as Uint8Array;
      const impacts = postings.impacts(norms);
      if (impacts.isUniform) {
        return yield* uniformTermScorer(field, ord, { similarity, impacts, cache });
      }
      const cached = yield* cachedPostings(field, ord, cache);
      if (cached !== null) return new CachedPostingsScorer(cached, similarity);
      return new TermScorer(postings, similarity, norms, impacts);
    },
    count(view) {
      const ord = term.ords[view]!;
      const field = term.field.byView[view];
      if (ord < 0 || field === undefined) return 0;
      return field.isSingleValued || field.hasPostings(ord) ? field.docFreq(ord) : -1;
    },
  };
}

interface TermScoring {
  /** null when no scores are needed. */
  readonly similarity: Bm25 | null;
  /** Uniform; null when no scores are needed. */
  readonly impacts: Impacts | null;
  readonly cache: QueryCache;
}

/** The rows of a term, which all score alike: a set if it is frequent, else postings. */
export function* uniformTermScorer(
  field: FieldTerms,
  ord: number,
  { similarity, impacts, cache }: TermScoring,
): Generator<void, Scorer> {
  const set = yield* frequentTermRows(field, ord, cache);
  if (set !== null) return new TermSetScorer(set, similarity, impacts);
  return new TermScorer(postingsOf(field, ord), similarity, null, impacts);
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
