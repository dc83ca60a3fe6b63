// One term of a field, scored by BM25.
import type { Query } from '../../query/query.ts';
import type { QueryCache } from '../index/query-cache.ts';
import { Bm25, idf } from '../scoring/bm25.ts';
import { cachedPostings } from '../scoring/cached-postings.ts';
import { CachedPostingsScorer } from '../scoring/cached-postings-scorer.ts';
import { impactsOf, ONE_OCCURRENCE } from '../scoring/impacts.ts';
import { type IndexTerm, indexField, indexTerm } from '../scoring/term-statistics.ts';
import type { FieldTerms, Impacts } from '../terms/field-terms.ts';
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
      let impacts: Impacts | null = null;
      if (similarity !== null) {
        impacts = knownImpacts(field, ord);
        if (impacts === null || !impacts.isUniform) {
          const postings = yield* cachedPostings(field, ord, scope.cache);
          if (postings !== null) return new CachedPostingsScorer(postings, similarity);
          impacts ??= yield* impactsOf(field, ord);
        }
      }
      return yield* termScorer(field, ord, { similarity, impacts, cache: scope.cache });
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
  /** null when no scores are needed. */
  readonly impacts: Impacts | null;
  readonly cache: QueryCache;
}

/** The rows of a term: a set if it is frequent and all its rows score alike, else postings. */
export function* termScorer(
  field: FieldTerms,
  ord: number,
  { similarity, impacts, cache }: TermScoring,
): Generator<void, Scorer> {
  const scoresAlike = impacts === null || impacts.isUniform;
  const set = scoresAlike ? yield* frequentTermRows(field, ord, cache) : null;
  if (set !== null) return new TermSetScorer(set, similarity, impacts);
  const postings = field.postings(ord);
  if (postings === null) throw new TypeError('A term without postings');
  return new TermScorer(postings, similarity, scoresAlike ? null : field.norms, impacts);
}

/** The impacts of a term if they need not be computed; else null. */
function knownImpacts(field: FieldTerms, ord: number): Impacts | null {
  return isWholeValue(field) ? ONE_OCCURRENCE : (field.impacts.get(ord) ?? null);
}

/** True for whole values, and if every row has one word, which scores the same. */
function isWholeValue({ norms, statistics }: FieldTerms): boolean {
  return norms === null || statistics.sumTotalTermFreq === statistics.docCount;
}
