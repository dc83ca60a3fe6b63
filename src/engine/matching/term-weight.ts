// One term of a field, scored by BM25.
import type { Query } from '../../query/query.ts';
import { Bm25, idf } from '../scoring/bm25.ts';
import { impactsOf } from '../scoring/impacts.ts';
import { type IndexTerm, indexField, indexTerm } from '../scoring/term-statistics.ts';
import { wordRows } from '../scoring/word-rows.ts';
import { WordRowsScorer } from '../scoring/word-rows-scorer.ts';
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

/** @param docFreq what idf is computed from; not the term's own where several terms are blended */
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
      const set = norms === null ? yield* frequentTermRows(field, ord) : null;
      if (set !== null) return new TermSetScorer(set, similarity);
      if (similarity !== null && norms !== null) {
        const found = yield* wordRows(field, ord);
        if (found !== null) return new WordRowsScorer(found, similarity);
      }
      const postings = field.postings(ord);
      if (postings === null) throw new TypeError('A term has rows');
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

/** A field whose rows have one word each, so that they score alike, as those of whole values do. */
function hasOneWordEach({ statistics }: FieldTerms): boolean {
  return statistics.sumTotalTermFreq === statistics.docCount;
}
