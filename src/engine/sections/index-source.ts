// Abstracts the bytes of an index file. The engine reads no files: opening a segment takes a
// source, building one takes a sink. There are three kinds of sources: bytes in memory, a file that
// is loaded into shared memory on first use (searches), and a file that is read every time
// (merges).
// Invariant: returned bytes are at a multiple of 8 in their buffer and never change.

import type { CacheSection } from './byte-cache.ts';
import { compareBytes } from './utf8.ts';

/** Reads an index file. */
export interface IndexSource {
  readonly byteLength: number;
  /** Returns fewer bytes than requested only if the file is truncated. */
  read(offset: number, length: number): Uint8Array;
  /** The memory that caches bytes already read; null if there is none. */
  readonly kept: KeptBytes | null;
  /** Reads parts of long, rarely used sections; null: such sections are read as a whole. */
  readonly pieces: PieceReader | null;
}

/** The part of the file that has been read, in memory. */
export interface KeptBytes {
  /** As long as the file; `read` fills in the bytes that it returns. */
  readonly bytes: Uint8Array;
  /** By section: 1 once it has been read and verified. null: all sections are verified. */
  readonly sound: Uint8Array | null;
}

export interface PieceReader {
  /** Returns a copy of bytes of the file, fewer if it is truncated. */
  read(offset: number, length: number): Uint8Array;
  /** Parts of this file, by their offset. */
  readonly cache: CacheSection<Uint8Array>;
}

/** Receives an index file in order. */
export interface IndexSink {
  append(bytes: Uint8Array): void;
  /** True if these bytes were appended at this offset in one call. */
  holds(offset: number, bytes: Uint8Array): boolean;
}

/**
 * Returns a source for a file that is entirely in memory.
 * @param soundness `verified`: the bytes are known to be intact, e.g. just built; otherwise each
 * section is verified once
 */
export function memoryIndex(file: Uint8Array, soundness: 'verified' | 'unknown'): IndexSource {
  const bytes = file.byteOffset % 8 === 0 ? file : copied(file);
  return {
    byteLength: bytes.length,
    read: (offset, length) => bytes.subarray(offset, offset + length),
    // There are fewer sections than eighths of the file, since each begins at a multiple of 8
    // unless it is empty.
    kept: { bytes, sound: soundness === 'verified' ? null : new Uint8Array(bytes.length) },
    pieces: null,
  };
}

/** Collects a file in memory. Arrays passed to it must not change before `finish`. */
export class MemorySink implements IndexSink {
  readonly #parts = new Map<number, Uint8Array>();
  #length = 0;

  append(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#parts.set(this.#length, bytes);
    this.#length += bytes.length;
  }

  holds(offset: number, bytes: Uint8Array): boolean {
    const part = this.#parts.get(offset);
    return part !== undefined && sameBytes(part, bytes);
  }

  /** Returns the file in memory that threads share. */
  finish(): Uint8Array {
    const file = new Uint8Array(new SharedArrayBuffer(this.#length));
    for (const [offset, bytes] of this.#parts) file.set(bytes, offset);
    return file;
  }
}

/** True if two runs of bytes are equal. */
export function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return (
    left.length === right.length && compareBytes(left, 0, left.length, right, 0, right.length) === 0
  );
}

function copied(file: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(file.length));
  copy.set(file);
  return copy;
}
