// Expands a prefix to a limited number of terms: the first in term order that occur in a live
// document, over all segments, so that the result depends neither on the segments nor on deleted
// documents.

import { nextSetBit } from '../rows/bit-set.ts';
import { STEPS_PER_YIELD } from '../scoring/scorer.ts';
import type { Scope } from '../scoring/weight.ts';
import { isLive } from '../sections/live-docs.ts';
import { type DocIterator, NO_MORE_DOCS, type SegmentView } from '../sections/segment.ts';
import { compareCodePoints } from '../sections/utf8.ts';
import { type FieldTerms, tableOf } from './field-terms.ts';
import { prefixRange } from './term-expansion.ts';
import type { IndexField } from './term-statistics.ts';

/** At most `countMax` terms, in term order. */
export function* prefixExpansions(
  field: IndexField,
  scope: Scope,
  prefix: string,
  countMax: number,
): Generator<void, string[]> {
  const expansions = new Set<string>();
  for (const [at, terms] of field.byView.entries()) {
    if (terms === undefined) continue;
    const view = scope.views[at]!;
    const parent = tableOf(view, scope.path)?.parent ?? null;
    const { from, to } = prefixRange(terms.terms, prefix);
    let missing = countMax;
    for (let ord = from; ord < to && missing > 0; ord++) {
      if (view.liveDocs !== null && !(yield* isInLiveDocument(terms, ord, view, parent))) continue;
      expansions.add(terms.terms.term(ord));
      missing -= 1;
    }
    yield;
  }
  return [...expansions].sort(compareCodePoints).slice(0, countMax);
}

/**
 * True if a live document contains the term.
 * @param parent the documents of the rows; null: the rows are documents
 */
export function* isInLiveDocument(
  terms: FieldTerms,
  ord: number,
  view: SegmentView,
  parent: Int32Array | null,
): Generator<void, boolean> {
  const rows = terms.postings(ord) ?? (yield* rowsOfSpellings(terms, ord));
  for (let step = 1; ; step++) {
    const row = rows.nextDoc();
    if (row === NO_MORE_DOCS) return false;
    if (isLive(view, parent === null ? row : parent[row]!)) return true;
    if (step % STEPS_PER_YIELD === 0) yield;
  }
}

/** The rows of a folded value with several spellings. */
function* rowsOfSpellings(
  terms: FieldTerms,
  ord: number,
): Generator<void, Pick<DocIterator, 'nextDoc'>> {
  const bits = yield* terms.rows({ from: ord, to: ord + 1, only: null, count: 1 });
  let next = 0;
  return {
    nextDoc() {
      const row = nextSetBit(bits, next);
      next = row + 1;
      return row;
    },
  };
}
