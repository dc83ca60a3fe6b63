// The raw sources of a segment: "here is my row, give me my document". Bytes lie in a file of their own, root and
// nested part one behind the other, and are read on demand; the index holds where they stand and their checksums.
// Invariant: bytes handed out are those that came in; anything else is a CorruptSegmentError.
import type { Checksum } from './checksum.ts';
import type { SectionReader, SectionRef, SectionWriter } from './codec.ts';
import { CorruptSegmentError } from './corrupt-segment-error.ts';
import type { StoredFields } from './segment.ts';
import type { SourceCache } from './source-cache.ts';

/** Reads the sources file. A short answer means that the file is cut short. */
export interface SourceReader {
  read(offset: number, length: number): Uint8Array;
  /** Length of the file, where known: lets a cut-off file be found on opening. */
  readonly size?: number;
}

export interface StoredFieldsRef {
  /** By row, with one more at the end: where the document begins. */
  readonly start: SectionRef;
  /** By row: the root part's length. */
  readonly rootLength: SectionRef;
  /** By row, twice: checksums of the root and of the nested part. */
  readonly checksums: SectionRef;
}

/** Collects sources in row order, in memory that threads share. */
export class StoredFieldsWriter {
  readonly #sources: Uint8Array;
  readonly #start: Float64Array;
  readonly #rootLength: Uint32Array;
  readonly #checksums: Uint32Array;
  readonly #checksum: Checksum;
  #rows = 0;

  /** @param byteLength of all documents together */
  constructor(rowCount: number, byteLength: number, checksum: Checksum) {
    this.#sources = new Uint8Array(new SharedArrayBuffer(byteLength));
    this.#start = new Float64Array(rowCount + 1);
    this.#rootLength = new Uint32Array(rowCount);
    this.#checksums = new Uint32Array(rowCount * 2);
    this.#checksum = checksum;
  }

  add(root: Uint8Array, nested: Uint8Array): void {
    const row = this.#rows++;
    const start = this.#start[row]!;
    this.#sources.set(root, start);
    this.#sources.set(nested, start + root.length);
    this.#start[row + 1] = start + root.length + nested.length;
    this.#rootLength[row] = root.length;
    this.#checksums[row * 2] = this.#checksum(root);
    this.#checksums[row * 2 + 1] = nested.length === 0 ? 0 : this.#checksum(nested);
  }

  /** The sources file, and the sections that lead into it. */
  finish(sections: SectionWriter): { readonly sources: Uint8Array; readonly ref: StoredFieldsRef } {
    const ref = {
      start: sections.add(this.#start),
      rootLength: sections.add(this.#rootLength),
      checksums: sections.add(this.#checksums),
    };
    return { sources: this.#sources, ref };
  }
}

/**
 * @param cache null: every source is read and checked anew
 * @throws CorruptSegmentError when the file is known to have another length
 */
export function openStoredFields(
  name: string,
  sections: SectionReader,
  ref: StoredFieldsRef,
  reader: SourceReader,
  checksum: Checksum,
  cache: SourceCache | null = null,
): StoredFields {
  return new CheckedStoredFields(name, sections, ref, reader, checksum, cache);
}

class CheckedStoredFields implements StoredFields {
  readonly #name: string;
  readonly #start: Float64Array;
  readonly #rootLength: Uint32Array;
  readonly #checksums: Uint32Array;
  readonly #reader: SourceReader;
  readonly #checksum: Checksum;
  readonly #cache: SourceCache | null;
  /** The key of the first row's root part in the cache; its nested part and the other rows follow. */
  readonly #firstKey: number;

  constructor(
    name: string,
    sections: SectionReader,
    ref: StoredFieldsRef,
    reader: SourceReader,
    checksum: Checksum,
    cache: SourceCache | null,
  ) {
    this.#name = name;
    this.#start = sections.float64(ref.start);
    this.#rootLength = sections.uint32(ref.rootLength);
    this.#checksums = sections.uint32(ref.checksums);
    this.#reader = reader;
    this.#checksum = checksum;
    this.#cache = cache;
    this.#firstKey = cache?.takeKeys(this.#checksums.length) ?? 0;
    const expected = this.#start[this.#start.length - 1]!;
    if (reader.size !== undefined && reader.size !== expected) {
      throw new CorruptSegmentError(name, 'sources cut short');
    }
  }

  root(row: number): Uint8Array {
    return this.#read(row * 2, this.#start[row]!, this.#rootLength[row]!);
  }

  nested(row: number): Uint8Array {
    const from = this.#start[row]! + this.#rootLength[row]!;
    const length = this.#start[row + 1]! - from;
    if (length === 0) return EMPTY;
    return this.#read(row * 2 + 1, from, length);
  }

  byteLength(row: number): number {
    return this.#start[row + 1]! - this.#start[row]!;
  }

  /** @param part as the checksums are counted: two a row */
  #read(part: number, offset: number, length: number): Uint8Array {
    const key = this.#firstKey + part;
    const cached = this.#cache?.get(key);
    if (cached !== undefined) return cached;
    const bytes = this.#reader.read(offset, length);
    if (bytes.length !== length) throw new CorruptSegmentError(this.#name, 'sources cut short');
    if (this.#checksum(bytes) !== this.#checksums[part]) {
      throw new CorruptSegmentError(this.#name, 'checksum of a source');
    }
    return this.#cache?.keep(key, bytes) ?? bytes;
  }
}

const EMPTY = new Uint8Array(0);
