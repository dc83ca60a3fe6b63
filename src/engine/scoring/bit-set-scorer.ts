// Scorer over bit sets: the rows that are in all required sets and in no excluded set. Term
// expansions and ranges produce such sets, and conjunctions of them stay one scorer, which joins
// one word of 32 rows at a time, on demand. All rows have the same score.

import { bitCount, countBits, hasBit, lowestBit } from '../rows/bit-set.ts';
import { NO_MORE_DOCS } from '../sections/segment.ts';
import type { RowListScorer } from './row-list-scorer.ts';
import type { ScoreWindow } from './score-window.ts';
import type { Scorer } from './scorer.ts';

export class BitSetScorer implements Scorer {
  readonly cost: number;
  readonly maxScore: number;
  readonly isConstant = true;
  #required: readonly Uint32Array[];
  #excluded: readonly Uint32Array[] = [];
  #row = -1;
  /** The word of 32 rows joined last, and its index. */
  #joined = 0;
  #word = -1;

  /** @param count number of rows in the set */
  constructor(bits: Uint32Array, constant: number, count = countBits(bits, null)) {
    this.#required = [bits];
    this.cost = count;
    this.maxScore = constant;
  }

  /** The intersection of several scorers that have not been moved. */
  static all(scorers: readonly BitSetScorer[], constant: number): BitSetScorer {
    const rarest = scorers.reduce((a, b) => (b.cost < a.cost ? b : a));
    const scorer = rarest.scoring(constant);
    scorer.#required = scorers.flatMap((scorer) => scorer.#required);
    scorer.#excluded = scorers.flatMap((scorer) => scorer.#excluded);
    return scorer;
  }

  /** A new scorer over the same rows with another score. */
  scoring(constant: number): BitSetScorer {
    const scorer = new BitSetScorer(this.#required[0]!, constant, this.cost);
    scorer.#required = this.#required;
    scorer.#excluded = this.#excluded;
    return scorer;
  }

  /** A new scorer over the same rows, less those of `other`. */
  without(other: BitSetScorer): BitSetScorer {
    const scorer = this.scoring(this.maxScore);
    scorer.#excluded = [...this.#excluded, other.bits];
    return scorer;
  }

  /** All rows as one set. Callers must not change it. */
  get bits(): Uint32Array {
    return this.#isOneSet ? this.#required[0]! : this.copyBits();
  }

  /** All rows as a new set. */
  copyBits(): Uint32Array {
    if (this.#isOneSet) return this.#required[0]!.slice();
    const bits = new Uint32Array(this.#required[0]!.length);
    for (let word = 0; word < bits.length; word++) bits[word] = this.#join(word);
    return bits;
  }

  /** Number of rows that are also in `live`, if it is not null. */
  count(live: Uint32Array | null): number {
    if (live === null && this.#isOneSet) return this.cost;
    const { length } = this.#required[0]!;
    let count = 0;
    for (let word = 0; word < length; word++) {
      const rows = this.#join(word);
      count += bitCount(live === null ? rows : rows & live[word]!);
    }
    return count;
  }

  /** True when the row is in the set, wherever the cursor is. */
  has(row: number): boolean {
    for (const bits of this.#required) if (!hasBit(bits, row)) return false;
    for (const bits of this.#excluded) if (hasBit(bits, row)) return false;
    return true;
  }

  docId(): number {
    return this.#row;
  }

  nextDoc(): number {
    return this.advance(this.#row + 1);
  }

  advance(target: number): number {
    const { length } = this.#required[0]!;
    let word = target >>> 5;
    this.#row = NO_MORE_DOCS;
    if (word >= length) return NO_MORE_DOCS;
    if (word !== this.#word) this.#joined = this.#join(word);
    // path: next row
    let rest = this.#joined & (-1 << (target & 31));
    while (rest === 0) {
      word += 1;
      if (word === length) return NO_MORE_DOCS;
      rest = this.#join(word);
      this.#joined = rest;
    }
    this.#word = word;
    this.#row = (word << 5) + lowestBit(rest);
    return this.#row;
  }

  matches(): boolean {
    return true;
  }

  score(): number {
    return this.maxScore;
  }

  guaranteedScore(count: number): number {
    return this.#isOneSet && this.cost >= count ? this.maxScore : -1;
  }

  fill(window: ScoreWindow): void {
    const { to } = window;
    const first = Math.max(window.from, this.#row);
    const end = Math.min((to + 31) >>> 5, this.#required[0]!.length);
    for (let word = first >>> 5; word < end; word++) {
      let rows = this.#join(word);
      if (word === first >>> 5) /* path: first word cut */ rows &= -1 << (first & 31);
      if (word === to >>> 5) /* path: last word cut */ rows &= ~(-1 << (to & 31));
      if (rows !== 0) window.putRows(word << 5, rows, this.maxScore);
    }
    this.#row = Math.max(this.#row, to - 1);
  }

  addTo(bits: Uint32Array): boolean {
    const { length } = this.#required[0]!;
    for (let word = 0; word < length; word++) bits[word]! |= this.#join(word);
    return false;
  }

  /** True if `cost` is exact. */
  get #isOneSet(): boolean {
    return this.#required.length === 1 && this.#excluded.length === 0;
  }

  #join(word: number): number {
    const required = this.#required;
    const excluded = this.#excluded;
    let rows = required[0]![word]!;
    for (let set = 1; set < required.length; set++) {
      // path: several sets
      rows &= required[set]![word]!;
    }
    for (let set = 0; set < excluded.length; set++) {
      // path: without a set
      rows &= ~excluded[set]![word]!;
    }
    return rows;
  }
}

/**
 * The union of several scorers that have not been moved.
 * @param scorers one or more
 */
export function anyOfSets(
  scorers: readonly BitSetScorer[],
  lists: readonly RowListScorer[],
): BitSetScorer {
  const bits = scorers[0]!.copyBits();
  for (const list of lists) list.addTo(bits);
  for (let at = 1; at < scorers.length; at++) {
    const others = scorers[at]!.bits;
    for (let word = 0; word < bits.length; word++) {
      // path: any of several sets
      bits[word]! |= others[word]!;
    }
  }
  return new BitSetScorer(bits, 0);
}
