// Matches terms within an edit distance of a word: optimal string alignment over code points
// (insert, delete, replace, swap of two neighbours), computing one band of the table. A state is
// the last two rows, so terms with a common prefix share them.
import type { TermMatcher } from './term-walker.ts';

export interface EditState {
  /** Number of code points read. */
  readonly length: number;
  readonly last: number;
  /**
   * distance(read, word[0, j]) for j from length - maxEdits to length + maxEdits, capped at
   * maxEdits + 1.
   */
  readonly band: Uint8Array;
  readonly before: EditState | null;
}

export class Levenshtein implements TermMatcher<EditState> {
  readonly start: EditState;
  work = 0;
  /** Number of code points of the word. */
  readonly length: number;
  readonly #word: readonly number[];
  readonly #maxEdits: number;
  readonly #prefixLength: number;

  /** @param prefixLength number of leading code points that must be equal */
  constructor(word: string, maxEdits: number, prefixLength: number) {
    this.#word = Array.from(word, (char) => char.codePointAt(0)!);
    this.length = this.#word.length;
    this.#maxEdits = maxEdits;
    this.#prefixLength = Math.min(prefixLength, this.length);
    const band = new Uint8Array(2 * maxEdits + 1);
    for (let b = 0; b < band.length; b++) {
      const j = b - maxEdits;
      band[b] = j >= 0 && j <= this.length ? j : maxEdits + 1;
    }
    this.start = { length: 0, last: -1, band, before: null };
  }

  step(state: EditState, codePoint: number): EditState | null {
    const word = this.#word;
    const maxEdits = this.#maxEdits;
    const i = state.length + 1;
    if (i <= this.#prefixLength && word[i - 1] !== codePoint) return null;
    this.work += 1;
    const band = new Uint8Array(2 * maxEdits + 1);
    const older = state.before?.band;
    let least = maxEdits + 1;
    for (let b = 0; b < band.length; b++) {
      const j = i + b - maxEdits;
      let edits = maxEdits + 1;
      if (j === 0) edits = i;
      else if (j > 0 && j <= word.length) {
        edits = state.band[b]! + (word[j - 1] === codePoint ? 0 : 1);
        if (b + 1 < band.length) edits = Math.min(edits, state.band[b + 1]! + 1);
        if (b > 0) edits = Math.min(edits, band[b - 1]! + 1);
        const swapped = j > 1 && word[j - 1] === state.last && word[j - 2] === codePoint;
        if (swapped && older !== undefined) edits = Math.min(edits, older[b]! + 1);
      }
      band[b] = Math.min(edits, maxEdits + 1);
      least = Math.min(least, band[b]!);
    }
    return least > maxEdits ? null : { length: i, last: codePoint, band, before: state };
  }

  accepts(state: EditState): boolean {
    return state.length >= this.#prefixLength && this.edits(state) <= this.#maxEdits;
  }

  /** Edit distance between the text read and the word; more than maxEdits if it exceeds that. */
  edits(state: EditState): number {
    return state.band[this.length - state.length + this.#maxEdits] ?? this.#maxEdits + 1;
  }
}
