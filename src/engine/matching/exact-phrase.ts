// Frequency of an exact phrase in a row: how often its terms have consecutive positions.
import type { PositionCursor } from './position-cursor.ts';

/** Counts occurrences from positions that the cursors have read; stops at `countMax`. */
export function exactPhraseFreq(cursors: readonly PositionCursor[], countMax: number): number {
  const first = cursors[0]!;
  const at = new Int32Array(cursors.length);
  let freq = 0;
  for (let i = 0; i < first.count; i++) {
    const start = first.positions[i]!;
    let place = 1;
    for (; place < cursors.length; place++) {
      const { positions, count } = cursors[place]!;
      const position = start + place;
      let next = at[place]!;
      while (next < count && positions[next]! < position) next += 1;
      at[place] = next;
      if (next === count) return freq;
      if (positions[next] !== position) break;
    }
    if (place === cursors.length && ++freq === countMax) return freq;
  }
  return freq;
}
