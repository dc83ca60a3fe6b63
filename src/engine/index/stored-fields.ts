// The stored sources of a segment: returns the document of a row. They are in a file of their own,
// root and nested part one after the other, in compressed blocks of neighbouring documents; the index
// has offsets and checksums. The first block is the dictionary of the others (as in Lucene's
// LZ4WithPresetDictCompressionMode), so that small blocks compress as well as large ones; they are
// small because the hits of a search are seldom neighbours. A block is read on demand and stays in
// memory while there is room.
// Invariant: returned bytes are those that were written; anything else is a CorruptSegmentError.

import type { ByteCache, CacheSection } from '../sections/byte-cache.ts';
import { type Checksum, crc32 } from '../sections/checksum.ts';
import type { SectionReader, SectionWriter } from '../sections/codec.ts';
import { CorruptSegmentError } from '../sections/corrupt-segment-error.ts';
import type { SectionRef } from '../sections/section-ref.ts';
import type { DocumentBytes, StoredFields } from '../sections/segment.ts';

/** Reads the sources file. */
export interface SourceReader {
  /** Returns fewer bytes only if the file is truncated. */
  read(offset: number, length: number): Uint8Array;
  /** Length of the file, if known, to detect a truncated file on opening. */
  readonly size?: number;
}

/** Size of the first block. With a block behind it, it is as long as LZ4 looks back. */
export const FIRST_BLOCK_BYTES = 60 * 1024;
/** Size of the other blocks. A block has the documents that begin in it. */
export const BLOCK_BYTES = 4 * 1024;

/** Neighbouring documents of a segment, read and decompressed together. */
export interface DocumentBlock {
  readonly bytes: Uint8Array;
  /** Where `bytes` begin in all sources. */
  readonly offset: number;
}

/** Receives the sources file in order. */
export interface SourceSink {
  append(bytes: Uint8Array): void;
}

/** How the blocks of a sources file are compressed: the method that wrote a file must read it. */
export interface Compression {
  /** Recorded in the index, such as `lz4`. */
  readonly name: string;
  /** @param dictionary bytes that are like these; null for none */
  compress(bytes: Uint8Array, dictionary: Uint8Array | null): Uint8Array;
  /**
   * @param length of the result
   * @param dictionary the one that the bytes were compressed with
   * @throws Error if the bytes are damaged
   */
  decompress(bytes: Uint8Array, length: number, dictionary: Uint8Array | null): Uint8Array;
}

const UNCOMPRESSED: Compression = {
  name: 'none',
  compress: (bytes) => bytes,
  decompress: (bytes) => bytes,
};

export interface StoredFieldsRef {
  /** The length of the sources file. */
  readonly byteLength: number;
  readonly compression: string;
  /** By row, with one more entry at the end: the offset of the document before compression. */
  readonly start: SectionRef;
  /** By row: the length of the root part. */
  readonly rootLength: SectionRef;
  /** By block: its end in the file. No document begins in an empty block. */
  readonly blockEnds: SectionRef;
  /** By block: the checksum of its bytes in the file; 0 for an empty one. */
  readonly checksums: SectionRef;
}

/** Functions of the platform; a segment is read with the same ones that wrote it. */
export interface SegmentCodec {
  /** CRC-32; the native one is faster. */
  readonly checksum: Checksum;
  /** Of sources. */
  readonly compression: Compression;
}

export const PLAIN_CODEC: SegmentCodec = { checksum: crc32, compression: UNCOMPRESSED };

/** Writes sources in row order. */
export class StoredFieldsWriter {
  readonly #sink: SourceSink;
  readonly #start: Float64Array;
  readonly #rootLength: Uint32Array;
  readonly #codec: SegmentCodec;
  #rows = 0;
  /** The documents of the current block, and their length. */
  #parts: Uint8Array[] = [];
  #partsLength = 0;
  #dictionary: Uint8Array | null = null;
  readonly #blockEnds: number[] = [];
  readonly #checksums: number[] = [];
  #fileLength = 0;

  constructor(rowCount: number, sink: SourceSink, codec: SegmentCodec) {
    this.#sink = sink;
    this.#start = new Float64Array(rowCount + 1);
    this.#rootLength = new Uint32Array(rowCount);
    this.#codec = codec;
  }

  /** The arrays must not change before the next documents were added. */
  add(root: Uint8Array, nested: Uint8Array): void {
    const row = this.#rows++;
    const block = blockOf(this.#start, row);
    if (block > this.#blockEnds.length) this.#endBlock();
    while (block > this.#blockEnds.length) this.#addBlock(EMPTY, 0);
    this.#parts.push(root, nested);
    this.#partsLength += root.length + nested.length;
    this.#start[row + 1] = this.#start[row]! + root.length + nested.length;
    this.#rootLength[row] = root.length;
  }

  /** Writes the sections that index the sources file. */
  finish(sections: SectionWriter): StoredFieldsRef {
    this.#endBlock();
    return {
      byteLength: this.#fileLength,
      compression: this.#codec.compression.name,
      start: sections.add(this.#start),
      rootLength: sections.add(this.#rootLength),
      blockEnds: sections.add(Float64Array.from(this.#blockEnds)),
      checksums: sections.add(Uint32Array.from(this.#checksums)),
    };
  }

  #endBlock(): void {
    if (this.#partsLength === 0) return;
    const bytes = joined(this.#parts, this.#partsLength);
    const block = this.#codec.compression.compress(bytes, this.#dictionary);
    this.#dictionary ??= dictionaryOf(bytes);
    this.#sink.append(block);
    this.#addBlock(block, this.#codec.checksum(block));
    this.#parts = [];
    this.#partsLength = 0;
  }

  #addBlock({ length }: Uint8Array, checksum: number): void {
    this.#fileLength += length;
    this.#blockEnds.push(this.#fileLength);
    this.#checksums.push(checksum);
  }
}

/** @param first the first block, which is longer if it has a large document */
function dictionaryOf(first: Uint8Array): Uint8Array {
  return first.subarray(0, FIRST_BLOCK_BYTES);
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/**
 * @param cache null: only the last block read is kept, as is right for reading all rows in order
 * @throws CorruptSegmentError if the file is known to have another length
 */
export function openStoredFields(
  name: string,
  sections: SectionReader,
  ref: StoredFieldsRef,
  reader: SourceReader,
  codec: SegmentCodec,
  cache: ByteCache<DocumentBlock> | null = null,
): StoredFields {
  return new CheckedStoredFields(name, sections, ref, reader, codec, cache);
}

class CheckedStoredFields implements StoredFields {
  readonly #name: string;
  readonly #sections: SectionReader;
  readonly #ref: StoredFieldsRef;
  #start: Float64Array | null = null;
  #rootLength: Uint32Array | null = null;
  #blockEnds: Float64Array | null = null;
  #checksums: Uint32Array | null = null;
  readonly #reader: SourceReader;
  readonly #codec: SegmentCodec;
  /** Blocks by number. */
  #cache: CacheSection<DocumentBlock> | null;
  /** Without a cache: the first block, and the last one that was read, with its number. */
  #first: DocumentBlock | null = null;
  #last: { readonly number: number; readonly block: DocumentBlock } | null = null;

  constructor(
    name: string,
    sections: SectionReader,
    ref: StoredFieldsRef,
    reader: SourceReader,
    codec: SegmentCodec,
    cache: ByteCache<DocumentBlock> | null,
  ) {
    this.#name = name;
    this.#sections = sections;
    this.#ref = ref;
    this.#reader = reader;
    this.#codec = codec;
    this.#cache = cache?.sectionOf(this) ?? null;
    if (codec.compression.name !== ref.compression) {
      throw new CorruptSegmentError(name, `compression ${ref.compression}`);
    }
    if (reader.size !== undefined && reader.size !== ref.byteLength) {
      throw new CorruptSegmentError(name, 'sources cut short');
    }
  }

  root(row: number): Uint8Array {
    return this.document(row, false).bytes;
  }

  nested(row: number): Uint8Array {
    const { bytes, rootLength } = this.document(row, true);
    return bytes.subarray(rootLength);
  }

  byteLength(row: number): number {
    const start = this.#starts();
    return start[row + 1]! - start[row]!;
  }

  uncache(): void {
    this.#cache?.close();
    this.#cache = null;
  }

  #starts(): Float64Array {
    this.#start ??= this.#sections.float64(this.#ref.start);
    return this.#start;
  }

  #rootLengths(): Uint32Array {
    this.#rootLength ??= this.#sections.uint32(this.#ref.rootLength);
    return this.#rootLength;
  }

  #ends(): Float64Array {
    this.#blockEnds ??= this.#sections.float64(this.#ref.blockEnds);
    return this.#blockEnds;
  }

  #sums(): Uint32Array {
    this.#checksums ??= this.#sections.uint32(this.#ref.checksums);
    return this.#checksums;
  }

  document(row: number, withNested: boolean): DocumentBytes {
    const { bytes, offset } = this.#block(row);
    const at = this.#starts()[row]! - offset;
    const rootLength = this.#rootLengths()[row]!;
    const length = withNested ? this.byteLength(row) : rootLength;
    return { bytes: bytes.subarray(at, at + length), rootLength };
  }

  /** The block of a row; added to the cache if the cache has a use for it. */
  #block(row: number): DocumentBlock {
    const cache = this.#cache;
    const number = blockOf(this.#starts(), row);
    if (cache === null) return this.#uncachedBlock(row, number);
    const cached = cache.get(number);
    if (cached !== undefined) return cached;
    const block = this.#readBlock(row, number);
    if (!cache.wants(number)) return block;
    const shared = { ...block, bytes: inSharedMemory(block.bytes) };
    cache.add(number, shared, shared.bytes.length);
    return shared;
  }

  #uncachedBlock(row: number, number: number): DocumentBlock {
    if (number === 0) {
      this.#first ??= this.#readBlock(row, 0);
      return this.#first;
    }
    if (this.#last?.number !== number) this.#last = { number, block: this.#readBlock(row, number) };
    return this.#last.block;
  }

  #readBlock(row: number, number: number): DocumentBlock {
    const start = this.#starts();
    let firstRow = row;
    while (firstRow > 0 && blockOf(start, firstRow - 1) === number) firstRow -= 1;
    let end = row + 1;
    while (end < start.length - 1 && blockOf(start, end) === number) end += 1;
    const offset = start[firstRow]!;
    return { bytes: this.#decompressed(number, start[end]! - offset), offset };
  }

  #decompressed(number: number, length: number): Uint8Array {
    const ends = this.#ends();
    const from = number === 0 ? 0 : ends[number - 1]!;
    const stored = this.#reader.read(from, ends[number]! - from);
    if (stored.length !== ends[number]! - from) {
      throw new CorruptSegmentError(this.#name, 'sources cut short');
    }
    if (this.#codec.checksum(stored) !== this.#sums()[number]) {
      throw new CorruptSegmentError(this.#name, 'checksum of sources');
    }
    const dictionary = number === 0 ? null : dictionaryOf(this.#block(0).bytes);
    try {
      const bytes = this.#codec.compression.decompress(stored, length, dictionary);
      if (bytes.length !== length) throw new RangeError('its length');
      // A plain array, since parts of a Buffer are created more slowly.
      return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    } catch (error) {
      throw new CorruptSegmentError(this.#name, `a block of sources: ${error}`);
    }
  }
}

/**
 * A copy for the cache. V8 collects all garbage whenever some 64 MiB of ordinary buffers have been
 * kept, at 5 to 10 ms each time; it does not count shared ones, which the cache bounds by itself.
 */
function inSharedMemory(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

/** The number of the block that a row begins in. */
function blockOf(start: Float64Array, row: number): number {
  return Math.max(0, 1 + Math.floor((start[row]! - FIRST_BLOCK_BYTES) / BLOCK_BYTES));
}

const EMPTY = new Uint8Array(0);
