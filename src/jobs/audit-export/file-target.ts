// Exports to a file, one JSON object per line, with rotation: `audit.jsonl` becomes
// `audit.jsonl.1`, and so on.
// Invariant: a file holds complete lines. A line cut off by a crash is removed before the next one
// is written; its event is delivered again, since its delivery was not confirmed.
import { type FileHandle, mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ExportTarget } from './export-target.ts';

/** Limits of the rotation. */
export interface FileRotation {
  /** A file that would grow beyond this is rotated first; a delivery is never split. */
  readonly maxBytes: number;
  /** Rotated files that are kept in addition to the current one. */
  readonly files: number;
}

const LINE_FEED = 0x0a;
const TAIL_BYTES = 64 * 1024;

/** Appends to a file that only its owner can read. */
export class FileTarget implements ExportTarget {
  readonly name: string;
  readonly #path: string;
  readonly #rotation: FileRotation;
  /** True if the file is known to end with a complete line. */
  #isEndChecked = false;

  /** @param path absolute */
  constructor(path: string, rotation: FileRotation) {
    this.name = `file ${path}`;
    this.#path = path;
    this.#rotation = rotation;
  }

  /** Checks that the file can be written. @throws the error of the file system */
  async check(): Promise<void> {
    await (await this.#open()).close();
  }

  async deliver(lines: readonly string[]): Promise<void> {
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    let file = await this.#open();
    try {
      if (!this.#isEndChecked) await removePartialLine(file);
      this.#isEndChecked = true;
      const { size } = await file.stat();
      if (size > 0 && size + bytes.length > this.#rotation.maxBytes) {
        await file.close();
        await this.#rotate();
        file = await this.#open();
      }
      // The next delivery removes the remains of a failed write.
      this.#isEndChecked = false;
      await file.appendFile(bytes);
      await file.datasync();
      this.#isEndChecked = true;
    } finally {
      await file.close();
    }
  }

  async #open(): Promise<FileHandle> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    return open(this.#path, 'a+', 0o600);
  }

  async #rotate(): Promise<void> {
    const { files } = this.#rotation;
    for (let number = files; number > 0; number--) {
      const from = number === 1 ? this.#path : `${this.#path}.${number - 1}`;
      await rename(from, `${this.#path}.${number}`).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
    }
  }
}

/** Truncates the file after its last line feed. */
async function removePartialLine(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  const buffer = Buffer.alloc(TAIL_BYTES);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - TAIL_BYTES);
    const { bytesRead } = await file.read(buffer, 0, end - start, start);
    const at = buffer.subarray(0, bytesRead).lastIndexOf(LINE_FEED);
    if (at !== -1) {
      if (start + at + 1 < size) await file.truncate(start + at + 1);
      return;
    }
    end = start;
  }
  if (size > 0) await file.truncate(0);
}
