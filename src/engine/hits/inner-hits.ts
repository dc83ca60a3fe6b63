// Inner hits: the elements of a nested table that match the inner query below given documents, and
// their number below all documents that match the outer query.

import type { InnerHit } from '../../query/plan.ts';
import type { Query } from '../../query/query.ts';
import type { IndexSegments } from '../index/query-cache.ts';
import { createWeight } from '../matching/create-weight.ts';
import { type Scorer, STEPS_PER_YIELD } from '../scoring/scorer.ts';
import { isLive } from '../sections/live-docs.ts';
import { NO_MORE_DOCS, type SegmentView, type Table } from '../sections/segment.ts';
import { tableOf } from '../terms/field-terms.ts';

/** A hit. */
export interface RootRow {
  readonly view: number;
  readonly row: number;
}

/**
 * For each document, the indexes of its elements that match the inner query, ascending; 0 is its
 * first element. Throws what createWeight throws.
 */
export function* elementsOf(
  { views, cache }: IndexSegments,
  { path, query }: InnerHit,
  docs: readonly RootRow[],
): Generator<void, readonly (readonly number[])[]> {
  const scope = { views, cache, path, scoring: false, boost: 1 };
  const weight = yield* createWeight(query, scope);
  const elements: number[][] = docs.map(() => []);
  for (const index of views.keys()) {
    const docsOfView = [...docs.keys()].filter((at) => docs[at]?.view === index);
    const table = tableOf(views[index]!, path);
    if (docsOfView.length === 0 || table === undefined) continue;
    const scorer = yield* weight.scorer(index);
    if (scorer === null) continue;
    docsOfView.sort((a, b) => docs[a]!.row - docs[b]!.row);
    for (const at of docsOfView) yield* elementsBelow(docs[at]!.row, table, scorer, elements[at]!);
  }
  return elements;
}

/** Adds the matching elements of one document. Documents must come in ascending order. */
function* elementsBelow(
  root: number,
  table: Table,
  scorer: Scorer,
  elements: number[],
): Generator<void> {
  const first = table.firstRow![root]!;
  const end = table.firstRow![root + 1]!;
  if (first === end) return;
  let row = advanceTo(scorer, first);
  for (let step = 1; row < end; step++) {
    if (scorer.matches()) /* path: element found */ elements.push(row - first);
    row = scorer.nextDoc();
    if (step % STEPS_PER_YIELD === 0) yield;
  }
}

/**
 * Counts the elements that match the inner query below live documents that match `query`. Throws
 * what createWeight throws.
 */
export function* countElements(
  { views, cache }: IndexSegments,
  query: Query,
  innerHit: InnerHit,
): Generator<void, number> {
  const scope = { views, cache, scoring: false, boost: 1 };
  const outer = yield* createWeight(query, { ...scope, path: null });
  const inner = yield* createWeight(innerHit.query, { ...scope, path: innerHit.path });
  let count = 0;
  for (const [index, view] of views.entries()) {
    const table = tableOf(view, innerHit.path);
    if (table === undefined || table.rowCount === 0) continue;
    const roots = yield* outer.scorer(index);
    const elements = roots === null ? null : yield* inner.scorer(index);
    if (roots === null || elements === null) continue;
    const counter = new ElementCounter(roots, elements, table, view);
    while (counter.advance()) yield;
    count += counter.count;
  }
  return count;
}

/** Walks the documents and elements of one segment together. */
class ElementCounter {
  count = 0;
  readonly #roots: Scorer;
  readonly #elements: Scorer;
  readonly #firstRow: Int32Array;
  readonly #parent: Int32Array;
  readonly #view: SegmentView;
  /** Documents before this one are skipped. */
  #target = 0;

  constructor(roots: Scorer, elements: Scorer, table: Table, view: SegmentView) {
    this.#roots = roots;
    this.#elements = elements;
    this.#firstRow = table.firstRow!;
    this.#parent = table.parent!;
    this.#view = view;
  }

  /** Processes some documents; true if there may be more. */
  advance(): boolean {
    for (let steps = 0; steps < STEPS_PER_YIELD; steps++) {
      const root = advanceTo(this.#roots, this.#target);
      if (root === NO_MORE_DOCS) return false;
      this.#target = root + 1;
      const first = this.#firstRow[root]!;
      const end = this.#firstRow[root + 1]!;
      if (first === end || !isLive(this.#view, root) || !this.#roots.matches()) continue;
      let row = advanceTo(this.#elements, first);
      for (; row < end; row = this.#elements.nextDoc(), steps++) {
        if (this.#elements.matches()) /* path: element counted */ this.count += 1;
      }
      if (row === NO_MORE_DOCS) return false;
      this.#target = Math.max(this.#target, this.#parent[row]!);
    }
    return true;
  }
}

/** The first candidate that is `target` or later. */
function advanceTo(scorer: Scorer, target: number): number {
  return scorer.docId() < target ? scorer.advance(target) : scorer.docId();
}
