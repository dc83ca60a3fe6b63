// The stored sources of a segment: returns the document of a row. The bytes are in a file of their
// own, root and nested part one after the other, and are read on demand; the index has their
// offsets and checksums.
// Invariant: returned bytes are those that were written; anything else is a CorruptSegmentError.

import type { ByteCache } from './byte-cache.ts';
import type { Checksum } from './checksum.ts';
import type { SectionReader, SectionWriter } from './codec.ts';
import { CorruptSegmentError } from './corrupt-segment-error.ts';
import type { SectionRef } from './section-ref.ts';
import type { DocumentParts, StoredFields } from './segment.ts';

/** Reads the sources file. */
export interface SourceReader {
  /** Returns fewer bytes only if the file is truncated. */
  read(offset: number, length: number): Uint8Array;
  /** True while the whole file is in memory: its parts are not cached a second time. */
  readonly inMemory: boolean;
  /** Length of the file, if known, to detect a truncated file on opening. */
  readonly size?: number;
}

/** Receives the sources file in order. */
export interface SourceSink {
  append(bytes: Uint8Array): void;
}

export interface StoredFieldsRef {
  /** The length of the sources file. */
  readonly byteLength: number;
  /** By row, with one more entry at the end: the offset of the document. */
  readonly start: SectionRef;
  /** By row: the length of the root part. */
  readonly rootLength: SectionRef;
  /** Two per row: the checksums of the root part and the nested part. */
  readonly checksums: SectionRef;
}

/** Writes sources in row order. */
export class StoredFieldsWriter {
  readonly #sink: SourceSink;
  readonly #start: Float64Array;
  readonly #rootLength: Uint32Array;
  readonly #checksums: Uint32Array;
  readonly #checksum: Checksum;
  #rows = 0;

  constructor(rowCount: number, sink: SourceSink, checksum: Checksum) {
    this.#sink = sink;
    this.#start = new Float64Array(rowCount + 1);
    this.#rootLength = new Uint32Array(rowCount);
    this.#checksums = new Uint32Array(rowCount * 2);
    this.#checksum = checksum;
  }

  add(root: Uint8Array, nested: Uint8Array): void {
    const nestedSum = nested.length === 0 ? 0 : this.#checksum(nested);
    this.#append(root, nested, this.#checksum(root), nestedSum);
  }

  /** Adds a row of another segment, whose checksums were verified on reading. */
  copy(from: StoredFields, row: number): void {
    const { root, nested } = from.parts(row, true);
    this.#append(root, nested ?? EMPTY, from.checksum(row, 'root'), from.checksum(row, 'nested'));
  }

  /** Writes the sections that index the sources file. */
  finish(sections: SectionWriter): StoredFieldsRef {
    return {
      byteLength: this.#start[this.#rows]!,
      start: sections.add(this.#start),
      rootLength: sections.add(this.#rootLength),
      checksums: sections.add(this.#checksums),
    };
  }

  #append(root: Uint8Array, nested: Uint8Array, rootSum: number, nestedSum: number): void {
    const row = this.#rows++;
    this.#sink.append(root);
    this.#sink.append(nested);
    this.#start[row + 1] = this.#start[row]! + root.length + nested.length;
    this.#rootLength[row] = root.length;
    this.#checksums[row * 2] = rootSum;
    this.#checksums[row * 2 + 1] = nestedSum;
  }
}

/**
 * @param cache null: each source is read and verified every time
 * @throws CorruptSegmentError if the file is known to have another length
 */
export function openStoredFields(
  name: string,
  sections: SectionReader,
  ref: StoredFieldsRef,
  reader: SourceReader,
  checksum: Checksum,
  cache: ByteCache<DocumentParts> | null = null,
): StoredFields {
  return new CheckedStoredFields(name, sections, ref, reader, checksum, cache);
}

class CheckedStoredFields implements StoredFields {
  readonly #name: string;
  readonly #sections: SectionReader;
  readonly #ref: StoredFieldsRef;
  #start: Float64Array | null = null;
  #rootLength: Uint32Array | null = null;
  #checksums: Uint32Array | null = null;
  readonly #reader: SourceReader;
  readonly #checksum: Checksum;
  readonly #cache: ByteCache<DocumentParts> | null;
  /** The cache key of the first row; the others follow. */
  readonly #firstKey: number;

  constructor(
    name: string,
    sections: SectionReader,
    ref: StoredFieldsRef,
    reader: SourceReader,
    checksum: Checksum,
    cache: ByteCache<DocumentParts> | null,
  ) {
    this.#name = name;
    this.#sections = sections;
    this.#ref = ref;
    this.#reader = reader;
    this.#checksum = checksum;
    this.#cache = cache;
    this.#firstKey = cache?.takeKeys(ref.rootLength[1]) ?? 0;
    if (reader.size !== undefined && reader.size !== ref.byteLength) {
      throw new CorruptSegmentError(name, 'sources cut short');
    }
  }

  root(row: number): Uint8Array {
    return this.parts(row, false).root;
  }

  nested(row: number): Uint8Array {
    return this.parts(row, true).nested ?? EMPTY;
  }

  byteLength(row: number): number {
    const start = this.#starts();
    return start[row + 1]! - start[row]!;
  }

  checksum(row: number, part: 'root' | 'nested'): number {
    return this.#sums()[row * 2 + (part === 'root' ? 0 : 1)]!;
  }

  #starts(): Float64Array {
    this.#start ??= this.#sections.float64(this.#ref.start);
    return this.#start;
  }

  #rootLengths(): Uint32Array {
    this.#rootLength ??= this.#sections.uint32(this.#ref.rootLength);
    return this.#rootLength;
  }

  #sums(): Uint32Array {
    this.#checksums ??= this.#sections.uint32(this.#ref.checksums);
    return this.#checksums;
  }

  parts(row: number, withNested: boolean): DocumentParts {
    const key = this.#firstKey + row;
    const cached = this.#cache?.get(key);
    if (cached !== undefined && (cached.nested !== null || !withNested)) return cached;
    const parts = this.#read(row, withNested);
    if (this.#reader.inMemory) return parts;
    this.#cache?.add(key, parts, parts.root.length + (parts.nested?.length ?? 0));
    return parts;
  }

  #read(row: number, withNested: boolean): DocumentParts {
    const offset = this.#starts()[row]!;
    const rootLength = this.#rootLengths()[row]!;
    const length = withNested ? this.byteLength(row) : rootLength;
    const bytes = this.#reader.read(offset, length);
    if (bytes.length !== length) throw new CorruptSegmentError(this.#name, 'sources cut short');
    const root = this.#verified(row * 2, bytes.subarray(0, rootLength));
    if (!withNested) return { root, nested: null };
    const nested = length === rootLength ? EMPTY : bytes.subarray(rootLength);
    return { root, nested: nested === EMPTY ? EMPTY : this.#verified(row * 2 + 1, nested) };
  }

  /** @param part index of the checksum: two per row */
  #verified(part: number, bytes: Uint8Array): Uint8Array {
    if (this.#checksum(bytes) === this.#sums()[part]) return bytes;
    throw new CorruptSegmentError(this.#name, 'checksum of a source');
  }
}

const EMPTY = new Uint8Array(0);
