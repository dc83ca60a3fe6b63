// Where the bytes of an index file come from, and where they go. The engine reads no file: whoever opens a segment
// brings a source, and whoever builds one a sink. Three sources cover all uses: bytes in memory, a file whose parts are
// brought into shared memory when first asked for (searches), and a file that is read anew each time (merges).
// Invariant: bytes handed out stand at a multiple of 8 in their buffer and never change.

import { compareBytes } from '../fields/utf8.ts';
import type { ByteCache } from './byte-cache.ts';

/** Reads an index file. */
export interface IndexSource {
  readonly byteLength: number;
  /** Fewer bytes than asked for where the file is cut short. */
  read(offset: number, length: number): Uint8Array;
  /** Where bytes stay that were read; null where they do not. */
  readonly kept: KeptBytes | null;
  /** How parts of long sections are read that are touched seldom; null: such sections are read whole. */
  readonly pieces: PieceReader | null;
}

/** The file in memory, as far as it has been read. */
export interface KeptBytes {
  /** As long as the file; `read` fills in what it answers. */
  readonly bytes: Uint8Array;
  /** By section: 1 once it was read and found sound. Null: all of them are. */
  readonly sound: Uint8Array | null;
}

export interface PieceReader {
  /** A copy of some bytes of the file, fewer where it is cut short. */
  read(offset: number, length: number): Uint8Array;
  readonly cache: ByteCache;
}

/** Takes an index file, from its beginning to its end. */
export interface IndexSink {
  append(bytes: Uint8Array): void;
  /** Whether these bytes were appended at this place, in one piece. */
  holds(offset: number, bytes: Uint8Array): boolean;
}

/**
 * A file that is in memory whole.
 * @param soundness `verified`: its bytes are known to be sound, e.g. just built; else each section is checked once
 */
export function memoryIndex(file: Uint8Array, soundness: 'verified' | 'unknown'): IndexSource {
  const bytes = file.byteOffset % 8 === 0 ? file : copied(file);
  return {
    byteLength: bytes.length,
    read: (offset, length) => bytes.subarray(offset, offset + length),
    // Sections are fewer than eighths of the file, for each begins at a multiple of 8 unless it is empty.
    kept: { bytes, sound: soundness === 'verified' ? null : new Uint8Array(bytes.length) },
    pieces: null,
  };
}

/** Collects a file in memory. Arrays given to it must not change before `finish`. */
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

  /** Over memory that threads share. */
  finish(): Uint8Array {
    const file = new Uint8Array(new SharedArrayBuffer(this.#length));
    for (const [offset, bytes] of this.#parts) file.set(bytes, offset);
    return file;
  }
}

/** Whether two runs of bytes are the same. */
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
