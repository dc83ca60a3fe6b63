// Joins nested elements to their documents (Lucene's ToParentBlockJoinQuery): a document matches
// when one of its elements does, and its score combines theirs.

import { lowestBit } from '../rows/bit-set.ts';
import { fillByCandidates, fillWindow } from '../scoring/fill-window.ts';
import { type ScoreWindow, WINDOW_ROWS } from '../scoring/score-window.ts';
import type { Scorer } from '../scoring/scorer.ts';
import { NO_MORE_DOCS, type Table } from '../sections/segment.ts';

export type NestedScoreMode = 'avg' | 'max' | 'min' | 'sum' | 'none';

/** Break-even point: scanning this many elements in a window costs as much as one random access. */
const ELEMENTS_PER_CANDIDATE = 256;

export class NestedScorer implements Scorer {
  readonly cost: number;
  readonly maxScore: number;
  readonly isConstant: boolean;
  readonly #child: Scorer;
  readonly #mode: NestedScoreMode;
  readonly #parent: Int32Array;
  readonly #firstRow: Int32Array;
  #row = -1;
  #score = 0;
  /** Number of elements in `#score` so far, while filling windows. */
  #count = 0;

  /**
   * @param child scorer over the rows of the nested table
   * @param mode `none` also when no scores are needed
   */
  constructor(child: Scorer, table: Table, mode: NestedScoreMode) {
    if (table.parent === null || table.firstRow === null) throw new TypeError('Not a nested table');
    this.#child = child;
    this.#mode = mode;
    this.#parent = table.parent;
    this.#firstRow = table.firstRow;
    this.cost = child.cost;
    this.maxScore = maxScoreOf(child, mode);
    this.isConstant = mode === 'none' || (mode !== 'sum' && child.isConstant === true);
  }

  /** The elements, and the document of each, for callers that need all matches of a new scorer. */
  get parts(): { readonly child: Scorer; readonly parent: Int32Array } {
    return { child: this.#child, parent: this.#parent };
  }

  docId(): number {
    return this.#row;
  }

  nextDoc(): number {
    return this.#toRoot(this.#row === -1 ? 0 : this.#firstRow[this.#row + 1]!);
  }

  advance(target: number): number {
    if (target >= this.#firstRow.length - 1) {
      this.#row = NO_MORE_DOCS;
      return NO_MORE_DOCS;
    }
    return this.#toRoot(this.#firstRow[target]!);
  }

  matches(): boolean {
    const child = this.#child;
    const end = this.#firstRow[this.#row + 1]!;
    const scoring = this.#mode !== 'none';
    let count = 0;
    this.#score = 0;
    for (let row = child.docId(); row < end; row = child.nextDoc()) {
      // path: elements one by one
      if (!child.matches()) continue;
      if (!scoring) return true;
      this.#add(child.score(), count);
      count += 1;
    }
    if (this.#mode === 'avg' && count > 0) this.#score /= count;
    return count > 0;
  }

  score(): number {
    return Math.fround(this.#score);
  }

  /** Only for `max`: there a document exceeds a score only if one of its elements does. */
  setMinScore(score: number): void {
    if (this.#mode === 'max') this.#child.setMinScore?.(score);
  }

  /** Fills windows of elements, which together cover the documents of this window. */
  fill(window: ScoreWindow): void {
    if (this.#child.fill === undefined) {
      fillByCandidates(this, window);
      return;
    }
    // path: filled in windows
    const first = this.#firstRow[window.from]!;
    const end = this.#firstRow[window.to]!;
    const rowCount = this.#parent.length;
    this.#row = -1;
    this.#count = 0;
    let from = first;
    while (from < end) {
      // path: window of elements
      const to = Math.min((from & -32) + WINDOW_ROWS, end);
      const elements = window.borrow(from, to, rowCount, 'only');
      fillWindow(this.#child, elements);
      this.#join(elements, window);
      elements.giveBack();
      from = to;
    }
    this.#putRoot(window);
    this.#row = window.to - 1;
    window.candidateCount += Math.floor((end - first) / ELEMENTS_PER_CANDIDATE);
  }

  /** Moves a window of elements to its documents. A document is put once the next one begins. */
  #join({ scores, marks, base, candidateCount }: ScoreWindow, window: ScoreWindow): void {
    const parent = this.#parent;
    window.candidateCount += candidateCount;
    for (let word = 0; word < marks.length; word++) {
      for (let rest = marks[word]!; rest !== 0; rest &= rest - 1) {
        const at = (word << 5) + lowestBit(rest);
        const score = Math.fround(scores[at]!);
        scores[at] = 0;
        const row = parent[base + at]!;
        if (row !== this.#row) {
          // path: next document
          this.#putRoot(window);
          this.#row = row;
          this.#count = 0;
        }
        this.#add(score, this.#count);
        this.#count += 1;
      }
      marks[word] = 0;
    }
  }

  #putRoot(window: ScoreWindow): void {
    if (this.#count === 0) return;
    if (this.#mode === 'none') this.#score = 0;
    else if (this.#mode === 'avg') this.#score /= this.#count;
    window.put(this.#row, this.score());
  }

  #toRoot(childTarget: number): number {
    let child = this.#child.docId();
    if (child < childTarget || child === -1) child = this.#child.advance(childTarget);
    this.#row = child === NO_MORE_DOCS ? NO_MORE_DOCS : this.#parent[child]!;
    return this.#row;
  }

  #add(score: number, count: number): void {
    if (count === 0) this.#score = score;
    else if (this.#mode === 'max') this.#score = Math.max(this.#score, score);
    else if (this.#mode === 'min') this.#score = Math.min(this.#score, score);
    else this.#score += score;
  }
}

function maxScoreOf(child: Scorer, mode: NestedScoreMode): number {
  switch (mode) {
    case 'none':
      return 0;
    case 'sum':
      return Number.POSITIVE_INFINITY;
    case 'avg':
    case 'max':
    case 'min':
      return child.maxScore;
  }
}
