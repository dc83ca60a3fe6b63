// Writes the rows of each term, with frequencies and positions. One term is
//   varint rows | more than 128: offset of positions, impacts, per block: last row, end, end of
//   positions, impacts | blocks
// (offset, ends of positions and impacts only with positions), and a block is the deltas of its rows (with frequencies: doubled, odd = once, otherwise the
// frequency follows). A reader can skip blocks and decodes one at a time. Positions are deltas,
// too. For a term of one block they follow the rows; for longer terms, which have most of the
// bytes, they are in a section of their own and need not be in memory.
import { ByteList, IntList } from '../sections/growable.ts';
import { ImpactsCollector, writeImpacts } from '../sections/impacts.ts';

/** Rows per block. */
export const BLOCK_ROWS = 128;

/**
 * Terms are written in order: `doc` for each row, `position` for each occurrence in it, then
 * `endTerm`.
 */
export class PostingsWriter {
  /** null for postings of rows alone. */
  readonly #norms: Uint8Array | null;
  readonly #out = new ByteList();
  readonly #starts: Uint32Array;
  #terms = 0;
  readonly #body = new ByteList();
  readonly #skips = new ByteList();
  /** Created for the first term with several blocks, as small segments have none. */
  #impacts: { readonly block: ImpactsCollector; readonly term: ImpactsCollector } | null = null;
  readonly #separatePositions = new ByteList();
  /** The offset of the current term's positions in `#separatePositions`. */
  #positionsStart = 0;
  readonly #rows = new Int32Array(BLOCK_ROWS);
  readonly #freqs = new Int32Array(BLOCK_ROWS);
  readonly #positions = new IntList();
  #inBlock = 0;
  #docFreq = 0;
  #lastRow = -1;

  /** @param norms by row, for postings with frequencies and positions; null for rows alone */
  constructor(termsMax: number, norms: Uint8Array | null) {
    this.#norms = norms;
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
      if (this.#norms !== null) {
        out.uint32(this.#positionsStart);
        writeImpacts(this.#collectors().term.finish(), out);
      }
      out.append(this.#skips.data, 0, this.#skips.length);
      out.append(this.#body.data, 0, this.#body.length);
      this.#body.length = 0;
      this.#skips.length = 0;
      this.#lastRow = -1;
      this.#positionsStart = this.#separatePositions.length;
    } else {
      out.varint(docFreq);
      this.#writeRows(out);
      if (this.#norms !== null) this.#writePositions(docFreq, out);
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
    this.#skips.uint32(last);
    this.#skips.uint32(body.length);
    if (this.#norms !== null) {
      this.#writePositions(count, positions);
      this.#skips.uint32(positions.length - this.#positionsStart);
      this.#collectImpacts(count, this.#norms);
      writeImpacts(this.#collectors().block.finish(), this.#skips);
    }
    this.#lastRow = last;
    this.#inBlock = 0;
  }

  /** Those of the current block and of the current term. */
  #collectors(): { readonly block: ImpactsCollector; readonly term: ImpactsCollector } {
    this.#impacts ??= { block: new ImpactsCollector(), term: new ImpactsCollector() };
    return this.#impacts;
  }

  #collectImpacts(count: number, norms: Uint8Array): void {
    const { block, term } = this.#collectors();
    for (let i = 0; i < count; i++) {
      const freq = this.#freqs[i]!;
      const norm = norms[this.#rows[i]!]!;
      block.add(freq, norm);
      term.add(freq, norm);
    }
  }

  /** Writes the rows and frequencies of the block and returns the last row. */
  #writeRows(target: ByteList): number {
    const count = this.#inBlock;
    let last = this.#lastRow;
    for (let i = 0; i < count; i++) {
      const row = this.#rows[i]!;
      const distance = row - last - 1;
      last = row;
      if (this.#norms === null) {
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
