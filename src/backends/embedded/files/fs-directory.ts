// The directory of the embedded index: one flat directory. `write` gives a file its name only when
// its content is completely on disk. A name is never reused for other content, except the
// manifest's, which is replaced atomically.
// Invariant: a file that no manifest names is ignored and may be removed at any time.
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
} from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/** Suffix of incomplete files; those left by a crash are removed at the next start. */
const PARTIAL = '.tmp';

/** File names of a segment. */
export const indexFile = (segment: string): string => `${segment}.index`;
export const sourcesFile = (segment: string): string => `${segment}.sources`;

/** CRC-32, as in zlib. */
export function checksum(bytes: Uint8Array, before = 0): number {
  return crc32(bytes, before);
}

/** The index directory on a local file system. */
export class FsDirectory {
  readonly path: string;
  readonly #relock: () => Promise<void>;
  /** Settles when a directory that was removed has its lock again. */
  #remaking: Promise<void> | null = null;
  #isLocked = true;

  /**
   * Creates the directory if it is missing.
   * @param relock called when it was removed while it is open, and made again for the next file: what has
   *   the lock of a directory loses it with the directory
   */
  constructor(path: string, relock: () => Promise<void> = async () => {}) {
    this.path = path;
    this.#relock = relock;
    this.#make();
  }

  #make(): void {
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
  }

  /** @throws what `relock` throws */
  async #makeAgain(): Promise<void> {
    if (!existsSync(this.path)) {
      this.#make();
      this.#isLocked = false;
    }
    if (this.#isLocked) return;
    this.#remaking ??= this.#lockAgain().finally(() => {
      this.#remaking = null;
    });
    await this.#remaking;
  }

  async #lockAgain(): Promise<void> {
    await this.#relock();
    this.#isLocked = true;
  }

  pathOf(name: string): string {
    return join(this.path, name);
  }

  /** The file paths of a segment, whether they exist or not. */
  pathsOf(segment: string): { readonly index: string; readonly sources: string } {
    return { index: this.pathOf(indexFile(segment)), sources: this.pathOf(sourcesFile(segment)) };
  }

  list(): string[] {
    return readdirSync(this.path);
  }

  /** The whole file in shared memory; null if it does not exist. */
  read(name: string): Uint8Array | null {
    return readWhole(this.pathOf(name));
  }

  /**
   * Settles when the content is on disk under its name; the name itself is durable after `sync`.
   */
  async write(name: string, parts: readonly Uint8Array[]): Promise<void> {
    await this.#makeAgain();
    const partial = this.pathOf(name + PARTIAL);
    try {
      const file = await open(partial, 'w', 0o600);
      try {
        for (const part of parts) await file.writeFile(part);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(partial, this.pathOf(name));
    } catch (error) {
      await rm(partial, { force: true }).catch(() => {});
      throw error;
    }
  }

  /** Makes all names durable. */
  async sync(): Promise<void> {
    await this.#makeAgain();
    const directory = await open(this.path, 'r');
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  }

  /** Removes the files of a segment; what cannot be removed now is removed after the next commit. */
  async removeSegment(segment: string): Promise<void> {
    for (const name of [indexFile(segment), sourcesFile(segment)]) {
      await this.remove(name).catch(() => {});
    }
  }

  /** Does nothing if the file does not exist. */
  async remove(name: string): Promise<void> {
    await rm(this.pathOf(name), { force: true });
  }
}

function readWhole(path: string): Uint8Array | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const bytes = new Uint8Array(new SharedArrayBuffer(fstatSync(file).size));
    readFully(file, bytes, 0);
    return bytes;
  } finally {
    closeSync(file);
  }
}

/** Fills `bytes` from `position` on; returns the number of bytes read. */
export function readFully(file: number, bytes: Uint8Array, position: number): number {
  let read = 0;
  while (read < bytes.length) {
    const count = readSync(file, bytes, read, bytes.length - read, position + read);
    if (count === 0) break;
    read += count;
  }
  return read;
}
