// Fuzzy query: the nearest `maxExpansions` terms of the whole index. Each is scored with the
// docFreq of the most frequent of them, times its similarity (Lucene's FuzzyQuery with
// TopTermsBlendedFreqScoringRewrite). As in Lucene, terms of deleted documents count; those of
// documents that a plan does not show do not.
import type { Query } from '../../query/query.ts';
import type { Scope, Weight } from '../scoring/weight.ts';
import { compareCodePoints } from '../sections/utf8.ts';
import { tableOf } from '../terms/field-terms.ts';
import { Levenshtein } from '../terms/levenshtein.ts';
import { isInLiveDocument } from '../terms/prefix-expansion.ts';
import { prefixRange } from '../terms/term-expansion.ts';
import {
  type IndexField,
  type IndexTerm,
  indexField,
  indexTerm,
} from '../terms/term-statistics.ts';
import { matchingTerms } from '../terms/term-walker.ts';
import { disjunctionWeight } from './boolean-weight.ts';
import { weightOfTerm } from './term-weight.ts';

type FuzzyQuery = Extract<Query, { readonly kind: 'fuzzy' }>;

interface NearTerm {
  readonly term: string;
  /** 1 for the word itself, less with each edit; see Lucene's FuzzyTermsEnum. */
  readonly similarity: number;
}

export function* fuzzyWeight(query: FuzzyQuery, scope: Scope): Generator<void, Weight> {
  const field = indexField(scope, query.field, query.form);
  const near = yield* nearestTerms(query, field, scope);
  const terms: { readonly term: IndexTerm; readonly similarity: number }[] = [];
  let docFreq = 0;
  for (const { term, similarity } of near) {
    const nearTerm = yield* indexTerm(field, term);
    docFreq = Math.max(docFreq, nearTerm.docFreq);
    terms.push({ term: nearTerm, similarity });
  }
  const weights = terms.map(({ term, similarity }) => {
    const boost = Math.fround(scope.boost * Math.max(0, similarity));
    return weightOfTerm(term, { ...scope, boost }, docFreq);
  });
  return disjunctionWeight(weights, { minimumMatch: 1, scoring: scope.scoring, tieBreaker: null });
}

function* nearestTerms(
  query: FuzzyQuery,
  field: IndexField,
  { views, path }: Scope,
): Generator<void, readonly NearTerm[]> {
  const matcher = new Levenshtein(query.value, query.maxEdits, query.prefixLength);
  const prefix = Array.from(query.value).slice(0, query.prefixLength).join('');
  const nearest = new Map<string, NearTerm>();
  for (const [at, fieldTerms] of field.byView.entries()) {
    if (fieldTerms === undefined) continue;
    const { terms } = fieldTerms;
    const candidates: { ord: number; similarity: number }[] = [];
    yield* matchingTerms(terms, matcher, prefixRange(terms, prefix), (ord, state) => {
      candidates.push({
        ord,
        similarity: similarityOf(matcher, matcher.edits(state), state.length),
      });
    });
    // The best of all segments are among the best of each segment; ordinals ascend with the terms.
    candidates.sort((a, b) => b.similarity - a.similarity || a.ord - b.ord);
    const view = views[at]!;
    const parent = tableOf(view, path)?.parent ?? null;
    let missing = query.maxExpansions;
    for (const { ord, similarity } of candidates) {
      if (missing === 0) break;
      if (view.isConfined && !(yield* isInLiveDocument(fieldTerms, ord, view, parent))) continue;
      const term = terms.term(ord);
      nearest.set(term, { term, similarity });
      missing -= 1;
    }
    yield;
  }
  return [...nearest.values()]
    .sort((a, b) => b.similarity - a.similarity || compareCodePoints(a.term, b.term))
    .slice(0, query.maxExpansions);
}

function similarityOf(matcher: Levenshtein, edits: number, length: number): number {
  if (edits === 0) return 1;
  return Math.fround(1 - Math.fround(edits / Math.min(length, matcher.length)));
}
