// Writes the rows of each term, with frequencies and positions. One term is
//   varint rows | more than 128: offset of positions, per block: last row, end, end of positions |
//   blocks
// and a block is the deltas of its rows (with frequencies: doubled, odd = once, otherwise the
// frequency follows). A reader can skip blocks and decodes one at a time. Positions are deltas,
// too. For a term of one block they follow the rows; for longer terms, which have most of the
// bytes, they are in a section of their own and need not be in memory.
import { ByteList, IntList } from './growable.ts';

/** Rows per block. */
export const BLOCK_ROWS = 128;

/**
 * Terms are written in order: `doc` for each row, `position` for each occurrence in it, then
 * `endTerm`.
 */
export class PostingsWriter {
  readonly #withPositions: boolean;
  readonly #out = new ByteList();
  readonly #starts: Uint32Array;
  #terms = 0;
  readonly #body = new ByteList();
  readonly #skips = new IntList();
  readonly #separatePositions = new ByteList();
  /** The offset of the current term's positions in `#separatePositions`. */
  #positionsStart = 0;
  readonly #rows = new Int32Array(BLOCK_ROWS);
  readonly #freqs = new Int32Array(BLOCK_ROWS);
  readonly #positions = new IntList();
  #inBlock = 0;
  #docFreq = 0;
  #lastRow = -1;

  /** @param form `positions` for frequencies and positions, `rows` for rows alone */
  constructor(termsMax: number, form: 'positions' | 'rows') {
    this.#withPositions = form === 'positions';
    this.#starts = new Uint32Array(termsMax + 1);
  }

  /** Adds the next row of the current term; rows ascend. */
  doc(row: number): void {
    if (this.#inBlock === BLOCK_ROWS) this.#flushBlock(this.#separatePositions);
    this.#rows[this.#inBlock] = row;
    this.#freqs[this.#inBlock] = 0;
    this.#inBlock += 1;
    this.#docFreq += 1;
  }

  /** Adds the next position in the current row; positions ascend. */
  position(position: number): void {
    this.#freqs[this.#inBlock - 1]! += 1;
    this.#positions.push(position);
  }

  /** The number of rows of the current term so far. */
  get docFreq(): number {
    return this.#docFreq;
  }

  endTerm(): void {
    const out = this.#out;
    const docFreq = this.#docFreq;
    if (docFreq > BLOCK_ROWS) {
      this.#flushBlock(this.#separatePositions);
      out.varint(docFreq);
      if (this.#withPositions) out.uint32(this.#positionsStart);
      for (let i = 0; i < this.#skips.length; i++) out.uint32(this.#skips.data[i]!);
      out.append(this.#body.data, 0, this.#body.length);
      this.#body.length = 0;
      this.#skips.length = 0;
      this.#lastRow = -1;
      this.#positionsStart = this.#separatePositions.length;
    } else {
      out.varint(docFreq);
      this.#writeRows(out);
      if (this.#withPositions) this.#writePositions(docFreq, out);
      this.#inBlock = 0;
    }
    this.#docFreq = 0;
    this.#starts[++this.#terms] = out.length;
  }

  /** Returns the bytes of all terms, the offset of each, and the separately stored positions. */
  finish(): {
    readonly bytes: Uint8Array;
    readonly starts: Uint32Array;
    readonly positions: Uint8Array;
  } {
    return {
      bytes: this.#out.view(),
      starts: this.#starts.subarray(0, this.#terms + 1),
      positions: this.#separatePositions.view(),
    };
  }

  /** @param positions receives the positions of the block */
  #flushBlock(positions: ByteList): void {
    const count = this.#inBlock;
    const body = this.#body;
    const last = this.#writeRows(body);
    if (this.#withPositions) this.#writePositions(count, positions);
    this.#skips.push(last);
    this.#skips.push(body.length);
    if (this.#withPositions) this.#skips.push(positions.length - this.#positionsStart);
    this.#lastRow = last;
    this.#inBlock = 0;
  }

  /** Writes the rows and frequencies of the block and returns the last row. */
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
