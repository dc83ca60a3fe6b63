// The pairs of frequency and norm byte in some rows of a term that no other pair beats in both
// (Lucene's impacts). One of them has the best score of these rows, whatever the statistics and
// boosts. The postings of words store them for each block and for the whole term: four pairs of two
// bytes, from the greatest frequency down, with zeros after the last one.

import type { ByteList } from './growable.ts';

/** The pairs of frequency and norm byte of a term that may score best. */
export interface Impacts {
  /** Flat: frequency, norm byte, frequency, norm byte … */
  readonly pairs: readonly number[];
  /** True if all rows have the same pair, which is the only one here. */
  readonly isUniform: boolean;
}

/** Stored bytes of one list of pairs. */
export const IMPACT_BYTES = 8;
/** Greater frequencies count as unbounded. */
const FREQ_MAX = 255;
const NORM_MAX = 255;

/** Collects pairs of frequency and norm byte. */
export class ImpactsCollector {
  /** By frequency, the shortest norm. */
  readonly #shortest = new Int16Array(FREQ_MAX + 1).fill(NORM_MAX + 1);
  #greatest = 0;
  #freq = 0;
  #norm = 0;
  #isUniform = true;

  /** @param freq may be a fraction, of a phrase with slop */
  add(freq: number, norm: number): void {
    if (this.#freq === 0) {
      this.#freq = freq;
      this.#norm = norm;
    } else if (freq !== this.#freq || norm !== this.#norm) this.#isUniform = false;
    const bounded = Math.min(Math.ceil(freq), FREQ_MAX);
    if (norm < this.#shortest[bounded]!) this.#shortest[bounded] = norm;
    if (bounded > this.#greatest) this.#greatest = bounded;
  }

  /**
   * Returns each pair, from the greatest frequency down, that is shorter than all before it, and
   * forgets them.
   */
  finish(): Impacts {
    const isUniform = this.#isUniform && this.#freq > 0;
    const impacts = { pairs: isUniform ? [this.#freq, this.#norm] : this.#pairs(), isUniform };
    this.#shortest.fill(NORM_MAX + 1, 0, this.#greatest + 1);
    this.#greatest = 0;
    this.#freq = 0;
    this.#isUniform = true;
    return impacts;
  }

  #pairs(): number[] {
    const pairs: number[] = [];
    let least = NORM_MAX + 1;
    for (let freq = this.#greatest; freq > 0; freq--) {
      if (this.#shortest[freq]! >= least) continue;
      least = this.#shortest[freq]!;
      pairs.push(unbounded(freq), least);
    }
    return pairs;
  }
}

/** Appends the stored form; pairs that do not fit are joined to a last one that beats them all. */
export function writeImpacts({ pairs, isUniform }: Impacts, out: ByteList): void {
  const freqOf = (at: number): number => Math.min(pairs[at]!, FREQ_MAX);
  out.reserve(IMPACT_BYTES);
  const end = out.length + IMPACT_BYTES;
  out.data.fill(0, out.length, end);
  const stored = Math.min(pairs.length, IMPACT_BYTES);
  for (let at = 0; at < stored; at += 2) {
    out.data[out.length++] = freqOf(at);
    out.data[out.length++] = pairs[at + 1]!;
  }
  if (pairs.length > stored) out.data[end - 1] = pairs[pairs.length - 1]!;
  else if (isUniform && freqOf(0) < FREQ_MAX) {
    out.data[out.length++] = freqOf(0);
    out.data[out.length++] = pairs[1]!;
  }
  out.length = end;
}

/** Reads the stored form at an offset. The same pair twice: all rows have it. */
export function readImpacts(bytes: Uint8Array, from: number): Impacts {
  const pairs: number[] = [];
  for (let at = from; at < from + IMPACT_BYTES && bytes[at] !== 0; at += 2) {
    if (at > from && bytes[at] === bytes[at - 2] && bytes[at + 1] === bytes[at - 1]) {
      return { pairs, isUniform: true };
    }
    pairs.push(unbounded(bytes[at]!), bytes[at + 1]!);
  }
  return { pairs, isUniform: false };
}

/** Computes the score of a row; see Bm25. */
export interface Similarity {
  score(freq: number, normByte: number): number;
}

/** The best score of the pairs stored at an offset. */
export function bestStored(bytes: Uint8Array, from: number, similarity: Similarity): number {
  let best = 0;
  for (let at = from; at < from + IMPACT_BYTES && bytes[at] !== 0; at += 2) {
    best = Math.max(best, similarity.score(unbounded(bytes[at]!), bytes[at + 1]!));
  }
  return best;
}

/** The best score of all pairs. */
export function bestScore({ pairs }: Impacts, similarity: Similarity): number {
  let best = 0;
  for (let i = 0; i < pairs.length; i += 2) {
    best = Math.max(best, similarity.score(pairs[i]!, pairs[i + 1]!));
  }
  return best;
}

function unbounded(freq: number): number {
  return freq === FREQ_MAX ? Number.POSITIVE_INFINITY : freq;
}
