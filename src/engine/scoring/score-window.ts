// The scores of a range of rows, accumulated clause by clause (the buckets of Lucene's
// BooleanScorer): each clause iterates once over its own rows, which costs far less than advancing
// all clauses to every row. Sums have double precision and are rounded where a clause ends.
// Invariant: a row without a mark has a score of 0, so an emptied window needs no clearing.
// Invariant: a window holds exactly the rows [from, to). Its arrays begin at `base`, a multiple of
// 32, so that a word of marks is a word of a bit set.

import { countBits, lowestBit } from '../rows/bit-set.ts';

/** Most rows in a window, counted from its base; a multiple of 32. */
export const WINDOW_ROWS = 4096;

/** How the scores of several clauses for a row are combined. `only`: there is one clause. */
export type Joining = 'only' | 'sum' | 'best';

/** Rows in ascending order, each with its kind; all rows of a kind have the same score. */
export interface RowKinds {
  readonly rows: Int32Array;
  readonly kinds: Uint16Array;
}

export class ScoreWindow {
  /** By row, counted from `base`. */
  readonly scores = new Float64Array(WINDOW_ROWS);
  /** The rows that match: one bit each. */
  readonly marks = new Uint32Array(WINDOW_ROWS / 32);
  /** `from` rounded down to a multiple of 32. */
  base = 0;
  /** The first row. */
  from = 0;
  /** One past the last row; at most `base + WINDOW_ROWS`. */
  to = 0;
  /** Number of rows of the table. */
  rowCount = 0;
  /** Number of candidates checked one by one since `start`. */
  candidateCount = 0;
  /** Buffers for postings that are read; their content is valid within one call only. */
  readonly rows = new Int32Array(128);
  readonly freqs = new Int32Array(128);
  readonly #pool: WindowPool;
  #joining: Joining = 'only';

  constructor(pool: WindowPool) {
    this.#pool = pool;
  }

  get joining(): Joining {
    return this.#joining;
  }

  start(from: number, to: number, rowCount: number, joining: Joining): void {
    this.base = from & -32;
    this.from = from;
    this.to = to;
    this.rowCount = rowCount;
    this.#joining = joining;
    this.candidateCount = 0;
  }

  /** Lets the clauses of the only clause fill the window, which joins their scores. */
  joinAs(joining: Joining, fill: (window: ScoreWindow) => void): void {
    this.#joining = joining;
    fill(this);
    this.#joining = 'only';
  }

  /** Marks a row and combines a score with the one it has. */
  put(row: number, score: number): void {
    const at = row - this.base;
    const { scores } = this;
    this.marks[at >>> 5]! |= 1 << (at & 31);
    if (this.#joining !== 'best') scores[at]! += score;
    else if (score > scores[at]!) scores[at] = score;
  }

  /** Puts one score for each row of a set: bit 0 of `bits` is row `first`, a multiple of 32. */
  putRows(first: number, bits: number, score: number): void {
    // path: set of rows
    const { scores } = this;
    const offset = first - this.base;
    this.marks[offset >>> 5]! |= bits;
    for (let rest = bits; rest !== 0; rest &= rest - 1) {
      const at = offset + lowestBit(rest);
      if (this.#joining !== 'best') scores[at]! += score;
      else if (score > scores[at]!) scores[at] = score;
    }
  }

  /**
   * Puts rows from index `from` on, each with the score of its kind, if that exceeds `minScore`.
   * @returns the index of the first row after the window
   */
  putKinds(
    { rows, kinds }: RowKinds,
    from: number,
    scoreByKind: readonly number[],
    minScore: number,
  ): number {
    const { scores, marks, base, to } = this;
    const isBest = this.#joining === 'best';
    const { length } = rows;
    let place = from;
    for (; place < length; place++) {
      const row = rows[place]!;
      if (row >= to) break;
      // path: cached posting
      const score = scoreByKind[kinds[place]!]!;
      if (score <= minScore) continue;
      const at = row - base;
      marks[at >>> 5]! |= 1 << (at & 31);
      if (!isBest) scores[at]! += score;
      else if (score > scores[at]!) scores[at] = score;
    }
    return place;
  }

  /** Number of marked rows. */
  countMarked(): number {
    return countBits(this.marks, null);
  }

  /** Moves all rows to another window of the same range, rounded as the scores of one clause. */
  moveInto(other: ScoreWindow): void {
    const { scores, marks } = this;
    for (let word = 0; word < marks.length; word++) {
      for (let rest = marks[word]!; rest !== 0; rest &= rest - 1) {
        // path: moved into the parent window
        const at = (word << 5) + lowestBit(rest);
        other.put(this.base + at, Math.fround(scores[at]!));
        scores[at] = 0;
      }
      marks[word] = 0;
    }
    other.candidateCount += this.candidateCount;
  }

  /**
   * Adds the scores of another window to the rows marked in this one, and empties the other.
   * @param keep which rows stay marked: those marked in both, or all
   */
  addMarkedOf(other: ScoreWindow, keep: 'matches' | 'all'): void {
    const { scores, marks } = this;
    for (let word = 0; word < marks.length; word++) {
      const mine = marks[word]!;
      if (keep === 'matches') this.#unmark(word, mine & ~other.marks[word]!);
      for (let rest = other.marks[word]!; rest !== 0; rest &= rest - 1) {
        const bit = rest & -rest;
        const at = (word << 5) + lowestBit(bit);
        if ((mine & bit) !== 0) scores[at]! += Math.fround(other.scores[at]!);
        other.scores[at] = 0;
      }
      other.marks[word] = 0;
    }
    this.candidateCount += other.candidateCount;
  }

  /**
   * Unmarks the rows that do not exceed `least` even with `more` added; returns how many remain.
   */
  keepAbove(least: number, more: number): number {
    const { scores, marks } = this;
    let remaining = 0;
    for (let word = 0; word < marks.length; word++) {
      let mine = marks[word]!;
      for (let rest = mine; rest !== 0; rest &= rest - 1) {
        const bit = rest & -rest;
        const at = (word << 5) + lowestBit(bit);
        if (Math.fround(scores[at]! + more) > least) {
          remaining += 1;
          continue;
        }
        // path: row below the least score
        mine &= ~bit;
        scores[at] = 0;
      }
      marks[word] = mine;
    }
    return remaining;
  }

  #unmark(word: number, rows: number): void {
    this.marks[word]! &= ~rows;
    for (let rest = rows; rest !== 0; rest &= rest - 1) {
      this.scores[(word << 5) + lowestBit(rest)] = 0;
    }
  }

  /** An empty window from the same pool. */
  borrow(from: number, to: number, rowCount: number, joining: Joining): ScoreWindow {
    return this.#pool.borrow(from, to, rowCount, joining);
  }

  /** An empty window of the same range. */
  borrowLike(joining: Joining): ScoreWindow {
    return this.#pool.borrow(this.from, this.to, this.rowCount, joining);
  }

  /** Ends the use of an empty window. */
  giveBack(): void {
    this.#pool.giveBack(this);
  }

  /** Sets the scores of the marked rows to 0. */
  clearScores(): void {
    const { scores, marks } = this;
    for (let word = 0; word < marks.length; word++) {
      for (let rest = marks[word]!; rest !== 0; rest &= rest - 1) {
        scores[(word << 5) + lowestBit(rest)] = 0;
      }
    }
  }
}

/** Windows that are not in use. A borrower gives its window back, empty, before it yields. */
export class WindowPool {
  readonly #free: ScoreWindow[] = [];

  /** An empty window of the rows [from, to). */
  borrow(from: number, to: number, rowCount: number, joining: Joining): ScoreWindow {
    const window = this.#free.pop() ?? new ScoreWindow(this);
    window.start(from, to, rowCount, joining);
    return window;
  }

  giveBack(window: ScoreWindow): void {
    this.#free.push(window);
  }
}
