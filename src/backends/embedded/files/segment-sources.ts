// The sources (documents) of one segment: in memory until a commit has written them, then in a file
// that is read on demand. The engine verifies the checksum of every source, so this class only
// reads bytes.
// Invariant: bytes that were returned are never changed or reused.

import { closeSync, fstatSync, openSync } from 'node:fs';
import { fileFault } from '../../../config/file-fault.ts';
import type { SourceReader } from '../../../engine/index/stored-fields.ts';
import { CorruptSegmentError } from '../../../engine/sections/corrupt-segment-error.ts';
import { ServiceError } from '../../../errors.ts';
import { readFully } from './fs-directory.ts';

/** What another thread needs to read the same sources. */
export type SourcesHandle =
  | { readonly kind: 'memory'; readonly bytes: Uint8Array }
  | { readonly kind: 'file'; readonly path: string; readonly length: number };

const EMPTY = new Uint8Array(0);

/** Reads sources; opens the file on the first read. `retain` and `release` count the users. */
export class SegmentSources implements SourceReader {
  readonly #segment: string;
  #handle: SourcesHandle;
  #file: number | null = null;
  #users = 1;
  readonly #readAheadBytes: number;
  /** The last read, and its offset. */
  #chunk: Uint8Array = EMPTY;
  #chunkAt = 0;

  /**
   * @param readAheadBytes least bytes of one read, for reading rows in order; 0: exactly those asked
   * for, in a buffer of their own
   */
  constructor(segment: string, handle: SourcesHandle, readAheadBytes = 0) {
    this.#segment = segment;
    this.#handle = handle;
    this.#readAheadBytes = readAheadBytes;
  }

  get handle(): SourcesHandle {
    return this.#handle;
  }

  get size(): number {
    return this.#handle.kind === 'memory' ? this.#handle.bytes.length : this.#handle.length;
  }

  /** From now on reads from the file; the memory is freed. */
  moveToFile(path: string): void {
    this.#handle = { kind: 'file', path, length: this.size };
  }

  /** True while there are users, so that the file must stay. */
  get inUse(): boolean {
    return this.#users > 0;
  }

  retain(): void {
    this.#users += 1;
  }

  release(): void {
    this.#users -= 1;
    if (this.#users === 0) this.#close();
  }

  #close(): void {
    if (this.#file === null) return;
    closeSync(this.#file);
    this.#file = null;
  }

  /** Returns fewer bytes if the file is cut short. */
  read(offset: number, length: number): Uint8Array {
    const handle = this.#handle;
    if (handle.kind === 'memory') return handle.bytes.subarray(offset, offset + length);
    const start = offset - this.#chunkAt;
    if (start >= 0 && start + length <= this.#chunk.length) {
      return this.#chunk.subarray(start, start + length);
    }
    const rest = Math.max(0, handle.length - offset);
    const buffer = Buffer.allocUnsafeSlow(Math.min(Math.max(length, this.#readAheadBytes), rest));
    const chunk = buffer.subarray(0, this.#fill(handle.path, buffer, offset));
    if (this.#readAheadBytes === 0) return chunk;
    this.#chunk = chunk;
    this.#chunkAt = offset;
    return chunk.subarray(0, length);
  }

  /** Treats a read error of the disk like wrong bytes. */
  #fill(path: string, chunk: Uint8Array, offset: number): number {
    this.#file ??= openSegmentFile(this.#segment, path, 'sources');
    try {
      return readFully(this.#file, chunk, offset);
    } catch (error) {
      throw new CorruptSegmentError(this.#segment, `its sources cannot be read: ${error}`);
    } finally {
      // A request that still reads after the last release would leave the file open for ever.
      if (!this.inUse) this.#close();
    }
  }
}

/**
 * The sources of a committed segment, before any is read.
 * @throws CorruptSegmentError if the file is missing or has another length
 */
export function storedSources(segment: string, path: string, length: number): SegmentSources {
  const file = openSegmentFile(segment, path, 'sources');
  try {
    if (fstatSync(file).size !== length) {
      throw new CorruptSegmentError(segment, 'size of its sources file');
    }
  } finally {
    closeSync(file);
  }
  return new SegmentSources(segment, { kind: 'file', path, length });
}

/**
 * Opens one of a segment's files and returns its descriptor.
 * @throws CorruptSegmentError if it is missing, ServiceError `unavailable` if it cannot be opened
 */
export function openSegmentFile(segment: string, path: string, kind: 'index' | 'sources'): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new CorruptSegmentError(segment, `its ${kind} file is missing`);
    const fault = new ServiceError(
      'unavailable',
      // The message of an unknown error names the path.
      `A file of the search index cannot be opened: ${fileFault({ code, message: code })}`,
    );
    fault.cause = error;
    throw fault;
  }
}
