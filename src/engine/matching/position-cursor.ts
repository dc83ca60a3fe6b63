// The positions at one place of a phrase, of one term or of several merged (Lucene's
// UnionPostingsEnum). Reads all positions of a row at once, into an array that is reused.

import type { Scorer } from '../scoring/scorer.ts';
import { NO_MORE_DOCS, type Postings } from '../sections/segment.ts';
import { TermScorer } from '../terms/term-scorer.ts';
import { DisjunctionScorer } from './disjunction-scorer.ts';

const ANY = { minimumMatch: 1, scoring: false, tieBreaker: null };

export class PositionCursor {
  /** The rows that contain one of the terms. */
  readonly rows: Scorer;
  /** Positions in the current row, ascending; the first `count` entries. */
  positions = new Int32Array(16);
  count = 0;
  readonly #postings: readonly Postings[];

  /** @param postings one or more */
  constructor(postings: readonly Postings[]) {
    this.#postings = postings;
    const scorers = postings.map((one) => new TermScorer(one, null, null, null));
    this.rows = scorers.length === 1 ? scorers[0]! : new DisjunctionScorer(scorers, ANY);
  }

  /** Number of positions in the current row, without reading them. */
  freq(): number {
    const row = this.rows.docId();
    let freq = 0;
    for (const postings of this.#postings) if (postings.docId() === row) freq += postings.freq();
    return freq;
  }

  /** Reads the positions in the current row. */
  read(): void {
    const row = this.rows.docId();
    this.count = 0;
    if (row === NO_MORE_DOCS) return;
    let sources = 0;
    for (const postings of this.#postings) {
      if (postings.docId() !== row) continue;
      sources += 1;
      this.#append(postings);
    }
    if (sources > 1) /* path: several terms */ this.positions.subarray(0, this.count).sort();
  }

  #append(postings: Postings): void {
    const freq = postings.freq();
    if (this.positions.length < this.count + freq) {
      // path: more room
      const larger = new Int32Array(2 * (this.count + freq));
      larger.set(this.positions.subarray(0, this.count));
      this.positions = larger;
    }
    for (let i = 0; i < freq; i++) this.positions[this.count + i] = postings.nextPosition();
    this.count += freq;
  }
}
