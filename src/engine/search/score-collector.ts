// The best rows of a segment by score alone. Scores are gathered window by window; what the best ones so far have taught
// is told to the scorer before each, so that rows that cannot be among them cost little or nothing.
import type { SegmentView } from '../index/segment.ts';
import { BestRows } from './best-rows.ts';
import {
  borrowWindow,
  fillWindow,
  giveBack,
  type ScoreWindow,
  WINDOW_ROWS,
} from './score-window.ts';
import type { Scorer } from './scorer.ts';

/** Rows of the first window of a segment. Each one doubles, unless its rows had to be asked one by one. */
const FIRST_ROWS = 256;
/** Candidates asked one by one that make a window take long. */
const WALKED_MAX = 256;

const NO_SCORES = new Float64Array(0);

/** What a search by score has learnt on its way through segments and indexes. */
export class Pruning {
  /** The best scores so far, as many as are wanted: a heap whose root is the least. */
  #heap = NO_SCORES;
  /** As many of the best are wanted. */
  readonly size: number;
  #count = 0;

  /** @param size as many of the best are wanted; 1 or more */
  constructor(size: number) {
    this.size = size;
  }

  /** Rows that score less are not among the best; negative while fewer have been found. */
  get leastScore(): number {
    return this.#count === this.size ? this.#heap[0]! : -1;
  }

  /** Tells of a live row's score, once each; whether the least score may have changed. */
  learn(score: number): boolean {
    if (this.#count === 0) this.#heap = new Float64Array(this.size);
    const heap = this.#heap;
    if (this.#count < this.size) {
      let at = this.#count++;
      for (let above = (at - 1) >> 1; at > 0 && heap[above]! > score; above = (at - 1) >> 1) {
        heap[at] = heap[above]!;
        at = above;
      }
      heap[at] = score;
    } else if (score > heap[0]!) this.#replaceLeast(score);
    else return false;
    return this.#count === this.size;
  }

  #replaceLeast(score: number): void {
    const heap = this.#heap;
    const { length } = heap;
    let at = 0;
    for (let child = 1; child < length; child = 2 * at + 1) {
      if (child + 1 < length && heap[child + 1]! < heap[child]!) child += 1;
      if (heap[child]! >= score) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = score;
  }
}

/** Rows of a segment that stand too far behind for this score: earlier segments have enough rows that do so before them. */
export interface Ties {
  readonly score: number;
  /** The first of these rows. */
  readonly end: number;
}

/** A search by score in one segment. */
export class ScoreCollector {
  /** The rows that may be among the best. */
  readonly best = new BestRows();
  readonly #scorer: Scorer;
  readonly #view: SegmentView;
  readonly #pruning: Pruning;
  readonly #ties: Ties;
  /** This segment itself has enough rows with so much or more: later ones that tie stand behind them. */
  #ownLeast = -1;

  constructor(scorer: Scorer, view: SegmentView, pruning: Pruning, ties: Ties) {
    this.#scorer = scorer;
    this.#view = view;
    this.#pruning = pruning;
    this.#ties = ties;
  }

  /** Finds the best live matches, and others only where that is no more work: how many match is not known afterwards. */
  *collect(): Generator<void, void> {
    const rowCount = this.#view.segment.docCount;
    const { end } = this.#ties;
    let rows = FIRST_ROWS;
    for (let from = 0; from < rowCount; ) {
      const floor = this.#floor(from);
      if (this.#scorer.maxScore <= floor) return;
      this.#scorer.setMinScore?.(floor);
      let to = Math.min(from + rows, rowCount);
      if (from < end && end < to) to = Math.min((end + 31) & ~31, rowCount);
      rows = this.#look(from, to, rows).rows;
      from = to;
      yield;
    }
  }

  /** Finds the best live matches, and counts all. */
  *collectAll(): Generator<void, number> {
    const rowCount = this.#view.segment.docCount;
    let rows = FIRST_ROWS;
    let count = 0;
    for (let from = 0; from < rowCount; ) {
      const to = Math.min(from + rows, rowCount);
      const looked = this.#look(from, to, rows);
      rows = looked.rows;
      count += looked.count;
      from = to;
      yield;
    }
    return count;
  }

  /** The row that others which tie with the least score must be before, if all the best may stand in this segment; else -1. */
  lastOfTies(): number {
    const { leastScore } = this.#pruning;
    return leastScore >= 0 && this.#ownLeast === leastScore ? this.best.lastWith(leastScore) : -1;
  }

  /** Rows from this one on that score as much or less are of no interest. */
  #floor(row: number): number {
    const { leastScore } = this.#pruning;
    if (this.#ownLeast === leastScore) return leastScore;
    const { score, end } = this.#ties;
    return row >= end && score === leastScore ? leastScore : justBelow(leastScore);
  }

  /** One window; answers how many live rows match and how many rows to look at next. */
  #look(from: number, to: number, rows: number): { count: number; rows: number } {
    const window = borrowWindow(from, to, this.#view.segment.docCount, 'only');
    fillWindow(this.#scorer, window);
    const count = offerWindow(window, this.#view, this.best, this.#pruning, this.#floor(from));
    const next = window.walked > WALKED_MAX ? Math.max(rows / 2, 32) : rows * 2;
    giveBack(window);
    const { leastScore, size } = this.#pruning;
    if (this.best.count >= size) {
      this.best.keep(leastScore, size);
      if (this.best.count === size) this.#ownLeast = leastScore;
    }
    return { count, rows: Math.min(WINDOW_ROWS, next) };
  }
}

/** The next smaller 32-bit float; no score is below 0. */
function justBelow(score: number): number {
  return score > 0 ? Math.fround(score * (1 - 2 ** -24)) : -1;
}

/** Empties the window; answers how many live rows it had. */
function offerWindow(
  { from, scores, marks }: ScoreWindow,
  { liveDocs }: SegmentView,
  best: BestRows,
  pruning: Pruning,
  floorBefore: number,
): number {
  let floor = floorBefore;
  let count = 0;
  for (let word = 0; word < marks.length; word++) {
    const live = liveDocs === null ? -1 : liveDocs[(from >>> 5) + word]!;
    for (let rest = marks[word]!; rest !== 0; rest &= rest - 1) {
      const bit = rest & -rest;
      const at = (word << 5) + 31 - Math.clz32(bit);
      const score = Math.fround(scores[at]!);
      scores[at] = 0;
      if ((live & bit) === 0) continue;
      count += 1;
      if (score <= floor) continue;
      best.add(from + at, score);
      if (pruning.learn(score)) floor = Math.max(floor, justBelow(pruning.leastScore));
    }
    marks[word] = 0;
  }
  return count;
}
