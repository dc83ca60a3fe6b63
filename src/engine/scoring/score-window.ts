// The scores of a run of rows, gathered clause by clause (the buckets of Lucene's BooleanScorer): each clause goes once
// over its own rows, which costs far less than to bring all clauses to every row. Sums are kept in double precision and
// rounded where a clause ends.
// Invariant: a row that is not marked has a score of 0, so an emptied window needs no clearing.
// Invariant: a window holds the rows [from, to) and no others, wherever `from` is; its arrays begin at `base`, a multiple
// of 32, so that a word of marks is a word of a set of rows.

import { countBits } from '../rows/bit-set.ts';

/** Rows in a window at most, counted from its base; a multiple of 32. */
export const WINDOW_ROWS = 4096;

/** What becomes of the scores that several clauses give to a row. `only`: one clause writes, and what it writes is the score. */
export type Joining = 'only' | 'sum' | 'best';

/** Rows in ascending order, each with the number of its kind: rows of a kind score alike. */
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
  /** The first row behind the window; `base + WINDOW_ROWS` or less. */
  to = 0;
  /** Rows of the whole table. */
  rowCount = 0;
  joining: Joining = 'only';
  /** How many candidates had to be asked one by one since `start`. */
  walked = 0;

  start(from: number, to: number, rowCount: number, joining: Joining): void {
    this.base = from & -32;
    this.from = from;
    this.to = to;
    this.rowCount = rowCount;
    this.joining = joining;
    this.walked = 0;
  }

  /** Joins a row's score to what is there. */
  put(row: number, score: number): void {
    const at = row - this.base;
    const { scores } = this;
    this.marks[at >>> 5]! |= 1 << (at & 31);
    if (this.joining !== 'best') scores[at]! += score;
    else if (score > scores[at]!) scores[at] = score;
  }

  /** Joins one score to rows of a set: `first`, a multiple of 32, and the 31 rows after it, one bit each. */
  putRows(first: number, bits: number, score: number): void {
    const { scores } = this;
    const offset = first - this.base;
    this.marks[offset >>> 5]! |= bits;
    for (let rest = bits; rest !== 0; rest &= rest - 1) {
      const at = offset + 31 - Math.clz32(rest & -rest);
      if (this.joining !== 'best') scores[at]! += score;
      else if (score > scores[at]!) scores[at] = score;
    }
  }

  /**
   * Joins the rows of a word from a place on, each with the score of its kind, but for those that score `minScore` or less.
   * @returns the place of the first row behind the window
   */
  putKinds(
    { rows, kinds }: RowKinds,
    from: number,
    scoreByKind: Float64Array,
    minScore: number,
  ): number {
    const { scores, marks, base, to } = this;
    const isBest = this.joining === 'best';
    const { length } = rows;
    let place = from;
    for (; place < length; place++) {
      const row = rows[place]!;
      if (row >= to) break;
      const score = scoreByKind[kinds[place]!]!;
      if (score <= minScore) continue;
      const at = row - base;
      marks[at >>> 5]! |= 1 << (at & 31);
      if (!isBest) scores[at]! += score;
      else if (score > scores[at]!) scores[at] = score;
    }
    return place;
  }

  /**
   * Adds the scores of a word's rows from a place on to those that are marked.
   * @returns the place of the first row behind the window
   */
  addKinds({ rows, kinds }: RowKinds, from: number, scoreByKind: Float64Array): number {
    const { scores, marks, base, to } = this;
    const { length } = rows;
    let place = from;
    for (; place < length; place++) {
      const row = rows[place]!;
      if (row >= to) break;
      const at = row - base;
      if (((marks[at >>> 5]! >>> (at & 31)) & 1) === 1) scores[at]! += scoreByKind[kinds[place]!]!;
    }
    return place;
  }

  /** How many rows are marked. */
  countMarked(): number {
    return countBits(this.marks, null);
  }

  /** Joins everything to another window of the same rows, rounded as the score of one clause, and is empty. */
  pourInto(other: ScoreWindow): void {
    const { scores, marks } = this;
    for (let word = 0; word < marks.length; word++) {
      for (let rest = marks[word]!; rest !== 0; rest &= rest - 1) {
        const at = (word << 5) + 31 - Math.clz32(rest & -rest);
        other.put(this.base + at, Math.fround(scores[at]!));
        scores[at] = 0;
      }
      marks[word] = 0;
    }
    other.walked += this.walked;
  }

  /**
   * Adds the scores of another window to the rows that are marked here, and empties the other.
   * @param keep which rows stay marked: those that were marked there too, or all
   */
  addMarkedOf(other: ScoreWindow, keep: 'matches' | 'all'): void {
    const { scores, marks } = this;
    for (let word = 0; word < marks.length; word++) {
      const mine = marks[word]!;
      if (keep === 'matches') this.#unmark(word, mine & ~other.marks[word]!);
      for (let rest = other.marks[word]!; rest !== 0; rest &= rest - 1) {
        const bit = rest & -rest;
        const at = (word << 5) + 31 - Math.clz32(bit);
        if ((mine & bit) !== 0) scores[at]! += Math.fround(other.scores[at]!);
        other.scores[at] = 0;
      }
      other.marks[word] = 0;
    }
    this.walked += other.walked;
  }

  /** Forgets the rows that stay at or below `least` even with `more` added; answers how many are left. */
  keepAbove(least: number, more: number): number {
    const { scores, marks } = this;
    let kept = 0;
    for (let word = 0; word < marks.length; word++) {
      let mine = marks[word]!;
      for (let rest = mine; rest !== 0; rest &= rest - 1) {
        const bit = rest & -rest;
        const at = (word << 5) + 31 - Math.clz32(bit);
        if (Math.fround(scores[at]! + more) > least) {
          kept += 1;
          continue;
        }
        mine &= ~bit;
        scores[at] = 0;
      }
      marks[word] = mine;
    }
    return kept;
  }

  #unmark(word: number, rows: number): void {
    this.marks[word]! &= ~rows;
    for (let rest = rows; rest !== 0; rest &= rest - 1) {
      this.scores[(word << 5) + 31 - Math.clz32(rest & -rest)] = 0;
    }
  }

  /** The marked rows score nothing so far. */
  forgetScores(): void {
    const { scores, marks } = this;
    for (let word = 0; word < marks.length; word++) {
      for (let rest = marks[word]!; rest !== 0; rest &= rest - 1) {
        scores[(word << 5) + 31 - Math.clz32(rest & -rest)] = 0;
      }
    }
  }
}

const spare: ScoreWindow[] = [];

/** An empty window, to be given back empty before others have their turn. */
export function borrowWindow(
  from: number,
  to: number,
  rowCount: number,
  joining: Joining,
): ScoreWindow {
  const window = spare.pop() ?? new ScoreWindow();
  window.start(from, to, rowCount, joining);
  return window;
}

/** An empty window of the same rows. */
export function borrowLike({ from, to, rowCount }: ScoreWindow, joining: Joining): ScoreWindow {
  return borrowWindow(from, to, rowCount, joining);
}

export function giveBack(window: ScoreWindow): void {
  spare.push(window);
}
