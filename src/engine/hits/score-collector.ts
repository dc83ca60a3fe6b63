// Collects the best rows of a segment by score alone, window by window. Before each window the
// scorer gets the minimum competitive score so far, so that rows below it cost little or nothing.

import { lowestBit } from '../rows/bit-set.ts';
import { fillWindow } from '../scoring/fill-window.ts';
import { type ScoreWindow, WINDOW_ROWS, type WindowPool } from '../scoring/score-window.ts';
import type { Scorer } from '../scoring/scorer.ts';
import type { SegmentView } from '../sections/segment.ts';
import { BestRows } from './best-rows.ts';

/** Rows of the first window of a segment. Windows double in size unless they are slow. */
const FIRST_ROWS = 256;
/** A window with more candidates checked one by one than this is slow. */
const CANDIDATES_MAX = 256;

/** The minimum competitive score of a search, shared by all its segments and indexes. */
export class Pruning {
  /** The best scores so far, at most `size`: a heap whose root is the least. */
  readonly #heap: number[] = [];
  /** Number of best hits to collect. */
  readonly size: number;
  #count = 0;
  /** At least `size` live rows score this or more; negative if unknown. */
  #guaranteed = -1;

  /** @param size number of best hits to collect; 1 or more */
  constructor(size: number) {
    this.size = size;
  }

  /** Rows that score less are not among the best; negative if unknown. */
  get minCompetitiveScore(): number {
    return this.#count === this.size
      ? Math.max(this.#heap[0]!, this.#guaranteed)
      : this.#guaranteed;
  }

  /**
   * Reports a score that at least `size` live rows have or exceed, before they are collected;
   * negative for none.
   */
  guarantee(score: number): void {
    if (score > this.#guaranteed) this.#guaranteed = score;
  }

  /** Adds the score of one live row; true if the minimum competitive score may have changed. */
  addScore(score: number): boolean {
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

/** Collects the best rows by score in one segment. */
export class ScoreCollector {
  /** The rows that may be among the best. */
  readonly best = new BestRows();
  readonly #scorer: Scorer;
  readonly #view: SegmentView;
  readonly #pruning: Pruning;
  readonly #losingTieScore: number;
  readonly #windows: WindowPool;
  /** The segment has `size` rows with this score or more, so later ties lose; -1 if it has not. */
  #ownLeast = -1;
  /** First row of the next window, and its number of rows. */
  #from = 0;
  #rows = FIRST_ROWS;

  /**
   * @param losingTieScore rows with exactly this score lose, to rows of an earlier index; -1 for
   * none
   */
  constructor(
    scorer: Scorer,
    view: SegmentView,
    pruning: Pruning,
    losingTieScore: number,
    windows: WindowPool,
  ) {
    // path: segment by score
    this.#scorer = scorer;
    this.#view = view;
    this.#pruning = pruning;
    this.#losingTieScore = losingTieScore;
    this.#windows = windows;
    const { segment, liveCount } = view;
    const deleted = segment.docCount - liveCount;
    pruning.guarantee(scorer.guaranteedScore?.(pruning.size + deleted) ?? -1);
  }

  /** Lists the best live matches. Ties of the least of them are included if they cost nothing. */
  *collect(): Generator<void, void> {
    while (this.#hasCandidates() && this.#scorer.maxScore > this.#pruning.minCompetitiveScore) {
      this.#scorer.setMinScore?.(this.#floor());
      this.#collectWindow();
      yield;
    }
  }

  /** As `collect`, and counts all live matches. */
  *collectAll(): Generator<void, number> {
    let count = 0;
    while (this.#from < this.#view.segment.docCount) {
      count += this.#collectWindow();
      yield;
    }
    return count;
  }

  /**
   * Continues where `collect` stopped, after its rows have been taken: ties are collected only as
   * far as the page needs them. False if there are no more.
   */
  collectTies(): boolean {
    if (!this.#hasCandidates()) return false;
    this.#scorer.setMinScore?.(this.#floor());
    // path: ties
    this.#collectWindow();
    return true;
  }

  #hasCandidates(): boolean {
    return this.#from < this.#view.segment.docCount && this.#scorer.maxScore > this.#floor();
  }

  /** Later rows with this score or less cannot be among the best. */
  #floor(): number {
    const { minCompetitiveScore } = this.#pruning;
    const tiesLose =
      minCompetitiveScore === this.#ownLeast || minCompetitiveScore === this.#losingTieScore;
    return tiesLose ? minCompetitiveScore : justBelow(minCompetitiveScore);
  }

  /** Processes one window and returns its number of live matches. */
  #collectWindow(): number {
    // path: window of rows
    const { docCount } = this.#view.segment;
    const to = Math.min(this.#from + this.#rows, docCount);
    const window = this.#windows.borrow(this.#from, to, docCount, 'only');
    fillWindow(this.#scorer, window);
    const count = offerWindow(window, this.#view, this.best, this.#pruning, this.#floor());
    const isSlow = window.candidateCount > CANDIDATES_MAX;
    this.#rows = isSlow
      ? /* path: smaller window */ Math.max(this.#rows / 2, 32)
      : Math.min(this.#rows * 2, WINDOW_ROWS);
    window.giveBack();
    this.#from = to;
    const { minCompetitiveScore, size } = this.#pruning;
    if (
      this.best.count > size ||
      (this.best.count === size && minCompetitiveScore > this.#ownLeast)
    ) {
      this.best.keep(minCompetitiveScore, size);
      if (this.best.count === size) this.#ownLeast = minCompetitiveScore;
    }
    return count;
  }
}

/** The next smaller 32-bit float; -1 for 0, as no score is negative. */
function justBelow(score: number): number {
  return score > 0 ? Math.fround(score * (1 - 2 ** -24)) : -1;
}

/** Empties the window and returns its number of live rows. */
function offerWindow(
  { base, scores, marks }: ScoreWindow,
  { liveDocs }: SegmentView,
  best: BestRows,
  pruning: Pruning,
  floorBefore: number,
): number {
  let floor = floorBefore;
  let count = 0;
  for (let word = 0; word < marks.length; word++) {
    const live = liveDocs === null ? -1 : liveDocs[(base >>> 5) + word]!;
    for (let rest = marks[word]!; rest !== 0; rest &= rest - 1) {
      const bit = rest & -rest;
      const at = (word << 5) + lowestBit(bit);
      const score = Math.fround(scores[at]!);
      scores[at] = 0;
      if ((live & bit) === 0) /* path: deleted row */ continue;
      count += 1;
      if (score <= floor) continue;
      best.add(base + at, score);
      if (pruning.addScore(score)) floor = Math.max(floor, justBelow(pruning.minCompetitiveScore));
    }
    marks[word] = 0;
  }
  return count;
}
