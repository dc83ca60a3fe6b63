// One row for each distinct value of a text field, if the field has few values and each row has one.
// All rows with a value have the same words, so a term or phrase has to be looked for in one of them
// only: how often it occurs there, and the length, hold for the others.
import { NO_MORE_DOCS, type ValueIndex } from '../index/segment.ts';
import { STEPS_PER_YIELD } from '../matching/scorer.ts';

export interface ValueSamples {
  /** A row of each value, ascending. */
  readonly rows: Int32Array;
  /** The exact ordinals of the values of these rows. */
  readonly ords: Int32Array;
}

/** Break-even point: advancing to a sample costs as much as decoding this many rows of a term. */
export const ROWS_PER_SAMPLE = 16;

/** Most values: a term is looked for in each of them. */
const VALUES_MAX = 4_096;

/**
 * Finds a row of each value; null if rows may have several values, or values are too many to help.
 * @param norms of the words of the field
 */
export function* findSamples(
  values: ValueIndex,
  norms: Uint8Array,
): Generator<void, ValueSamples | null> {
  if (values.docCount < ROWS_PER_SAMPLE) return null;
  const { size } = values.exact;
  if (size > Math.min(VALUES_MAX, values.docCount / ROWS_PER_SAMPLE)) return null;
  if (values.ordStart !== null) return null;
  const firstRows = new Int32Array(size);
  const rows = new Int32Array(128);
  const freqs = new Int32Array(128);
  let steps = 0;
  for (let ord = 0; ord < size; ord++) {
    const postings = values.postings(ord);
    const first = postings.nextDoc();
    firstRows[ord] = first;
    const norm = norms[first]!;
    for (;;) {
      const count = postings.take(NO_MORE_DOCS, rows, freqs);
      if (count === 0) break;
      // A row that repeats its value has one ordinal, but it is longer than the others.
      for (let i = 0; i < count; i++) if (norms[rows[i]!] !== norm) return null;
      steps += count;
      if (steps < STEPS_PER_YIELD) continue;
      steps = 0;
      yield;
    }
  }
  const ords = Int32Array.from(firstRows, (_, ord) => ord);
  ords.sort((a, b) => firstRows[a]! - firstRows[b]!);
  return { rows: firstRows.sort(), ords };
}
