// Frequency of an exact phrase in a row: how often its terms have consecutive positions.
import type { PositionCursor } from './position-cursor.ts';

export class ExactPhrase {
  readonly #cursors: readonly PositionCursor[];
  /** By cursor: the first position that was not passed yet. Kept, as rows are many. */
  readonly #next: Int32Array;

  constructor(cursors: readonly PositionCursor[]) {
    this.#cursors = cursors;
    this.#next = new Int32Array(cursors.length);
  }

  /** Counts occurrences from positions that the cursors have read; stops at `countMax`. */
  freq(countMax: number): number {
    const cursors = this.#cursors;
    const nexts = this.#next;
    nexts.fill(0);
    const first = cursors[0]!;
    let freq = 0;
    for (let i = 0; i < first.count; i++) {
      const start = first.positions[i]!;
      let place = 1;
      for (; place < cursors.length; place++) {
        const { positions, count } = cursors[place]!;
        const position = start + place;
        let next = nexts[place]!;
        while (next < count && positions[next]! < position) next += 1;
        nexts[place] = next;
        if (next === count) return freq;
        if (positions[next] !== position) break;
      }
      if (place === cursors.length && ++freq === countMax) return freq;
    }
    return freq;
  }
}
