// Splits a byte stream into JSON texts without parsing them: one per line (NDJSON), or the elements
// of one array, depending on the first byte that is not white space. Memory is limited by the
// maximum text length.
// Invariant: a splitting error is returned as a faulty line, so that all earlier texts are kept.
import { GatheredBytes } from './gathered-bytes.ts';

/** One JSON text of a source, or what there is to say of a line. */
export interface SourceLine {
  /** Line number of its start; the first line is 1. */
  readonly line: number;
  /** UTF-8, not yet parsed; empty for a faulty line. */
  readonly text: Uint8Array | string;
  /** The error, if there is no text. */
  readonly fault?: string;
  /** A remark about the line, which then has no text. */
  readonly warning?: string;
  /** It is an element of an array. */
  readonly isElement?: true;
}

export interface JsonSourceOptions {
  /** Maximum length of a text; 16 MiB when omitted. */
  readonly maxBytes?: number;
  /** Called after each chunk with the number of buffered bytes; an error thrown ends the source. */
  onBuffered?(bytes: number): void;
}

const MAX_BYTES = 16 * 1024 * 1024;
const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const ARRAY_OPEN = 0x5b;
const ARRAY_CLOSE = 0x5d;
const OBJECT_OPEN = 0x7b;
const OBJECT_CLOSE = 0x7d;

/** The texts of `source` in order, without blank lines and a byte order mark. */
export async function* jsonSource(
  source: AsyncIterable<Uint8Array>,
  options: JsonSourceOptions = {},
): AsyncGenerator<SourceLine> {
  const maxBytes = options.maxBytes ?? MAX_BYTES;
  let splitter: Splitter | null = null;
  let head = new Uint8Array(0);
  let line = 1;
  for await (const chunk of source) {
    let rest = chunk;
    if (splitter === null) {
      head = join([head, chunk]);
      const start = startOfText(head);
      for (let i = 0; i < start; i++) if (head[i] === LF) line++;
      if (start === head.length) head = new Uint8Array(0);
      if (head.length === 0 || start === -1) continue;
      splitter =
        head[start] === ARRAY_OPEN
          ? new ArraySplitter(line, maxBytes)
          : new LineSplitter(line, maxBytes);
      rest = head.subarray(start);
      head = new Uint8Array(0);
    }
    const lines = splitter.push(rest);
    options.onBuffered?.(splitter.buffered);
    yield* lines;
    if (splitter.broken) return;
  }
  if (splitter !== null) yield* splitter.end();
}

interface Splitter {
  /** True when the rest cannot be split. */
  readonly broken: boolean;
  /** Buffered bytes of the unfinished text. */
  readonly buffered: number;
  push(chunk: Uint8Array): SourceLine[];
  end(): SourceLine[];
}

/** Buffers one text up to the size limit. */
class TextBuffer {
  readonly #maxBytes: number;
  readonly #bytes = new GatheredBytes();
  length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(part: Uint8Array): void {
    if (part.length === 0) return;
    this.length += part.length;
    if (this.length <= this.#maxBytes) this.#bytes.push(part);
    else this.#bytes.clear();
  }

  /** Buffered bytes; 0 for a text that is too long. */
  get buffered(): number {
    return this.length <= this.#maxBytes ? this.length : 0;
  }

  /** Returns the buffered text, or a fault if it was too long; null for a blank text. */
  take(line: number): SourceLine | null {
    const tooLong = this.length > this.#maxBytes;
    const text = trim(this.#bytes.take());
    this.length = 0;
    if (tooLong) {
      return faulty(line, `longer than the limit of ${this.#maxBytes} bytes`);
    }
    return text.length === 0 ? null : { line, text };
  }
}

class LineSplitter implements Splitter {
  readonly broken = false;
  readonly #buffer: TextBuffer;
  #line: number;

  constructor(line: number, maxBytes: number) {
    this.#line = line;
    this.#buffer = new TextBuffer(maxBytes);
  }

  get buffered(): number {
    return this.#buffer.buffered;
  }

  push(chunk: Uint8Array): SourceLine[] {
    const lines: SourceLine[] = [];
    let start = 0;
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, start)) {
      this.#buffer.push(chunk.subarray(start, at));
      const text = this.#buffer.take(this.#line++);
      if (text !== null) lines.push(text);
      start = at + 1;
    }
    this.#buffer.push(chunk.subarray(start));
    return lines;
  }

  end(): SourceLine[] {
    const text = this.#buffer.take(this.#line);
    return text === null ? [] : [text];
  }
}

class ArraySplitter implements Splitter {
  readonly #buffer: TextBuffer;
  #line: number;
  #elementLine: number;
  /** Open brackets; 0 before the array, 1 between its elements. */
  #depth = 0;
  #inString = false;
  #escaped = false;
  #elements = 0;
  #closed = false;
  broken = false;

  constructor(line: number, maxBytes: number) {
    this.#line = line;
    this.#elementLine = line;
    this.#buffer = new TextBuffer(maxBytes);
  }

  get buffered(): number {
    return this.#buffer.buffered;
  }

  push(chunk: Uint8Array): SourceLine[] {
    const lines: SourceLine[] = [];
    let start = 0;
    for (let i = 0; i < chunk.length && !this.broken; i++) {
      const byte = chunk[i] as number;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
        continue;
      }
      if (byte === LF) this.#line++;
      if (isBlank(byte)) continue;
      if (this.#closed) {
        lines.push(this.#fail('text after the end of the array'));
      } else if (this.#depth === 0) {
        this.#depth = 1;
        start = i + 1;
      } else if (this.#depth === 1 && (byte === COMMA || byte === ARRAY_CLOSE)) {
        this.#buffer.push(chunk.subarray(start, i));
        this.#element(lines, byte);
        start = i + 1;
      } else {
        if (this.#buffer.length === 0 && isBlankRun(chunk, start, i)) {
          start = i;
          this.#elementLine = this.#line;
        }
        if (byte === QUOTE) this.#inString = true;
        else if (byte === ARRAY_OPEN || byte === OBJECT_OPEN) this.#depth++;
        else if (byte === ARRAY_CLOSE || byte === OBJECT_CLOSE) this.#depth--;
      }
    }
    if (!this.#closed && !this.broken) {
      const blank = this.#buffer.length === 0 && isBlankRun(chunk, start, chunk.length);
      if (!blank) this.#buffer.push(chunk.subarray(start));
    }
    return lines;
  }

  end(): SourceLine[] {
    if (this.#closed || this.broken) return [];
    return [this.#fail('the array is cut off: the source ends before its closing bracket')];
  }

  #element(lines: SourceLine[], end: number): void {
    const element = this.#buffer.take(this.#elementLine);
    this.#closed = end === ARRAY_CLOSE;
    if (element !== null) {
      this.#elements++;
      lines.push({ ...element, isElement: true });
    } else if (end === COMMA || this.#elements > 0) {
      lines.push(this.#fail('an element of the array is missing'));
    }
    this.#elementLine = this.#line;
  }

  #fail(reason: string): SourceLine {
    this.broken = true;
    return faulty(this.#line, reason);
  }
}

function faulty(line: number, fault: string): SourceLine {
  return { line, text: new Uint8Array(0), fault };
}

/**
 * Offset of the text after a byte order mark and white space; the length if nothing else follows;
 * -1 for an incomplete mark.
 */
function startOfText(head: Uint8Array): number {
  let start = 0;
  if (head[0] === 0xef) {
    if (head.length < 3) return -1;
    if (head[1] === 0xbb && head[2] === 0xbf) start = 3;
  }
  while (start < head.length && isBlank(head[start] as number)) start++;
  return start;
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === LF || byte === CR || byte === 0x09;
}

function isBlankRun(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (!isBlank(bytes[i] as number)) return false;
  return true;
}

function trim(bytes: Uint8Array): Uint8Array {
  let start = 0;
  let end = bytes.length;
  while (start < end && isBlank(bytes[start] as number)) start++;
  while (end > start && isBlank(bytes[end - 1] as number)) end--;
  return bytes.subarray(start, end);
}

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  if (parts.length === 1) return parts[0] as Uint8Array<ArrayBuffer>;
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
