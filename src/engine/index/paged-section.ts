// Sections that are long and touched seldom, the positions of words above all: they stay in their file, and what is
// asked for is read by pages through a cache that all segments share.
// Invariant: no byte is handed out before its page's checksum has been compared.
import type { Checksum } from './checksum.ts';
import { CorruptSegmentError } from './corrupt-segment-error.ts';
import type { PieceReader } from './index-source.ts';

/** Bytes of a page: some hundred rows' positions. */
export const PAGE_BYTES = 16 * 1024;

/** Parts of a section. */
export interface Ranges {
  /** The bytes [from, to) of the section. They may be part of a larger array. */
  read(from: number, to: number): Uint8Array;
}

/** Of a section that is brought into memory whole when first asked for. */
export function wholeRanges(load: () => Uint8Array): Ranges {
  let bytes: Uint8Array | null = null;
  return {
    read(from, to) {
      bytes ??= load();
      return bytes.subarray(from, to);
    },
  };
}

/** Of a section that stays in its file. */
export class StoredRanges implements Ranges {
  readonly #name: string;
  readonly #pieces: PieceReader;
  readonly #offset: number;
  readonly #count: number;
  readonly #checksums: () => Uint32Array;
  readonly #checksum: Checksum;
  /** The key of the first page in the cache; the others follow. */
  readonly #firstKey: number;

  /** @param section where it stands in the file, how long it is, and its pages' checksums */
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
    this.#firstKey = pieces.cache.takeKeys(Math.ceil(section.count / PAGE_BYTES));
  }

  read(from: number, to: number): Uint8Array {
    const first = Math.floor(from / PAGE_BYTES);
    const last = Math.floor((to - 1) / PAGE_BYTES);
    const start = from - first * PAGE_BYTES;
    if (first === last) return this.#page(first).subarray(start, start + to - from);
    const joined = new Uint8Array(to - from);
    for (let page = first; page <= last; page++) {
      const pageAt = page * PAGE_BYTES;
      const bytes = this.#page(page).subarray(Math.max(0, from - pageAt), to - pageAt);
      joined.set(bytes, Math.max(0, pageAt - from));
    }
    return joined;
  }

  #page(page: number): Uint8Array {
    const { cache } = this.#pieces;
    const cached = cache.get(this.#firstKey + page);
    if (cached !== undefined) return cached;
    const from = page * PAGE_BYTES;
    const length = Math.min(PAGE_BYTES, this.#count - from);
    const bytes = this.#pieces.read(this.#offset + from, length);
    if (bytes.length !== length) throw new CorruptSegmentError(this.#name, 'cut short');
    if (this.#checksum(bytes) !== this.#checksums()[page]) {
      throw new CorruptSegmentError(this.#name, 'checksum of a page');
    }
    cache.keep(this.#firstKey + page, bytes);
    return bytes;
  }
}
