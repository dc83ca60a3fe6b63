// Statistics of fields and terms for BM25, over all segments of an index.
import { BoundedMap } from '../../query/bounded-map.ts';
import type { TermForm } from '../../query/query.ts';
import { done } from '../../query/steps.ts';
import { DerivedPart } from '../index/query-cache.ts';
import { countBits } from '../rows/bit-set.ts';
import { IndexStatistics } from '../scoring/bm25.ts';
import type { Scope } from '../scoring/weight.ts';
import type { SegmentView } from '../sections/segment.ts';
import { type FieldTerms, fieldTerms } from './field-terms.ts';

/** One form of a field over all segments of an index. */
export interface IndexField {
  /** By view; undefined where no row has the field. */
  readonly byView: readonly (FieldTerms | undefined)[];
  readonly statistics: IndexStatistics;
  /**
   * The one result for all terms that no segment has, as most words of a free text are missing in most
   * fields. One object for each would live long enough to make garbage collections slower.
   */
  readonly absent: IndexTerm;
}

/** A term of an index, with its ordinals. */
export interface IndexTerm {
  /** Empty for the absent one. */
  readonly text: string;
  readonly field: IndexField;
  /** Ordinal by view; -1 if the segment does not have the term. */
  readonly ords: readonly number[];
  /** Rows that contain the term, deleted ones included. */
  readonly docFreq: number;
}

/** The statistics of a field, cached as long as the list of segments is the same. */
export function indexField(scope: Scope, field: string, form: TermForm): IndexField {
  const { views, path, cache } = scope;
  return cache
    .of(FIELDS, views)
    .getOrCreate(`${form} ${path ?? ''} ${field}`, () => gatherStatistics(scope, field, form));
}

/** Cache by list of segments: a query over many fields looks up each word in each of them. */
const FIELDS = new DerivedPart(
  (_: readonly SegmentView[]) => new BoundedMap<string, IndexField>({ kept: 1_024 }),
);

function gatherStatistics(scope: Scope, field: string, form: TermForm): IndexField {
  const byView = scope.views.map((view) => fieldTerms(view, scope, field, form));
  let docCount = 0;
  let sumTotalTermFreq = 0;
  for (const terms of byView) {
    docCount += terms?.statistics.docCount ?? 0;
    sumTotalTermFreq += terms?.statistics.sumTotalTermFreq ?? 0;
  }
  const statistics = new IndexStatistics(docCount, sumTotalTermFreq);
  return new SearchedField(byView, statistics);
}

class SearchedField implements IndexField {
  readonly byView: readonly (FieldTerms | undefined)[];
  readonly statistics: IndexStatistics;
  readonly absent: IndexTerm;

  constructor(byView: readonly (FieldTerms | undefined)[], statistics: IndexStatistics) {
    this.byView = byView;
    this.statistics = statistics;
    this.absent = { text: '', field: this, ords: byView.map(() => -1), docFreq: 0 };
  }
}

/**
 * Looks up a term in all segments. Not cached: that takes as long for a repeated word, and what a cache
 * keeps of new ones makes garbage collections longer.
 */
export function indexTerm(field: IndexField, text: string): Generator<void, IndexTerm> {
  const term = lookUpTerm(field, text);
  return term.docFreq < 0 ? withDocFreq(term) : done(term);
}

/** A term; `docFreq` is -1 if its rows must be counted. */
function lookUpTerm(field: IndexField, text: string): IndexTerm {
  // Few elements: a typed array would take ten times as much memory.
  let ords: number[] | null = null;
  let docFreq = 0;
  const { byView } = field;
  for (let view = 0; view < byView.length; view++) {
    const terms = byView[view];
    const ord = terms?.terms.find(text) ?? -1;
    if (terms === undefined || ord < 0) continue;
    ords ??= byView.map(() => -1);
    ords[view] = ord;
    docFreq = docFreq < 0 || !terms.hasExactDocFreq(ord) ? -1 : docFreq + terms.docFreq(ord);
  }
  return ords === null ? field.absent : { text, field, ords, docFreq };
}

/** Counts the rows of a term in the views where it has several postings lists. */
function* withDocFreq(term: IndexTerm): Generator<void, IndexTerm> {
  let docFreq = 0;
  for (const [view, terms] of term.field.byView.entries()) {
    const ord = term.ords[view]!;
    if (terms !== undefined && ord >= 0) docFreq += yield* docFreqOf(terms, ord);
  }
  return { ...term, docFreq };
}

/** A row with two spellings of a folded value counts once. */
function* docFreqOf(field: FieldTerms, ord: number): Generator<void, number> {
  if (field.hasExactDocFreq(ord)) return field.docFreq(ord);
  const rows = yield* field.rows({ from: ord, to: ord + 1, only: null, count: 1 });
  return countBits(rows, null);
}
