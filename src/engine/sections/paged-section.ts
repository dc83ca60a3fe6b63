// Long sections that are rarely read, such as the positions of words: they stay in their file, and
// requested parts are read in pages through a cache that all segments share.
// Invariant: no byte is returned before the checksum of its page is verified.
import type { Checksum } from './checksum.ts';
import { CorruptSegmentError } from './corrupt-segment-error.ts';
import type { PieceReader } from './index-source.ts';

/** Bytes per page: the positions of several hundred rows. */
export const PAGE_BYTES = 16 * 1024;

/** Reads parts of a section. */
export interface Ranges {
  /** Returns the bytes [from, to) of the section. They may be part of a larger array. */
  read(from: number, to: number): Uint8Array;
}

/** Reads a section that is loaded into memory as a whole on first use. */
export function wholeRanges(load: () => Uint8Array): Ranges {
  let bytes: Uint8Array | null = null;
  return {
    read(from, to) {
      // path: in memory
      bytes ??= load();
      return bytes.subarray(from, to);
    },
  };
}

/** Reads a section that stays in its file. */
export class StoredRanges implements Ranges {
  readonly #name: string;
  readonly #pieces: PieceReader;
  readonly #offset: number;
  readonly #count: number;
  readonly #checksums: () => Uint32Array;
  readonly #checksum: Checksum;

  /** @param section its offset and length in the file, and the checksums of its pages */
  constructor(
    name: string,
    pieces: PieceReader,
    section: {
      readonly offset: number;
      readonly count: number;
      readonly checksums: () => Uint32Array;
    },
    checksum: Checksum,
  ) {
    this.#name = name;
    this.#pieces = pieces;
    this.#offset = section.offset;
    this.#count = section.count;
    this.#checksums = section.checksums;
    this.#checksum = checksum;
  }

  read(from: number, to: number): Uint8Array {
    const first = Math.floor(from / PAGE_BYTES);
    const last = Math.floor((to - 1) / PAGE_BYTES);
    const start = from - first * PAGE_BYTES;
    if (first === last) {
      // path: one page
      return this.#page(first).subarray(start, start + to - from);
    }
    const joined = new Uint8Array(to - from);
    for (let page = first; page <= last; page++) {
      const pageAt = page * PAGE_BYTES;
      const bytes = this.#page(page).subarray(Math.max(0, from - pageAt), to - pageAt);
      // path: several pages
      joined.set(bytes, Math.max(0, pageAt - from));
    }
    return joined;
  }

  #page(page: number): Uint8Array {
    const { cache } = this.#pieces;
    const from = page * PAGE_BYTES;
    const offset = this.#offset + from;
    const cached = cache.get(offset);
    if (cached !== undefined) /* path: in the cache */ return cached;
    const length = Math.min(PAGE_BYTES, this.#count - from);
    const bytes = this.#pieces.read(offset, length);
    if (bytes.length !== length) throw new CorruptSegmentError(this.#name, 'cut short');
    if (this.#checksum(bytes) !== this.#checksums()[page]) {
      throw new CorruptSegmentError(this.#name, 'checksum of a page');
    }
    // path: page read
    cache.add(offset, bytes, bytes.length);
    return bytes;
  }
}
