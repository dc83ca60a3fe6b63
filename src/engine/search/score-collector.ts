// The best rows of a segment by score alone. Scores are gathered window by window; what the best ones so far have taught
// is told to the scorer before each, so that rows that cannot be among them cost little or nothing.
import type { SegmentView } from '../index/segment.ts';
import {
  borrowWindow,
  fillWindow,
  giveBack,
  type ScoreWindow,
  WINDOW_ROWS,
} from './score-window.ts';
import type { Scorer } from './scorer.ts';
import type { TopRows } from './top-rows.ts';

/** Rows of the first window of a segment. Each one doubles, unless its rows had to be asked one by one. */
const FIRST_ROWS = 256;
/** Candidates asked one by one that make a window take long. */
const WALKED_MAX = 256;

const NO_SCORES = new Float64Array(0);

/** What a search by score has learnt on its way through segments and indexes. */
export class Pruning {
  /** The best scores so far, as many as are wanted: a heap whose root is the least. */
  #heap = NO_SCORES;
  readonly #size: number;
  #count = 0;

  /** @param size as many of the best are wanted; 1 or more */
  constructor(size: number) {
    this.#size = size;
  }

  /** Rows that score less are not among the best; negative while fewer have been found. */
  get leastScore(): number {
    return this.#count === this.#size ? this.#heap[0]! : -1;
  }

  /** Tells of a live row's score; once each. */
  learn(score: number): void {
    if (this.#count === 0) this.#heap = new Float64Array(this.#size);
    const heap = this.#heap;
    if (this.#count < this.#size) {
      let at = this.#count++;
      for (let above = (at - 1) >> 1; at > 0 && heap[above]! > score; above = (at - 1) >> 1) {
        heap[at] = heap[above]!;
        at = above;
      }
      heap[at] = score;
    } else if (score > heap[0]!) this.#replaceLeast(score);
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

/**
 * Offers the live matches to `top` by score, best first, but for those that are surely not among the best: how many
 * match is not known afterwards.
 */
export function* bestByScore(
  scorer: Scorer,
  view: SegmentView,
  top: TopRows,
  pruning: Pruning,
  ties: Ties,
): Generator<void, void> {
  const rowCount = view.segment.docCount;
  let rows = FIRST_ROWS;
  for (let from = 0; from < rowCount; ) {
    const mayTie = from < ties.end || ties.score !== pruning.leastScore;
    const floor = floorOf(top, pruning, mayTie);
    if (scorer.maxScore <= floor) return;
    scorer.setMinScore?.(floor);
    let to = Math.min(from + rows, rowCount);
    if (from < ties.end && ties.end < to) to = Math.min((ties.end + 31) & ~31, rowCount);
    const window = borrowWindow(from, to, rowCount, 'only');
    fillWindow(scorer, window);
    offerWindow(window, view, top, pruning, floor);
    rows = Math.min(WINDOW_ROWS, window.walked > WALKED_MAX ? Math.max(rows / 2, 32) : rows * 2);
    giveBack(window);
    from = to;
    yield;
  }
}

/** How many live rows match, all of them offered to `top` by score. */
export function* allByScore(
  scorer: Scorer,
  view: SegmentView,
  top: TopRows,
): Generator<void, number> {
  const rowCount = view.segment.docCount;
  let rows = FIRST_ROWS;
  let count = 0;
  for (let from = 0; from < rowCount; ) {
    const to = Math.min(from + rows, rowCount);
    const window = borrowWindow(from, to, rowCount, 'only');
    fillWindow(scorer, window);
    count += offerWindow(window, view, top, null, top.isFull ? worstOf(top) : -1);
    rows = Math.min(WINDOW_ROWS, window.walked > WALKED_MAX ? Math.max(rows / 2, 32) : rows * 2);
    giveBack(window);
    from = to;
    yield;
  }
  return count;
}

/** Rows that score as much or less are of no interest. */
function floorOf(top: TopRows, { leastScore }: Pruning, mayTie: boolean): number {
  // A later row that ties with the worst one stands behind it; in another segment its id decides.
  const own = top.isFull ? worstOf(top) : -1;
  return Math.max(own, mayTie ? justBelow(leastScore) : leastScore);
}

function worstOf(top: TopRows): number {
  return 0 - top.worstPlace;
}

/** The next smaller 32-bit float; no score is below 0. */
function justBelow(score: number): number {
  return score > 0 ? Math.fround(score * (1 - 2 ** -24)) : -1;
}

const place = new Float64Array(1);

/** Empties the window; answers how many live rows it had. */
function offerWindow(
  { from, scores, marks }: ScoreWindow,
  { liveDocs }: SegmentView,
  top: TopRows,
  pruning: Pruning | null,
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
      place[0] = -score;
      top.offer(from + at, place);
      pruning?.learn(score);
      if (top.isFull) floor = Math.max(floor, worstOf(top));
    }
    marks[word] = 0;
  }
  return count;
}
