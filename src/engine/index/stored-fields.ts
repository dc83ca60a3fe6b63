// The stored sources of a segment: returns the document of a row. The bytes are in a file of their
// own, root and nested part one after the other; the index has their offsets and checksums. They are
// read on demand, in blocks of neighbouring documents that stay in memory as long as there is room.
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

/**
 * Size of a block: those documents are read together that begin in the same part of this length. A
 * read of a few documents costs little more than a read of one.
 */
export const BLOCK_BYTES = 32 * 1024;

/** Neighbouring documents of a segment, read together. */
export interface DocumentBlock {
  readonly bytes: Uint8Array;
  /** Where `bytes` begin in the sources file, and the row that begins there. */
  readonly offset: number;
  readonly firstRow: number;
  /** Two per row: 1 once the checksum of the part was verified. */
  readonly verified: Uint8Array;
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
  cache: ByteCache<DocumentBlock> | null = null,
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
  readonly #cache: ByteCache<DocumentBlock> | null;
  /** The cache key of the first block; the others follow. */
  readonly #firstKey: number;

  constructor(
    name: string,
    sections: SectionReader,
    ref: StoredFieldsRef,
    reader: SourceReader,
    checksum: Checksum,
    cache: ByteCache<DocumentBlock> | null,
  ) {
    this.#name = name;
    this.#sections = sections;
    this.#ref = ref;
    this.#reader = reader;
    this.#checksum = checksum;
    this.#cache = cache;
    this.#firstKey = cache?.takeKeys(this.#blockCount) ?? 0;
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

  drop(): void {
    this.#cache?.drop(this.#firstKey, this.#blockCount);
  }

  get #blockCount(): number {
    return Math.floor(this.#ref.byteLength / BLOCK_BYTES) + 1;
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
    const block = this.#block(row);
    return block === null
      ? this.#readAlone(row, withNested)
      : this.#partsIn(block, row, withNested);
  }

  /** The block of a row; null if it is not cached and is not to be. */
  #block(row: number): DocumentBlock | null {
    const cache = this.#cache;
    if (cache === null || this.#reader.inMemory) return null;
    const number = blockOf(this.#starts(), row);
    const key = this.#firstKey + number;
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    if (!cache.wants(key)) return null;
    const block = this.#readBlock(row, number);
    cache.add(key, block, block.bytes.length + block.verified.length);
    return block;
  }

  #readBlock(row: number, number: number): DocumentBlock {
    const start = this.#starts();
    let firstRow = row;
    while (firstRow > 0 && blockOf(start, firstRow - 1) === number) firstRow -= 1;
    let end = row + 1;
    while (end < start.length - 1 && blockOf(start, end) === number) end += 1;
    const offset = start[firstRow]!;
    const bytes = this.#readBytes(offset, start[end]! - offset);
    return { bytes, offset, firstRow, verified: new Uint8Array((end - firstRow) * 2) };
  }

  #partsIn(block: DocumentBlock, row: number, withNested: boolean): DocumentParts {
    const { bytes, verified } = block;
    const at = this.#starts()[row]! - block.offset;
    const rootEnd = at + this.#rootLengths()[row]!;
    const part = (row - block.firstRow) * 2;
    const root = bytes.subarray(at, rootEnd);
    if (verified[part] === 0) verified[part] = this.#verify(row * 2, root);
    const end = withNested ? at + this.byteLength(row) : rootEnd;
    if (end === rootEnd) return { root, nested: withNested ? EMPTY : null };
    const nested = bytes.subarray(rootEnd, end);
    if (verified[part + 1] === 0) verified[part + 1] = this.#verify(row * 2 + 1, nested);
    return { root, nested };
  }

  #readAlone(row: number, withNested: boolean): DocumentParts {
    const rootLength = this.#rootLengths()[row]!;
    const length = withNested ? this.byteLength(row) : rootLength;
    const bytes = this.#readBytes(this.#starts()[row]!, length);
    const root = bytes.subarray(0, rootLength);
    this.#verify(row * 2, root);
    if (length === rootLength) return { root, nested: withNested ? EMPTY : null };
    const nested = bytes.subarray(rootLength);
    this.#verify(row * 2 + 1, nested);
    return { root, nested };
  }

  #readBytes(offset: number, length: number): Uint8Array {
    const bytes = this.#reader.read(offset, length);
    // A plain array, since parts of a Buffer are created more slowly.
    if (bytes.length === length) return new Uint8Array(bytes.buffer, bytes.byteOffset, length);
    throw new CorruptSegmentError(this.#name, 'sources cut short');
  }

  /** @param part index of the checksum: two per row. @returns 1 */
  #verify(part: number, bytes: Uint8Array): 1 {
    if (this.#checksum(bytes) === this.#sums()[part]) return 1;
    throw new CorruptSegmentError(this.#name, 'checksum of a source');
  }
}

/** The number of the block that a row begins in. */
function blockOf(start: Float64Array, row: number): number {
  return Math.floor(start[row]! / BLOCK_BYTES);
}

const EMPTY = new Uint8Array(0);
