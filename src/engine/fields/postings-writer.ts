// Writes the rows that hold each term, with how often and where. One term is
//   varint rows | more than 128: where its positions begin, and per block: last row, end, end of positions | blocks
// and a block is its rows' distances (with frequencies: doubled, odd = once, else the frequency follows). A reader can
// thus skip blocks, and decodes one at a time. Positions, distances too, stand behind the rows of a term of one block;
// those of longer terms, which are most of all bytes, stand apart and need not be in memory.
import { ByteList, IntList } from './growable.ts';

/** Rows in a block. */
export const BLOCK_ROWS = 128;

/** Terms are written in order: `doc` for each row, `position` for each place in it, then `endTerm`. */
export class PostingsWriter {
  readonly #withPositions: boolean;
  readonly #out = new ByteList();
  readonly #starts: Uint32Array;
  #terms = 0;
  readonly #body = new ByteList();
  readonly #skips = new IntList();
  readonly #apart = new ByteList();
  /** Where the current term's positions begin in `#apart`. */
  #apartAt = 0;
  readonly #rows = new Int32Array(BLOCK_ROWS);
  readonly #freqs = new Int32Array(BLOCK_ROWS);
  readonly #positions = new IntList();
  #inBlock = 0;
  #docFreq = 0;
  #lastRow = -1;

  /** @param form whether frequencies and positions are kept, or rows alone */
  constructor(termsMax: number, form: 'positions' | 'rows') {
    this.#withPositions = form === 'positions';
    this.#starts = new Uint32Array(termsMax + 1);
  }

  /** The next row of the current term; ascending. */
  doc(row: number): void {
    if (this.#inBlock === BLOCK_ROWS) this.#flushBlock(this.#apart);
    this.#rows[this.#inBlock] = row;
    this.#freqs[this.#inBlock] = 0;
    this.#inBlock += 1;
    this.#docFreq += 1;
  }

  /** The next position in the current row; ascending. */
  position(position: number): void {
    this.#freqs[this.#inBlock - 1]! += 1;
    this.#positions.push(position);
  }

  /** How many rows the current term has so far. */
  get docFreq(): number {
    return this.#docFreq;
  }

  endTerm(): void {
    const out = this.#out;
    const docFreq = this.#docFreq;
    if (docFreq > BLOCK_ROWS) {
      this.#flushBlock(this.#apart);
      out.varint(docFreq);
      if (this.#withPositions) out.uint32(this.#apartAt);
      for (let i = 0; i < this.#skips.length; i++) out.uint32(this.#skips.data[i]!);
      out.append(this.#body.data, 0, this.#body.length);
      this.#body.length = 0;
      this.#skips.length = 0;
      this.#lastRow = -1;
      this.#apartAt = this.#apart.length;
    } else {
      out.varint(docFreq);
      this.#writeRows(out);
      if (this.#withPositions) this.#writePositions(docFreq, out);
      this.#inBlock = 0;
    }
    this.#docFreq = 0;
    this.#starts[++this.#terms] = out.length;
  }

  /** All terms' bytes, where each begins, and the positions that stand apart. */
  finish(): {
    readonly bytes: Uint8Array;
    readonly starts: Uint32Array;
    readonly positions: Uint8Array;
  } {
    return {
      bytes: this.#out.view(),
      starts: this.#starts.subarray(0, this.#terms + 1),
      positions: this.#apart.view(),
    };
  }

  /** @param positions where the block's positions go */
  #flushBlock(positions: ByteList): void {
    const count = this.#inBlock;
    const body = this.#body;
    const last = this.#writeRows(body);
    if (this.#withPositions) this.#writePositions(count, positions);
    this.#skips.push(last);
    this.#skips.push(body.length);
    if (this.#withPositions) this.#skips.push(positions.length - this.#apartAt);
    this.#lastRow = last;
    this.#inBlock = 0;
  }

  /** The rows of the block and how often each was met; answers the last row. */
  #writeRows(target: ByteList): number {
    const count = this.#inBlock;
    let last = this.#lastRow;
    for (let i = 0; i < count; i++) {
      const row = this.#rows[i]!;
      const distance = row - last - 1;
      last = row;
      if (!this.#withPositions) {
        target.varint(distance);
      } else if (this.#freqs[i] === 1) {
        target.varint((distance << 1) | 1);
      } else {
        target.varint(distance << 1);
        target.varint(this.#freqs[i]!);
      }
    }
    return last;
  }

  #writePositions(count: number, target: ByteList): void {
    const positions = this.#positions.data;
    let at = 0;
    for (let i = 0; i < count; i++) {
      let last = 0;
      for (let left = this.#freqs[i]!; left > 0; left--) {
        const position = positions[at++]!;
        target.varint(position - last);
        last = position;
      }
    }
    this.#positions.length = 0;
  }
}
