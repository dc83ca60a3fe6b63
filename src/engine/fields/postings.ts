// Reads the format of postings-writer.ts: a cursor that decodes one block of rows at a time and
// skips blocks by their last row. Positions are read and decoded only on demand.
import type { Ranges } from '../index/paged-section.ts';
import { NO_MORE_DOCS, type Postings } from '../index/segment.ts';
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

const NO_ROWS: number[] = [];

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
  readonly #skipBytes: number;
  /**
   * The current block. Plain arrays: there are many cursors, and allocating typed arrays takes six
   * times as long.
   */
  #rows: number[] = NO_ROWS;
  #freqs: number[] = NO_ROWS;
  readonly #blockCount: number;
  readonly #skipsAt: number;
  readonly #bodyAt: number;
  #block = -1;
  #inBlock = 0;
  #index = 0;
  #row = -1;
  /** The bytes with the current block's positions; null until they are first needed. */
  #positions: Uint8Array | null = null;
  #positionsAt = 0;
  #positionsIndex = 0;
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
    this.#skipBytes = this.#withPositions ? 12 : 8;
    this.#skipsAt = this.#withPositions ? at + 4 : at;
    this.#bodyAt = this.#blockCount > 1 ? this.#skipsAt + this.#blockCount * this.#skipBytes : at;
  }

  docId(): number {
    return this.#row;
  }

  nextDoc(): number {
    const next = this.#index + 1;
    if (next < this.#inBlock) {
      this.#index = next;
      this.#row = this.#rows[next]!;
      return this.#row;
    }
    if (this.#block + 1 >= this.#blockCount) return this.#exhaust();
    this.#load(this.#block + 1);
    this.#row = this.#rows[0]!;
    return this.#row;
  }

  advance(target: number): number {
    if (this.#inBlock === 0 || this.#rows[this.#inBlock - 1]! < target) {
      let block = this.#block + 1;
      while (block < this.#blockCount - 1 && this.#lastRow(block) < target) block += 1;
      if (block >= this.#blockCount) return this.#exhaust();
      this.#load(block);
      if (this.#rows[this.#inBlock - 1]! < target) return this.#exhaust();
    }
    let low = this.#index;
    let high = this.#inBlock - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#rows[middle]! < target) low = middle + 1;
      else high = middle;
    }
    this.#index = low;
    this.#row = this.#rows[low]!;
    return this.#row;
  }

  freq(): number {
    return this.#withPositions ? this.#freqs[this.#index]! : 1;
  }

  take(end: number, rows: Int32Array, freqs: Int32Array): number {
    if (this.#row >= end) return 0;
    const from = this.#index;
    const blockRows = this.#rows;
    let to = Math.min(this.#inBlock, from + rows.length);
    while (blockRows[to - 1]! >= end) to -= 1;
    for (let i = from; i < to; i++) rows[i - from] = blockRows[i]!;
    if (this.#withPositions) for (let i = from; i < to; i++) freqs[i - from] = this.#freqs[i]!;
    else freqs.fill(1, 0, to - from);
    this.#index = to - 1;
    this.nextDoc();
    return to - from;
  }

  nextPosition(): number {
    this.#positions ??= this.#readPositions();
    if (this.#positionsIndex !== this.#index) this.#skipPositions(this.#positions);
    const bytes = this.#positions;
    let at = this.#positionsAt;
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

  #exhaust(): number {
    this.#block = this.#blockCount;
    this.#inBlock = 0;
    this.#index = 0;
    this.#row = NO_MORE_DOCS;
    return NO_MORE_DOCS;
  }

  /** Skips the positions of the rows between the last one read and the current row. */
  #skipPositions(bytes: Uint8Array): void {
    let left = -this.#positionsRead;
    for (let i = this.#positionsIndex; i < this.#index; i++) left += this.#freqs[i]!;
    let at = this.#positionsAt;
    while (left > 0) if (bytes[at++]! < 0x80) left -= 1;
    this.#positionsAt = at;
    this.#positionsIndex = this.#index;
    this.#positionsRead = 0;
    this.#position = 0;
  }

  #allocate(): void {
    const capacity = Math.min(this.cost, BLOCK_ROWS);
    this.#rows = new Array<number>(capacity);
    if (this.#withPositions) this.#freqs = new Array<number>(capacity);
  }

  /** Reads the positions of the current block, for a term with several blocks. */
  #readPositions(): Uint8Array {
    const begin = this.#uint32(this.#skipsAt - 4) >>> 0;
    const end = this.#skipsAt + this.#block * this.#skipBytes + 8;
    const from = this.#block === 0 ? 0 : this.#uint32(end - this.#skipBytes);
    return (this.#separatePositions as Ranges).read(begin + from, begin + this.#uint32(end));
  }

  #lastRow(block: number): number {
    return this.#uint32(this.#skipsAt + block * this.#skipBytes);
  }

  #uint32(at: number): number {
    const bytes = this.#bytes;
    return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
  }

  #load(block: number): void {
    // Allocated here, since many cursors never load a block.
    if (this.#rows === NO_ROWS) this.#allocate();
    const bytes = this.#bytes;
    const count = Math.min(BLOCK_ROWS, this.cost - block * BLOCK_ROWS);
    let row = -1;
    let at = this.#bodyAt;
    if (block > 0) {
      row = this.#lastRow(block - 1);
      at += this.#uint32(this.#skipsAt + (block - 1) * this.#skipBytes + 4);
    }
    for (let i = 0; i < count; i++) {
      let byte = bytes[at++]!;
      let code = byte & 0x7f;
      for (let shift = 7; byte > 0x7f; shift += 7) {
        byte = bytes[at++]!;
        code |= (byte & 0x7f) << shift;
      }
      if (!this.#withPositions) {
        row += code + 1;
      } else {
        row += (code >>> 1) + 1;
        let freq = 1;
        if ((code & 1) === 0) {
          byte = bytes[at++]!;
          freq = byte & 0x7f;
          for (let shift = 7; byte > 0x7f; shift += 7) {
            byte = bytes[at++]!;
            freq |= (byte & 0x7f) << shift;
          }
        }
        this.#freqs[i] = freq;
      }
      this.#rows[i] = row;
    }
    this.#block = block;
    this.#inBlock = count;
    this.#index = 0;
    const hasSeparatePositions = this.#blockCount > 1;
    this.#positions = hasSeparatePositions ? null : bytes;
    this.#positionsAt = hasSeparatePositions ? 0 : at;
    this.#positionsIndex = 0;
    this.#positionsRead = 0;
    this.#position = 0;
  }
}
