// What BM25 must know about the terms of a field, gathered over all segments of an index.
import type { TermForm } from '../../query/plan.ts';
import { countBits } from './bit-set.ts';
import type { FieldStatistics } from './bm25.ts';
import { type FieldTerms, fieldTerms } from './field-terms.ts';
import type { Scope } from './weight.ts';

/** One form of a field over all segments of an index. */
export interface IndexField {
  /** By view; undefined where no row has the field. */
  readonly byView: readonly (FieldTerms | undefined)[];
  readonly statistics: FieldStatistics;
}

/** A term and where it stands. */
export interface IndexTerm {
  readonly text: string;
  readonly field: IndexField;
  /** Ordinal by view, -1 where the segment does not have it. */
  readonly ords: Int32Array;
  /** Rows that hold the term, deleted ones included. */
  readonly docFreq: number;
}

export function indexField(scope: Scope, field: string, form: TermForm): IndexField {
  const byView = scope.views.map((view) => fieldTerms(view, scope.path, field, form));
  let docCount = 0;
  let sumTotalTermFreq = 0;
  for (const terms of byView) {
    docCount += terms?.statistics.docCount ?? 0;
    sumTotalTermFreq += terms?.statistics.sumTotalTermFreq ?? 0;
  }
  return { byView, statistics: { docCount, sumTotalTermFreq } };
}

export function* indexTerm(field: IndexField, term: string): Generator<void, IndexTerm> {
  const ords = new Int32Array(field.byView.length).fill(-1);
  let docFreq = 0;
  for (const [view, terms] of field.byView.entries()) {
    if (terms === undefined) continue;
    const ord = terms.terms.find(term);
    ords[view] = ord;
    if (ord >= 0) docFreq += yield* docFreqOf(terms, ord);
  }
  return { text: term, field, ords, docFreq };
}

/** A row that holds two spellings of a folded value counts once. */
function* docFreqOf(field: FieldTerms, ord: number): Generator<void, number> {
  if (field.isSingleValued || field.hasPostings(ord)) return field.docFreq(ord);
  const rows = yield* field.rows({ from: ord, to: ord + 1, only: null, count: 1 });
  return countBits(rows, null);
}
