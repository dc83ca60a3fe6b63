// The best rows of a segment by score alone. Scores are gathered window by window; what the best ones so far have taught
// is told to the scorer before each, so that rows that cannot be among them cost little or nothing.
import type { SegmentView } from '../index/segment.ts';
import type { Scorer } from '../matching/scorer.ts';
import { fillWindow } from '../scoring/fill-window.ts';
import { borrowWindow, giveBack, type ScoreWindow, WINDOW_ROWS } from '../scoring/score-window.ts';
import { BestRows } from './best-rows.ts';

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
  /** As many as are wanted are known to score so much or more. */
  #promised = -1;

  /** @param size as many of the best are wanted; 1 or more */
  constructor(size: number) {
    this.size = size;
  }

  /** Rows that score less are not among the best; negative while fewer have been found. */
  get leastScore(): number {
    return this.#count === this.size ? Math.max(this.#heap[0]!, this.#promised) : this.#promised;
  }

  /** Tells of a score that as many live rows as are wanted have or exceed, before any of them is met; negative: of none. */
  promise(score: number): void {
    if (score > this.#promised) this.#promised = score;
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

/** A search by score in one segment. */
export class ScoreCollector {
  /** The rows that may be among the best. */
  readonly best = new BestRows();
  readonly #scorer: Scorer;
  readonly #view: SegmentView;
  readonly #pruning: Pruning;
  readonly #lostScore: number;
  /** This segment itself has enough rows with so much or more: later ones that tie stand behind them. */
  #ownLeast = -1;
  /** Where the next window begins, and how many rows it is to have. */
  #from = 0;
  #rows = FIRST_ROWS;

  /** @param lostScore rows with just this score are not wanted: those of an earlier index stand before them; -1 for none */
  constructor(scorer: Scorer, view: SegmentView, pruning: Pruning, lostScore: number) {
    this.#scorer = scorer;
    this.#view = view;
    this.#pruning = pruning;
    this.#lostScore = lostScore;
    const { segment, liveCount } = view;
    const deleted = segment.docCount - liveCount;
    pruning.promise(scorer.reachedBy?.(pruning.size + deleted) ?? -1);
  }

  /** Lists the best live matches; those that can but tie with the least of them only where that is no more work. */
  *collect(): Generator<void, void> {
    while (this.#mayHave() && this.#scorer.maxScore > this.#pruning.leastScore) {
      this.#scorer.setMinScore?.(this.#floor());
      this.#look();
      yield;
    }
  }

  /** As `collect`, and counts all live matches. */
  *collectAll(): Generator<void, number> {
    let count = 0;
    while (this.#from < this.#view.segment.docCount) {
      count += this.#look();
      yield;
    }
    return count;
  }

  /**
   * Goes on a little where `collect` has stopped, after what it listed has been taken: what ties is looked for only as
   * far as the page needs it. False where there is no more.
   */
  lookForTies(): boolean {
    if (!this.#mayHave()) return false;
    this.#scorer.setMinScore?.(this.#floor());
    this.#look();
    return true;
  }

  #mayHave(): boolean {
    return this.#from < this.#view.segment.docCount && this.#scorer.maxScore > this.#floor();
  }

  /** Rows from here on that score as much or less are of no interest. */
  #floor(): number {
    const { leastScore } = this.#pruning;
    const tiesAreLost = leastScore === this.#ownLeast || leastScore === this.#lostScore;
    return tiesAreLost ? leastScore : justBelow(leastScore);
  }

  /** Goes through one window; answers how many live rows match. */
  #look(): number {
    const { docCount } = this.#view.segment;
    const to = Math.min(this.#from + this.#rows, docCount);
    const window = borrowWindow(this.#from, to, docCount, 'only');
    fillWindow(this.#scorer, window);
    const count = offerWindow(window, this.#view, this.best, this.#pruning, this.#floor());
    const isSlow = window.walked > WALKED_MAX;
    this.#rows = isSlow ? Math.max(this.#rows / 2, 32) : Math.min(this.#rows * 2, WINDOW_ROWS);
    giveBack(window);
    this.#from = to;
    const { leastScore, size } = this.#pruning;
    if (this.best.count > size || (this.best.count === size && leastScore > this.#ownLeast)) {
      this.best.keep(leastScore, size);
      if (this.best.count === size) this.#ownLeast = leastScore;
    }
    return count;
  }
}

/** The next smaller 32-bit float; no score is below 0. */
function justBelow(score: number): number {
  return score > 0 ? Math.fround(score * (1 - 2 ** -24)) : -1;
}

/** Empties the window; answers how many live rows it had. */
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
      const at = (word << 5) + 31 - Math.clz32(bit);
      const score = Math.fround(scores[at]!);
      scores[at] = 0;
      if ((live & bit) === 0) continue;
      count += 1;
      if (score <= floor) continue;
      best.add(base + at, score);
      if (pruning.learn(score)) floor = Math.max(floor, justBelow(pruning.leastScore));
    }
    marks[word] = 0;
  }
  return count;
}
