// The text of a CSV file as UTF-8, whatever encoding it is in: that of its byte order mark, else the
// named one, else UTF-8. Spreadsheets save in many encodings, and a wrong guess would store broken
// names, so what is not UTF-8 and not named is a fault that says what to name.
// Invariant: memory is limited to one chunk, and no character is replaced silently.
import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../../../errors.ts';

/** Why a file cannot be read on from a line; the lines before it are kept. */
export class CsvFault extends Error {
  override readonly name = 'CsvFault';
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** Thrown by a source that is only the beginning of a file, at its end. */
export class EndOfSample extends Error {
  override readonly name = 'EndOfSample';
}

const LF = 0x0a;
/** What the 32 bytes from 0x80 on are in Windows-1252 (https://encoding.spec.whatwg.org/#windows-1252). */
const WINDOWS_1252 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';
const MARKS: readonly (readonly [bytes: readonly number[], encoding: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];
const MARK_BYTES_MAX = 3;

/**
 * The name of an encoding as this file knows it.
 * @throws ServiceError `request_invalid` for an unknown one
 */
export function readEncoding(name: string): string {
  try {
    return new TextDecoder(name.trim()).encoding;
  } catch {
    throw new ServiceError('request_invalid', 'There is no such encoding.', {
      causes: [
        `encoding "${name}" is not known; use utf-8, utf-16le, utf-16be, windows-1252 or another name of the WHATWG Encoding Standard`,
      ],
    });
  }
}

/**
 * The text of `source` in UTF-8, without a byte order mark.
 * @param encoding as `readEncoding` returns it; null for UTF-8
 * @throws CsvFault at the line where the bytes are not of the encoding
 */
export async function* utf8Text(
  source: AsyncIterable<Uint8Array>,
  encoding: string | null,
): AsyncGenerator<Buffer> {
  let decoder: Decoder | null = null;
  let head = Buffer.alloc(0);
  for await (const chunk of source) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (decoder === null) {
      head = Buffer.concat([head, rest]);
      if (head.length < MARK_BYTES_MAX) continue;
      [decoder, rest] = begin(head, encoding);
    }
    yield* decoder.push(rest);
  }
  if (decoder === null) {
    const [short, rest] = begin(head, encoding);
    decoder = short;
    yield* decoder.push(rest);
  }
  yield* decoder.end();
}

function begin(head: Buffer, named: string | null): [Decoder, Buffer<ArrayBuffer>] {
  const mark = MARKS.find(([bytes]) => bytes.every((byte, at) => head[at] === byte));
  const encoding = mark?.[1] ?? named ?? 'utf-8';
  const rest = Buffer.from(head.subarray(mark?.[0].length ?? 0));
  if (encoding === 'utf-8') return [new Utf8Check(mark !== undefined || named !== null), rest];
  return [new Transcoder(encoding), rest];
}

interface Decoder {
  push(chunk: Buffer): Iterable<Buffer>;
  end(): Iterable<Buffer>;
}

/** Passes UTF-8 on as it is. */
class Utf8Check implements Decoder {
  readonly #isNamed: boolean;
  /** The first bytes of a character that the next chunk ends. */
  #begun = Buffer.alloc(0);
  #line = 1;

  constructor(isNamed: boolean) {
    this.#isNamed = isNamed;
  }

  *push(chunk: Buffer): Iterable<Buffer> {
    const bytes = this.#begun.length === 0 ? chunk : Buffer.concat([this.#begun, chunk]);
    const end = bytes.length - unfinished(bytes);
    this.#begun = Buffer.from(bytes.subarray(end));
    yield* this.#whole(bytes.subarray(0, end));
  }

  *end(): Iterable<Buffer> {
    yield* this.#whole(this.#begun);
  }

  *#whole(bytes: Buffer): Iterable<Buffer> {
    if (isUtf8(bytes) && !bytes.includes(0)) {
      this.#line += countLines(bytes);
      if (bytes.length > 0) yield bytes;
      return;
    }
    let start = 0;
    for (;;) {
      const at = bytes.indexOf(LF, start);
      const line = bytes.subarray(start, at === -1 ? bytes.length : at + 1);
      if (!isUtf8(line) || line.includes(0)) {
        if (start > 0) yield bytes.subarray(0, start);
        throw new CsvFault(this.#line, this.#reason(line));
      }
      start += line.length;
      this.#line++;
    }
  }

  #reason(line: Buffer): string {
    if (line.includes(0)) {
      return 'has a NUL byte, as texts in UTF-16 have; name the encoding: utf-16le or utf-16be';
    }
    return this.#isNamed
      ? 'is not valid UTF-8, though the file is said to be; name its encoding, such as windows-1252'
      : 'is not valid UTF-8; name the encoding of the file (--encoding), such as windows-1252, in which Excel saves "CSV", or save it as "CSV UTF-8"';
  }
}

/** The number of bytes at the end that begin a character. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return back < length ? back : 0;
    }
    if (byte < 0x80) return 0;
  }
  return 0;
}

/** Decodes other encodings. */
class Transcoder implements Decoder {
  readonly #encoding: string;
  readonly #decoder: { decode(bytes?: Uint8Array, options?: { stream: boolean }): string };
  #line = 1;

  constructor(encoding: string) {
    this.#encoding = encoding;
    this.#decoder =
      encoding === 'windows-1252'
        ? { decode: decodeWindows1252 }
        : new TextDecoder(encoding, { fatal: true });
  }

  *push(chunk: Buffer): Iterable<Buffer> {
    yield* this.#decoded(() => this.#decoder.decode(chunk, { stream: true }));
  }

  *end(): Iterable<Buffer> {
    yield* this.#decoded(() => this.#decoder.decode());
  }

  *#decoded(decode: () => string): Iterable<Buffer> {
    let text: string;
    try {
      text = decode();
    } catch {
      throw new CsvFault(
        this.#line,
        `is not valid ${this.#encoding}, or one of the following lines; name the encoding of the file, or save it as "CSV UTF-8"`,
      );
    }
    if (text === '') return;
    const bytes = Buffer.from(text);
    this.#line += countLines(bytes);
    yield bytes;
  }
}

/** Some versions of Node decode Windows-1252 as ISO 8859-1. */
function decodeWindows1252(bytes: Uint8Array = Buffer.alloc(0)): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return text.replace(/[\u0080-\u009f]/g, (one) => WINDOWS_1252[one.charCodeAt(0) - 0x80] ?? one);
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) lines++;
  return lines;
}
