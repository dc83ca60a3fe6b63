// Writes one file of a segment from beginning to end. The file has its final name from
// the start: nothing reads it before a manifest lists it.
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import type { SourceSink } from '../../../engine/index/stored-fields.ts';
import type { IndexSink } from '../../../engine/sections/index-source.ts';
import { sameBytes } from '../../../engine/sections/index-source.ts';
import { readFully } from './fs-directory.ts';

const BUFFER_BYTES = 1024 * 1024;

/** Must be closed, even if it was not written completely. */
export class FileSink implements IndexSink, SourceSink {
  readonly #file: number;
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  #buffered = 0;
  #length = 0;

  constructor(path: string) {
    this.#file = openSync(path, 'w+', 0o600);
  }

  /** Number of bytes appended. */
  get length(): number {
    return this.#length;
  }

  append(bytes: Uint8Array): void {
    this.#length += bytes.length;
    if (this.#buffered + bytes.length > BUFFER_BYTES) this.#flush();
    if (bytes.length > BUFFER_BYTES) {
      writeFully(this.#file, bytes);
    } else {
      this.#buffer.set(bytes, this.#buffered);
      this.#buffered += bytes.length;
    }
  }

  holds(offset: number, bytes: Uint8Array): boolean {
    this.#flush();
    const part = new Uint8Array(Math.min(BUFFER_BYTES, bytes.length));
    for (let at = 0; at < bytes.length; at += part.length) {
      const expected = bytes.subarray(at, at + part.length);
      const read = readFully(this.#file, part.subarray(0, expected.length), offset + at);
      if (!sameBytes(part.subarray(0, read), expected)) return false;
    }
    return true;
  }

  /** Syncs all bytes to disk. */
  sync(): void {
    this.#flush();
    fsyncSync(this.#file);
  }

  close(): void {
    closeSync(this.#file);
  }

  #flush(): void {
    if (this.#buffered === 0) return;
    writeFully(this.#file, this.#buffer.subarray(0, this.#buffered));
    this.#buffered = 0;
  }
}

function writeFully(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}
