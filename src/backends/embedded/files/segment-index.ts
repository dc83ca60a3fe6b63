// The index file of one segment: in memory until a commit has written it, then a file of which searches bring into
// shared memory what they need, once for all threads. A merge reads it by itself and keeps nothing.
// Invariant: memory of a file is as long as the file, but only what was read of it takes room.
import { closeSync, fstatSync } from 'node:fs';
import type { ByteCache } from '../../../engine/index/byte-cache.ts';
import { checkSections, FOOTER_BYTES, readFooter } from '../../../engine/index/codec.ts';
import { CorruptSegmentError } from '../../../engine/index/corrupt-segment-error.ts';
import {
  type IndexSource,
  type KeptBytes,
  memoryIndex,
  type PieceReader,
} from '../../../engine/index/index-source.ts';
import { checksum, readFully } from './fs-directory.ts';
import { openSegmentFile } from './segment-sources.ts';

/** What another thread needs to search or merge the same segment; `bytes` and `sound` lie in shared memory. */
export type IndexHandle =
  | { readonly kind: 'memory'; readonly bytes: Uint8Array }
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly bytes: Uint8Array;
      readonly sound: Uint8Array;
    };

/** The file of a segment that was built or written, before anything of it is read. */
export interface IndexFile {
  readonly handle: IndexHandle;
  /** The checksum in its footer: whether it is the one that was committed. */
  readonly footer: number;
}

/** An index file that was just built and is in memory. */
export function builtIndex(segment: string, bytes: Uint8Array): IndexFile {
  const { checksum } = readFooter(segment, bytes.subarray(-FOOTER_BYTES));
  return { handle: { kind: 'memory', bytes }, footer: checksum };
}

/**
 * An index file on the disk.
 * @throws CorruptSegmentError where it is missing or does not end as an index file does
 */
export function writtenIndex(segment: string, path: string): IndexFile {
  const file = openSegmentFile(segment, path, 'index');
  try {
    const { size } = fstatSync(file);
    const tail = new Uint8Array(Math.min(size, FOOTER_BYTES));
    readFully(file, tail, size - tail.length);
    const { checksum: footer, sections } = readFooter(segment, tail);
    const handle = {
      kind: 'file',
      path,
      bytes: new Uint8Array(new SharedArrayBuffer(size)),
      sound: new Uint8Array(new SharedArrayBuffer(sections)),
    } as const;
    return { handle, footer };
  } finally {
    closeSync(file);
  }
}

/** For searches: what is read stays, save pages of positions, which go through the cache. */
export function searchedIndex(segment: string, handle: IndexHandle, pages: ByteCache): IndexSource {
  if (handle.kind === 'memory') return memoryIndex(handle.bytes, 'verified');
  return new FileIndex(segment, handle, pages);
}

class FileIndex implements IndexSource {
  readonly byteLength: number;
  readonly kept: KeptBytes;
  readonly pieces: PieceReader;
  readonly #segment: string;
  readonly #path: string;

  constructor(segment: string, handle: IndexHandle & { kind: 'file' }, cache: ByteCache) {
    this.#segment = segment;
    this.#path = handle.path;
    this.byteLength = handle.bytes.length;
    this.kept = handle;
    this.pieces = {
      cache,
      read: (offset, length) => this.#fill(new Uint8Array(length), offset),
    };
  }

  read(offset: number, length: number): Uint8Array {
    return this.#fill(this.kept.bytes.subarray(offset, offset + length), offset);
  }

  /** Opened each time: sections are read once, and a segment may live for months. */
  #fill(bytes: Uint8Array, offset: number): Uint8Array {
    const file = openSegmentFile(this.#segment, this.#path, 'index');
    try {
      return readPart(this.#segment, file, bytes, offset);
    } finally {
      closeSync(file);
    }
  }
}

/** For a merge: everything is read into memory of its own, which is free when the merge has used it. */
export class MergedIndex implements IndexSource {
  readonly byteLength: number;
  readonly kept: KeptBytes | null;
  readonly pieces = null;
  readonly #segment: string;
  readonly #memory: IndexSource | null;
  readonly #file: number | null;

  /** Must be closed. */
  constructor(segment: string, handle: IndexHandle) {
    this.#segment = segment;
    this.byteLength = handle.bytes.length;
    this.#memory = handle.kind === 'memory' ? memoryIndex(handle.bytes, 'verified') : null;
    this.#file = handle.kind === 'file' ? openSegmentFile(segment, handle.path, 'index') : null;
    this.kept = this.#memory?.kept ?? null;
  }

  read(offset: number, length: number): Uint8Array {
    if (this.#memory !== null) return this.#memory.read(offset, length);
    return readPart(this.#segment, this.#file ?? -1, new Uint8Array(length), offset);
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
  }
}

/**
 * Reads a file whole and compares it with its checksums; what is in memory was never anywhere else.
 * @throws CorruptSegmentError
 */
export function checkIndex(segment: string, handle: IndexHandle): void {
  if (handle.kind === 'memory') return;
  const index = new MergedIndex(segment, handle);
  try {
    checkSections(segment, index, checksum);
  } finally {
    index.close();
  }
}

/** A disk that cannot read what was written is as good as wrong bytes. */
function readPart(segment: string, file: number, bytes: Uint8Array, offset: number): Uint8Array {
  try {
    return bytes.subarray(0, readFully(file, bytes, offset));
  } catch (error) {
    throw new CorruptSegmentError(segment, `its index cannot be read: ${error}`);
  }
}
