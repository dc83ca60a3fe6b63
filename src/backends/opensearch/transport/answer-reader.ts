// Reads one answer of HTTP/1.1 (RFC 9112) from the pieces that a connection receives. A body of known
// length is received where it stays: the reader names the memory for the next piece.
// Invariant: bytes of one answer are in no other: after an error the connection is not used again.

import type { BufferPool, PooledBuffer } from '../../../json/buffer-pool.ts';
import { copyBytes } from '../../../json/byte-copy.ts';
import { type AnswerMemory, SMALL_PAGE_BYTES } from '../../../service/ports/search-backend.ts';

/** An answer whose body is complete. */
export interface HttpAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** False if the server closes the connection after this answer. */
  readonly isKeptAlive: boolean;
  /** The body; belongs to the caller, who may release it. */
  readonly body: PooledBuffer;
}

/** Most bytes of a head, and of a piece whose place is not known. */
const PIECE_BYTES = 64 * 1024;
/** Most bytes of a line before a chunk. */
const LINE_MAX = 1024;
const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const FIRST_GROWTH = 64 * 1024;

interface Head {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly isKeptAlive: boolean;
  /** `close`: the body ends with the connection. */
  readonly framing: { readonly length: number } | 'chunked' | 'close';
}

export class AnswerReader {
  /** Counts the body of the next answer as soon as it is known to be large. */
  memory: AnswerMemory | undefined;
  readonly #pool: BufferPool;
  readonly #piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  /** Bytes of an incomplete head, at the start of `#piece`. */
  #early = 0;
  #head: Head | null = null;
  #body: PooledBuffer | null = null;
  #length = 0;
  /** Bytes that the body may have before it is moved; `memory` has counted them if they are many. */
  #room = 0;
  /** The bytes that are left of the chunk; 0 before its size is known. */
  #chunkLeft = 0;
  /** What comes next in a chunked body: a size, bytes, the end of a chunk, or fields at the end. */
  #part: 'size' | 'bytes' | 'end' | 'trailer' = 'size';
  #line = '';

  constructor(pool: BufferPool) {
    this.#pool = pool;
  }

  /** Where the next piece is to be received. */
  place(): Uint8Array {
    if (this.#head === null) return this.#piece.subarray(this.#early);
    const { framing } = this.#head;
    if (this.#body === null || typeof framing === 'string') return this.#piece;
    return this.#body.bytes.subarray(this.#length, framing.length);
  }

  /**
   * Takes a piece that was received at `place`.
   * @returns the answer when it is complete
   * @throws Error if these bytes are not an answer, or the error of `memory`
   */
  take(count: number): HttpAnswer | null {
    if (this.#head !== null && typeof this.#head.framing !== 'string') {
      this.#length += count;
      return this.#length === this.#head.framing.length ? this.#finish() : null;
    }
    if (this.#head !== null) return this.#takeBody(this.#piece.subarray(0, count));
    let head: Head;
    let from = 0;
    const received = this.#early + count;
    const bytes = this.#piece.subarray(0, received);
    do {
      const end = bytes.indexOf(HEAD_END, from);
      if (end === -1) {
        bytes.copyWithin(0, from);
        this.#early = received - from;
        if (this.#early === PIECE_BYTES) throw new Error('The head of the answer is too long');
        return null;
      }
      head = headOf(bytes.toString('latin1', from, end));
      from = end + HEAD_END.length;
    } while (head.status < 200);
    this.#early = 0;
    this.#head = head;
    const { framing } = head;
    this.#body = this.#memoryFor(typeof framing === 'string' ? FIRST_GROWTH : framing.length);
    return this.#takeBody(bytes.subarray(from));
  }

  /** The connection ended. @returns the answer if that completes it */
  end(): HttpAnswer | null {
    return this.#head?.framing === 'close' ? this.#finish() : null;
  }

  #takeBody(bytes: Buffer): HttpAnswer | null {
    const framing = this.#head?.framing ?? 'close';
    if (framing === 'chunked') return this.#takeChunks(bytes);
    if (framing !== 'close' && bytes.length > framing.length) {
      throw new Error('The answer is longer than its length');
    }
    this.#append(bytes);
    return framing !== 'close' && this.#length === framing.length ? this.#finish() : null;
  }

  #takeChunks(bytes: Buffer): HttpAnswer | null {
    let at = 0;
    while (at < bytes.length) {
      if (this.#part === 'bytes') {
        const part = bytes.subarray(at, at + this.#chunkLeft);
        this.#append(part);
        at += part.length;
        this.#chunkLeft -= part.length;
        if (this.#chunkLeft === 0) this.#part = 'end';
        continue;
      }
      const end = bytes.indexOf(LINE_FEED, at);
      this.#line += bytes.toString('latin1', at, end === -1 ? bytes.length : end);
      if (this.#line.length > LINE_MAX) throw new Error('A line of the answer is too long');
      if (end === -1) return null;
      at = end + 1;
      const line =
        this.#line.charCodeAt(this.#line.length - 1) === CARRIAGE_RETURN
          ? this.#line.slice(0, -1)
          : this.#line;
      this.#line = '';
      if (this.#endLine(line)) {
        if (at < bytes.length) throw new Error('The answer is longer than its chunks');
        return this.#finish();
      }
    }
    return null;
  }

  /** @returns true after the last line of a chunked body */
  #endLine(line: string): boolean {
    switch (this.#part) {
      case 'size': {
        const [digits = ''] = line.split(';');
        if (!/^[0-9a-f]{1,8}[ \t]*$/i.test(digits)) throw new Error('A chunk has no size');
        this.#chunkLeft = Number.parseInt(digits, 16);
        this.#part = this.#chunkLeft === 0 ? 'trailer' : 'bytes';
        return false;
      }
      case 'trailer':
        return line === '';
      case 'end':
      case 'bytes':
        if (line !== '') throw new Error('A chunk is longer than its size');
        this.#part = 'size';
        return false;
    }
  }

  /** Memory for a body of that length. */
  #memoryFor(length: number): PooledBuffer {
    const counted = this.#room > SMALL_PAGE_BYTES ? this.#room : 0;
    if (length > SMALL_PAGE_BYTES) this.memory?.holdBytes(length - counted);
    this.#room = length;
    return this.#pool.take(length);
  }

  #append(bytes: Uint8Array): void {
    const needed = this.#length + bytes.length;
    const smaller = this.#body ?? this.#memoryFor(needed);
    let body = smaller;
    if (needed > this.#room) {
      body = this.#memoryFor(2 * needed);
      copyBytes(body.bytes, smaller.bytes.subarray(0, this.#length), 0);
      smaller.release();
    }
    this.#body = body;
    copyBytes(body.bytes, bytes, this.#length);
    this.#length = needed;
  }

  #finish(): HttpAnswer {
    const head = this.#head;
    const body = this.#body;
    if (head === null || body === null) throw new Error('There is no answer');
    const { status, retryAfter, isKeptAlive } = head;
    const length = this.#length;
    this.#head = null;
    this.#body = null;
    this.#length = 0;
    this.#room = 0;
    this.memory = undefined;
    this.#part = 'size';
    const { bytes, release } = body;
    return { status, retryAfter, isKeptAlive, body: { bytes: bytes.subarray(0, length), release } };
  }
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$|\r)/;
const CONTENT_LENGTH = /\r\ncontent-length:[ \t]*(\d+)[ \t]*(?:\r\n|$)/i;
const TRANSFER_ENCODING = /\r\ntransfer-encoding:[ \t]*([^\r]*)/i;
const CONTENT_ENCODING = /\r\ncontent-encoding:[ \t]*(?!identity)/i;
const RETRY_AFTER = /\r\nretry-after:[ \t]*([^\r]*?)[ \t]*(?:\r\n|$)/i;
const CLOSES = /\r\nconnection:[^\r]*\bclose\b/i;

/** @param text the head without its last line end */
function headOf(text: string): Head {
  const line = STATUS_LINE.exec(text);
  if (line === null) throw new Error('The answer is not HTTP/1.1');
  const status = Number(line[2]);
  if (CONTENT_ENCODING.test(text)) throw new Error('The answer is encoded');
  const framing = framingOf(text, status);
  return {
    status,
    retryAfter: RETRY_AFTER.exec(text)?.[1],
    isKeptAlive: framing !== 'close' && line[1] === '1' && !CLOSES.test(text),
    framing,
  };
}

function framingOf(text: string, status: number): Head['framing'] {
  if (status < 200 || status === 204 || status === 304) return { length: 0 };
  const encoding = TRANSFER_ENCODING.exec(text)?.[1]?.trim().toLowerCase();
  if (encoding === 'chunked') return 'chunked';
  if (encoding !== undefined) throw new Error('The answer is encoded');
  const length = CONTENT_LENGTH.exec(text)?.[1];
  return length === undefined ? 'close' : { length: Number(length) };
}
