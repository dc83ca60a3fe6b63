// The index file of one segment: in memory until a commit has written it, then on disk. Searches
// load the sections they need into shared memory, once for all threads; a merge reads on its own
// and caches nothing.
// Invariant: the buffer of a file is as long as the file, but only the parts read take physical
// memory.
import { closeSync, fstatSync } from 'node:fs';
import type { ByteCache } from '../../../engine/sections/byte-cache.ts';
import { checkSections, FOOTER_BYTES, readFooter } from '../../../engine/sections/codec.ts';
import { CorruptSegmentError } from '../../../engine/sections/corrupt-segment-error.ts';
import {
  type IndexSource,
  type KeptBytes,
  memoryIndex,
  type PieceReader,
} from '../../../engine/sections/index-source.ts';
import { checksum, readFully } from './fs-directory.ts';
import { openSegmentFile } from './segment-sources.ts';

/** What another thread needs to open the segment; `bytes` and `sound` are in shared memory. */
export type IndexHandle =
  | { readonly kind: 'memory'; readonly bytes: Uint8Array }
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly bytes: Uint8Array;
      readonly sound: Uint8Array;
    };

/** The index file of a segment, before any section is read. */
export interface IndexFile {
  readonly handle: IndexHandle;
  /** The checksum in the footer, which identifies the content. */
  readonly footer: number;
}

/** The index file of a segment that was just built, in memory. */
export function memoryIndexFile(segment: string, bytes: Uint8Array): IndexFile {
  const { checksum } = readFooter(segment, bytes.subarray(-FOOTER_BYTES));
  return { handle: { kind: 'memory', bytes }, footer: checksum };
}

/**
 * An index file on disk.
 * @throws CorruptSegmentError if it is missing or has no valid footer
 */
export function diskIndexFile(segment: string, path: string): IndexFile {
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

/** For searches: sections stay in memory, except pages of positions, which are cached. */
export function searchSource(
  segment: string,
  handle: IndexHandle,
  pages: ByteCache<Uint8Array>,
): IndexSource {
  if (handle.kind === 'memory') return memoryIndex(handle.bytes, 'verified');
  return new FileIndex(segment, handle, pages);
}

class FileIndex implements IndexSource {
  readonly byteLength: number;
  readonly kept: KeptBytes;
  readonly pieces: PieceReader;
  readonly #segment: string;
  readonly #path: string;

  constructor(
    segment: string,
    handle: IndexHandle & { kind: 'file' },
    cache: ByteCache<Uint8Array>,
  ) {
    this.#segment = segment;
    this.#path = handle.path;
    this.byteLength = handle.bytes.length;
    this.kept = handle;
    this.pieces = {
      cache: cache.sectionOf(this),
      read: (offset, length) => this.#fill(new Uint8Array(length), offset),
    };
  }

  read(offset: number, length: number): Uint8Array {
    // path: section read
    return this.#fill(this.kept.bytes.subarray(offset, offset + length), offset);
  }

  /** Opens the file for each read: sections are read once, and a segment may live for months. */
  #fill(bytes: Uint8Array, offset: number): Uint8Array {
    const file = openSegmentFile(this.#segment, this.#path, 'index');
    try {
      return readPart(this.#segment, file, bytes, offset);
    } finally {
      closeSync(file);
    }
  }
}

/** For a merge: reads into temporary memory. */
export class MergeSource implements IndexSource {
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
 * Reads a whole file and verifies its checksums, in steps. An index in memory needs no check.
 * @throws CorruptSegmentError
 */
export function* checkIndex(segment: string, handle: IndexHandle): Generator<void> {
  if (handle.kind === 'memory') return;
  const index = new MergeSource(segment, handle);
  try {
    yield* checkSections(segment, index, checksum);
  } finally {
    index.close();
  }
}

/** Treats a read error of the disk like wrong bytes. */
function readPart(segment: string, file: number, bytes: Uint8Array, offset: number): Uint8Array {
  try {
    return bytes.subarray(0, readFully(file, bytes, offset));
  } catch (error) {
    throw new CorruptSegmentError(segment, `its index cannot be read: ${error}`);
  }
}
