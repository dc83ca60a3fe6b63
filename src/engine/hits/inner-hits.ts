// Elements as the rows of an answer: which elements of a nested table meet the inner query below given documents, and
// how many there are below all documents that meet the outer one.

import type { InnerHit } from '../../query/plan.ts';
import type { Query } from '../../query/query.ts';
import { isLive } from '../index/live-docs.ts';
import { NO_MORE_DOCS, type SegmentView, type Table } from '../index/segment.ts';
import { createWeight } from '../matching/create-weight.ts';
import { type Scorer, STEPS_PER_YIELD } from '../matching/scorer.ts';
import { tableOf } from '../terms/field-terms.ts';

/** A document found. */
export interface RootRow {
  readonly view: number;
  readonly row: number;
}

/**
 * For each document, in the order given, the places of its elements that meet the inner query: 0 is its first
 * element. Ascending. Throws what createWeight throws.
 */
export function* elementsOf(
  views: readonly SegmentView[],
  { path, query }: InnerHit,
  docs: readonly RootRow[],
): Generator<void, readonly (readonly number[])[]> {
  const scope = { views, path, scoring: false, boost: 1 };
  const weight = yield* createWeight(query, scope);
  const found: number[][] = docs.map(() => []);
  for (const index of views.keys()) {
    const wanted = [...docs.keys()].filter((at) => docs[at]?.view === index);
    const table = tableOf(views[index]!, path);
    if (wanted.length === 0 || table === undefined) continue;
    const scorer = yield* weight.scorer(index);
    if (scorer === null) continue;
    wanted.sort((a, b) => docs[a]!.row - docs[b]!.row);
    for (const at of wanted) yield* elementsBelow(docs[at]!.row, table, scorer, found[at]!);
  }
  return found;
}

/** Documents must come in ascending order. */
function* elementsBelow(
  root: number,
  table: Table,
  scorer: Scorer,
  found: number[],
): Generator<void> {
  const first = table.firstRow![root]!;
  const end = table.firstRow![root + 1]!;
  if (first === end) return;
  let row = at(scorer, first);
  for (let step = 1; row < end; step++) {
    if (scorer.matches()) found.push(row - first);
    row = scorer.nextDoc();
    if (step % STEPS_PER_YIELD === 0) yield;
  }
}

/** How many elements meet the inner query below live documents that meet `query`. Throws what createWeight throws. */
export function* countElements(
  views: readonly SegmentView[],
  query: Query,
  innerHit: InnerHit,
): Generator<void, number> {
  const scope = { views, scoring: false, boost: 1 };
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

/** Walks the documents and the elements of one segment side by side. */
class ElementCounter {
  count = 0;
  readonly #roots: Scorer;
  readonly #elements: Scorer;
  readonly #firstRow: Int32Array;
  readonly #parent: Int32Array;
  readonly #view: SegmentView;
  /** No document before this one is wanted any more. */
  #target = 0;

  constructor(roots: Scorer, elements: Scorer, table: Table, view: SegmentView) {
    this.#roots = roots;
    this.#elements = elements;
    this.#firstRow = table.firstRow!;
    this.#parent = table.parent!;
    this.#view = view;
  }

  /** Looks at some documents; whether there may be more. */
  advance(): boolean {
    for (let steps = 0; steps < STEPS_PER_YIELD; steps++) {
      const root = at(this.#roots, this.#target);
      if (root === NO_MORE_DOCS) return false;
      this.#target = root + 1;
      const first = this.#firstRow[root]!;
      const end = this.#firstRow[root + 1]!;
      if (first === end || !isLive(this.#view, root) || !this.#roots.matches()) continue;
      let row = at(this.#elements, first);
      for (; row < end; row = this.#elements.nextDoc(), steps++) {
        if (this.#elements.matches()) this.count += 1;
      }
      if (row === NO_MORE_DOCS) return false;
      this.#target = Math.max(this.#target, this.#parent[row]!);
    }
    return true;
  }
}

/** The first candidate at or behind `target`. */
function at(scorer: Scorer, target: number): number {
  return scorer.docId() < target ? scorer.advance(target) : scorer.docId();
}
