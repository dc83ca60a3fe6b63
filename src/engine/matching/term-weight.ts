// One term of a field, scored by BM25.
import type { Query } from '../../query/query.ts';
import { Bm25, idf } from '../scoring/bm25.ts';
import { cachedPostings } from '../scoring/cached-postings.ts';
import { CachedPostingsScorer } from '../scoring/cached-postings-scorer.ts';
import { impactsOf } from '../scoring/impacts.ts';
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
      const norms = similarity === null || hasOneWordEach(field) ? null : field.norms;
      const set = norms === null ? yield* frequentTermRows(field, ord, scope.cache) : null;
      if (set !== null) return new TermSetScorer(set, similarity);
      if (similarity !== null && norms !== null) {
        const postings = yield* cachedPostings(field, ord, scope.cache);
        if (postings !== null) return new CachedPostingsScorer(postings, similarity);
      }
      const postings = field.postings(ord);
      if (postings === null) throw new TypeError('A term without postings');
      const impacts = similarity === null || norms === null ? null : yield* impactsOf(field, ord);
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

/** True when every row has one word, so that all score alike, like whole values. */
function hasOneWordEach({ statistics }: FieldTerms): boolean {
  return statistics.sumTotalTermFreq === statistics.docCount;
}
