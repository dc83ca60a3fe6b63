// Reads the format of postings-writer.ts: a cursor that decodes row after row and skips blocks by
// their last row or their best score. It keeps no decoded rows, since a search has hundreds of
// cursors, and the garbage collector would pay for them. Positions are read and decoded only on
// demand.

import {
  bestStored,
  IMPACT_BYTES,
  type Impacts,
  readImpacts,
  type Similarity,
} from '../sections/impacts.ts';
import type { Ranges } from '../sections/paged-section.ts';
import { NO_MORE_DOCS, type Postings } from '../sections/segment.ts';
import { BLOCK_ROWS } from './postings-writer.ts';

/** Returns the document frequency of the term whose postings begin at `start`. */
export function readDocFreq(bytes: Uint8Array, start: number): number {
  let at = start;
  let byte = bytes[at++]!;
  let value = byte & 0x7f;
  for (let shift = 7; byte > 0x7f; shift += 7) {
    byte = bytes[at++]!;
    value |= (byte & 0x7f) << shift;
  }
  return value;
}

/** Bytes of a block's entry before the blocks: last row and end; with positions also the impacts. */
const SKIP_BYTES = 8;
const SKIP_BYTES_WITH_POSITIONS = 12 + IMPACT_BYTES;

/** Blocks of rows that are added to a set in one call. */
const BLOCKS_AT_ONCE = 32;
/** The norm byte of the longest text. */
const NORM_LONGEST = 255;

/** A cursor over the rows of one term. */
export class BlockPostings implements Postings {
  readonly cost: number;
  readonly #bytes: Uint8Array;
  readonly #withPositions: boolean;
  /**
   * The positions of terms with several blocks, stored separately; null for postings without
   * positions.
   */
  readonly #separatePositions: Ranges | null;
  readonly #blockCount: number;
  /** Where the entries of the blocks begin, for a term with several, and their length. */
  readonly #skipsAt: number;
  readonly #skipBytes: number;
  readonly #bodyAt: number;
  #row = -1;
  #freq = 0;
  #block = -1;
  /** The last row of the block; of a single block it is not known. */
  #lastInBlock = -1;
  /** Number of rows of the block after the current one, and where the next one is. */
  #left = 0;
  #at = 0;
  /** Blocks that score no more are skipped; null: no block is. */
  #similarity: Similarity | null = null;
  #minScore = -1;
  /** The bytes with the block's positions; null until they are first needed. */
  #positions: Uint8Array | null = null;
  #positionsAt = 0;
  /** Number of positions of earlier rows that have not been passed yet. */
  #unread = 0;
  /** Number of positions read of the current row, and the last one. */
  #positionsRead = 0;
  #position = 0;

  /** @param positions the separately stored positions; null for postings without positions */
  constructor(bytes: Uint8Array, start: number, positions: Ranges | null) {
    let at = start;
    let byte = bytes[at++]!;
    let docFreq = byte & 0x7f;
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = bytes[at++]!;
      docFreq |= (byte & 0x7f) << shift;
    }
    this.#bytes = bytes;
    this.#separatePositions = positions;
    this.#withPositions = positions !== null;
    this.cost = docFreq;
    this.#blockCount = Math.ceil(docFreq / BLOCK_ROWS);
    this.#skipBytes = this.#withPositions ? SKIP_BYTES_WITH_POSITIONS : SKIP_BYTES;
    this.#skipsAt = this.#withPositions ? at + 4 + IMPACT_BYTES : at;
    this.#bodyAt = this.#blockCount > 1 ? this.#skipsAt + this.#blockCount * this.#skipBytes : at;
  }

  docId(): number {
    return this.#row;
  }

  nextDoc(): number {
    if (this.#left === 0) {
      const block = this.#nextCompetitive(this.#block + 1);
      if (block >= this.#blockCount) return this.#exhaust();
      this.#open(block);
    }
    return this.#decodeTo(this.#row + 1);
  }

  advance(target: number): number {
    if (this.#left === 0 || this.#lastInBlock < target) {
      let block = this.#block + 1;
      while (block < this.#blockCount - 1 && this.#lastRow(block) < target) {
        // path: block skipped
        block += 1;
      }
      block = this.#nextCompetitive(block);
      if (block >= this.#blockCount) return this.#exhaust();
      this.#open(block);
    }
    // After blocks that score too little, the previous row may be beyond the target.
    return this.#decodeTo(Math.max(target, this.#row + 1));
  }

  freq(): number {
    return this.#freq;
  }

  take(end: number, rows: Int32Array, freqs: Int32Array): number {
    if (this.#row >= end) return 0;
    const bytes = this.#bytes;
    const withPositions = this.#withPositions;
    const most = rows.length;
    let row = this.#row;
    let freq = this.#freq;
    let at = this.#at;
    let left = this.#left;
    let unread = this.#unread - this.#positionsRead;
    let count = 0;
    for (;;) {
      rows[count] = row;
      freqs[count] = freq;
      count += 1;
      if (left === 0) break;
      left -= 1;
      unread += freq;
      let byte = bytes[at++]!;
      let code = byte & 0x7f;
      for (let shift = 7; byte > 0x7f; shift += 7) {
        byte = bytes[at++]!;
        code |= (byte & 0x7f) << shift;
      }
      if (!withPositions) {
        row += code + 1;
      } else {
        row += (code >>> 1) + 1;
        freq = 1;
        if ((code & 1) === 0) {
          byte = bytes[at++]!;
          freq = byte & 0x7f;
          for (let shift = 7; byte > 0x7f; shift += 7) {
            byte = bytes[at++]!;
            freq |= (byte & 0x7f) << shift;
          }
        }
      }
      if (row >= end || count === most) break;
    }
    const isLast = row === rows[count - 1];
    this.#stand(row, freq, at, left, unread);
    if (isLast) this.nextDoc();
    return count;
  }

  addTo(bits: Uint32Array): boolean {
    for (let blocks = 0; blocks < BLOCKS_AT_ONCE; blocks++) {
      if (this.#left === 0) {
        if (this.#block + 1 >= this.#blockCount) return false;
        this.#open(this.#block + 1);
      }
      this.#addBlock(bits);
    }
    return true;
  }

  impacts(norms: Uint8Array): Impacts {
    if (this.#blockCount > 1) {
      // path: stored best score
      return readImpacts(this.#bytes, this.#skipsAt - IMPACT_BYTES);
    }
    let freq = 0;
    let norm = NORM_LONGEST;
    let isUniform = true;
    this.#open(0);
    for (let left = this.cost; left > 0; left--) {
      const row = this.#decodeTo(this.#row + 1);
      if (freq > 0 && (this.#freq !== freq || norms[row]! !== norm)) isUniform = false;
      freq = Math.max(freq, this.#freq);
      // path: best score of one block
      norm = Math.min(norm, norms[row]!);
    }
    this.#block = -1;
    this.#row = -1;
    return { pairs: [freq, norm], isUniform };
  }

  skipBelow(similarity: Similarity, minScore: number): void {
    this.#similarity = this.#blockCount > 1 ? similarity : null;
    this.#minScore = minScore;
  }

  nextPosition(): number {
    this.#positions ??= this.#readPositions();
    const bytes = this.#positions;
    let at = this.#positionsAt;
    for (let left = this.#unread; left > 0; ) {
      // path: position passed
      if (bytes[at++]! < 0x80) left -= 1;
    }
    this.#unread = 0;
    let byte = bytes[at++]!;
    let distance = byte & 0x7f;
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = bytes[at++]!;
      distance |= (byte & 0x7f) << shift;
    }
    this.#positionsAt = at;
    this.#positionsRead += 1;
    this.#position += distance;
    return this.#position;
  }

  /** The first block from `block` on whose best row exceeds the minimum score; may be past the end. */
  #nextCompetitive(block: number): number {
    const similarity = this.#similarity;
    if (similarity === null) return block;
    let next = block;
    while (next < this.#blockCount) {
      const impactsAt = this.#skipsAt + next * SKIP_BYTES_WITH_POSITIONS + 12;
      if (bestStored(this.#bytes, impactsAt, similarity) > this.#minScore) break;
      next += 1;
    }
    return next;
  }

  #exhaust(): number {
    this.#block = this.#blockCount;
    this.#left = 0;
    this.#row = NO_MORE_DOCS;
    return NO_MORE_DOCS;
  }

  /** Goes to before the first row of a block. */
  #open(block: number): void {
    this.#block = block;
    this.#lastInBlock = this.#blockCount > 1 ? this.#lastRow(block) : NO_MORE_DOCS;
    this.#left = Math.min(BLOCK_ROWS, this.cost - block * BLOCK_ROWS);
    this.#row = -1;
    this.#at = this.#bodyAt;
    if (block > 0) {
      // path: later block of postings
      this.#row = this.#lastRow(block - 1);
      this.#at += this.#uint32(this.#skipsAt + (block - 1) * this.#skipBytes + 4);
    }
    // path: block of postings
    this.#freq = this.#withPositions ? 0 : 1;
    this.#positions = null;
    this.#unread = 0;
    this.#positionsRead = 0;
    this.#position = 0;
  }

  /** Decodes rows of the block up to the first one at or after `target`, or to the end of all. */
  #decodeTo(target: number): number {
    const bytes = this.#bytes;
    const withPositions = this.#withPositions;
    let row = this.#row;
    let freq = this.#freq;
    let at = this.#at;
    let left = this.#left;
    let unread = this.#unread - this.#positionsRead;
    while (row < target) {
      // Only in the last block: the others were skipped if they end before the target.
      if (left === 0) return this.#exhaust();
      left -= 1;
      unread += freq;
      let byte = bytes[at++]!;
      let code = byte & 0x7f;
      for (let shift = 7; byte > 0x7f; shift += 7) {
        byte = bytes[at++]!;
        code |= (byte & 0x7f) << shift;
      }
      if (!withPositions) {
        row += code + 1;
        continue;
      }
      row += (code >>> 1) + 1;
      freq = 1;
      if ((code & 1) !== 0) continue;
      byte = bytes[at++]!;
      freq = byte & 0x7f;
      for (let shift = 7; byte > 0x7f; shift += 7) {
        byte = bytes[at++]!;
        freq |= (byte & 0x7f) << shift;
      }
    }
    this.#stand(row, freq, at, left, unread);
    return row;
  }

  /** Sets the bits of all rows of the block after the current one. */
  #addBlock(set: Uint32Array): void {
    const bytes = this.#bytes;
    const withPositions = this.#withPositions;
    let row = this.#row;
    let at = this.#at;
    for (let left = this.#left; left > 0; left--) {
      let byte = bytes[at++]!;
      let code = byte & 0x7f;
      for (let shift = 7; byte > 0x7f; shift += 7) {
        byte = bytes[at++]!;
        code |= (byte & 0x7f) << shift;
      }
      if (withPositions) {
        if ((code & 1) === 0) while (bytes[at++]! > 0x7f);
        code >>>= 1;
      }
      row += code + 1;
      // path: added to a set
      set[row >>> 5]! |= 1 << (row & 31);
    }
    this.#row = row;
    this.#at = at;
    this.#left = 0;
  }

  #stand(row: number, freq: number, at: number, left: number, unread: number): void {
    this.#row = row;
    this.#freq = freq;
    this.#at = at;
    this.#left = left;
    this.#unread = unread;
    this.#positionsRead = 0;
    this.#position = 0;
  }

  /** Finds the positions of the block; they begin with those of its first row. */
  #readPositions(): Uint8Array {
    if (this.#blockCount === 1) {
      this.#positionsAt = this.#endOfRows();
      return this.#bytes;
    }
    // path: positions stored apart
    const begin = this.#uint32(this.#skipsAt - IMPACT_BYTES - 4) >>> 0;
    const end = this.#skipsAt + this.#block * this.#skipBytes + 8;
    const from = this.#block === 0 ? 0 : this.#uint32(end - this.#skipBytes);
    this.#positionsAt = 0;
    return (this.#separatePositions as Ranges).read(begin + from, begin + this.#uint32(end));
  }

  /** The offset of what follows the rows of a single block. */
  #endOfRows(): number {
    const bytes = this.#bytes;
    let at = this.#at;
    for (let left = this.#left; left > 0; left--) {
      const occursOnce = (bytes[at]! & 1) === 1;
      while (bytes[at++]! > 0x7f);
      if (!occursOnce) while (bytes[at++]! > 0x7f);
    }
    return at;
  }

  #lastRow(block: number): number {
    return this.#uint32(this.#skipsAt + block * this.#skipBytes);
  }

  #uint32(at: number): number {
    const bytes = this.#bytes;
    return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
  }
}
