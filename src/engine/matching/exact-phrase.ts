// How often the terms of a phrase stand one right behind the other in a row.
import type { PositionCursor } from './position-cursor.ts';

/** Counts occurrences from the positions the cursors have read; stops at `countMax`. */
export function exactPhraseFreq(cursors: readonly PositionCursor[], countMax: number): number {
  const first = cursors[0]!;
  const at = new Int32Array(cursors.length);
  let found = 0;
  for (let i = 0; i < first.count; i++) {
    const start = first.positions[i]!;
    let place = 1;
    for (; place < cursors.length; place++) {
      const { positions, count } = cursors[place]!;
      const wanted = start + place;
      let next = at[place]!;
      while (next < count && positions[next]! < wanted) next += 1;
      at[place] = next;
      if (next === count) return found;
      if (positions[next] !== wanted) break;
    }
    if (place === cursors.length && ++found === countMax) return found;
  }
  return found;
}
