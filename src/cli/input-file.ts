// A file to import, as a stream of bytes. `-` is standard input; gzip is detected by its first two
// bytes, not by the file name; the bytes read from disk are counted for the progress.
// Invariant: memory is limited to one chunk for any rate of compression.
import { accessSync, constants, createReadStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { fileFault } from '../config/file-fault.ts';
import { CommandError, UsageError } from './common/context.ts';

const GZIP = [0x1f, 0x8b];
const STDIN = '-';

export interface InputFile {
  /** Name for messages. */
  readonly name: string;
  /** Bytes on disk; null if unknown. */
  readonly size: number | null;
  /** Bytes read from disk so far. */
  readonly read: () => number;
  /** Decompressed content. */
  readonly content: AsyncIterable<Uint8Array>;
}

/**
 * Opens a file, or standard input.
 * @throws UsageError if there is no such file, or it cannot be read
 */
export function openInput(path: string, stdin: AsyncIterable<Uint8Array>): InputFile {
  const size = path === STDIN ? null : sizeOf(path);
  let read = 0;
  async function* countedChunks(): AsyncGenerator<Uint8Array> {
    const source = path === STDIN ? stdin : createReadStream(path, { highWaterMark: 256 * 1024 });
    for await (const chunk of source as AsyncIterable<Uint8Array>) {
      read += chunk.length;
      yield chunk;
    }
  }
  return {
    name: path === STDIN ? 'standard input' : path,
    size,
    read: () => read,
    content: decompressed(countedChunks(), path),
  };
}

function sizeOf(path: string): number | null {
  try {
    accessSync(path, constants.R_OK);
    const stat = statSync(path);
    if (stat.isDirectory()) throw new UsageError([`${path} is a directory.`]);
    return stat.isFile() ? stat.size : null;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError([`${path} cannot be read: ${fileFault(error)}.`]);
  }
}

/**
 * Decompresses gzip; other bytes are passed through.
 * @throws CommandError for a file that is called .gz and is empty, or neither gzip nor text
 */
async function* decompressed(
  source: AsyncGenerator<Uint8Array>,
  path: string,
): AsyncGenerator<Uint8Array> {
  const head: Uint8Array[] = [];
  let length = 0;
  while (length < GZIP.length) {
    const { done, value } = await source.next();
    if (done) break;
    head.push(value);
    length += value.length;
  }
  // No gzip data are that short: the copy failed. Without the ending, it is a list of no documents.
  if (length === 0 && path.endsWith('.gz')) {
    throw new CommandError(`${path} is empty, which no gzip file is: copy it again.`);
  }
  async function* allChunks(): AsyncGenerator<Uint8Array> {
    yield* head;
    yield* source;
  }
  const start = Buffer.concat(head).subarray(0, GZIP.length);
  if (!start.equals(Buffer.from(GZIP))) {
    if (path.endsWith('.gz') && !isText(head)) {
      throw new CommandError(
        `${path} is no gzip file: it begins with ${start.toString('hex') || 'nothing'}, not with 1f8b. Copy it again, or rename it if it is not compressed.`,
      );
    }
    yield* allChunks();
    return;
  }
  const gunzip = createGunzip();
  const compressed = Readable.from(allChunks(), { objectMode: false });
  compressed.on('error', (error) => gunzip.destroy(error));
  try {
    yield* compressed.pipe(gunzip);
  } catch (error) {
    if (!(error instanceof Error) || !isZlibFault(error)) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const fault = new Error(`${error.message}: the gzip data are damaged`, { cause: error });
    throw Object.assign(fault, { code });
  }
}

function isZlibFault(error: Error): boolean {
  return String((error as NodeJS.ErrnoException).code).startsWith('Z_');
}

/** True if a file begins with text, as JSON does. */
function isText(head: readonly Uint8Array[]): boolean {
  const [first = 0x20] = head[0] ?? [];
  return first >= 0x20 && first < 0x7f ? true : [0x09, 0x0a, 0x0d, 0xef].includes(first);
}
