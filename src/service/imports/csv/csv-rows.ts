// The rows of a CSV text, with the line at which each begins. The separator is the one that the first
// line has most of, unless it is named. `csv-parse` reads the cells (RFC 4180); a row that it cannot read is a
// fault, and the rows before a fault are always returned.
// Invariant: memory is limited to a chunk and the longest row, and a row that the source cut off is
// never returned.
import { Readable } from 'node:stream';
import type { CsvError, Info, Options } from 'csv-parse';
import { ServiceError } from '../../../errors.ts';

export interface CsvRow {
  /** The line at which it begins; the first is 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Why it has no cells. */
  readonly fault?: string;
}

export interface CsvRowOptions {
  /** One character; null: found by the first line. */
  readonly separator: string | null;
  /** Maximum bytes of a row; 2 MiB when omitted. */
  readonly maxBytes?: number;
  /** Called with the number of buffered bytes; an error thrown ends the source. */
  onBuffered?(bytes: number): void;
}

const MAX_BYTES = 2 * 1024 * 1024;
/** Bytes in which the end of the first line is looked for. */
const HEAD_BYTES_MAX = 64 * 1024;
/** Bytes that are parsed in one turn of the event loop, within 5 ms. */
const PIECE_BYTES = 32 * 1024;
const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;
const SEPARATORS = [',', ';', '\t', '|'];
/** The line with which spreadsheets name the separator. */
const SEPARATOR_LINE = /^"?sep=(.)"?\r?\n/;

/**
 * The separator of that name: one character, or `tab`.
 * @throws ServiceError `request_invalid`
 */
export function readSeparator(name: string): string {
  const separator = name === 'tab' || name === '\\t' ? '\t' : name;
  if (separator.length === 1 && !/["\r\n\p{L}\p{N}]/u.test(separator)) return separator;
  throw new ServiceError('request_invalid', 'The separator is not valid.', {
    causes: [
      `separator ${JSON.stringify(name)} must be one character, such as ; or |, or the word tab`,
    ],
  });
}

/**
 * The rows of `text`, without blank lines.
 * @param text UTF-8
 * @throws what `text` throws, after the rows before it
 */
export async function* csvRows(
  text: AsyncIterable<Buffer>,
  { separator: named, maxBytes = MAX_BYTES, onBuffered }: CsvRowOptions,
): AsyncGenerator<CsvRow> {
  const chunks = text[Symbol.asyncIterator]();
  const head = await firstLine(chunks);
  const nameLine = SEPARATOR_LINE.exec(head.toString('latin1'));
  const separator = named ?? nameLine?.[1] ?? commonest(head);
  const feed = new Feed(head.subarray(nameLine?.[0].length ?? 0), chunks, onBuffered);
  const lines = new Lines(nameLine === null ? 0 : 1);
  const skipped: CsvError[] = [];
  const { parse } = await import('csv-parse');
  const options: Options & { readonly info: true } = {
    ...{ delimiter: separator, info: true, trim: true, relax_column_count: true },
    ...{ skip_empty_lines: true, record_delimiter: ['\r\n', '\n', '\r'] },
    ...{ max_record_size: maxBytes, skip_records_with_error: true },
    on_skip: (error) => {
      // What follows the end of the text, or of its readable part, says nothing more.
      if (error === undefined || feed.isStopped) return undefined;
      if (feed.fault !== null && error.code === 'CSV_QUOTE_NOT_CLOSED') return undefined;
      skipped.push(error);
      if (!isOneRow(error)) feed.stop();
      return undefined;
    },
  };
  const bytes = Readable.from(feed.chunks(), { objectMode: false });
  const parser = bytes.pipe(parse(options));
  let held: CsvRow | null = null;
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      if (held !== null) yield held;
      held = null;
      while (skipped[0] !== undefined && Number(skipped[0]['lines']) < info.lines) {
        yield lines.faulty(skipped.shift() as CsvError, maxBytes);
      }
      feed.taken(info.bytes);
      held = { line: lines.startOf(record, info), cells: record };
    }
    if (held !== null && !feed.cutLast) yield held;
    for (const error of skipped) yield lines.faulty(error, maxBytes);
    if (feed.fault !== null) throw feed.fault;
  } finally {
    feed.stop();
    bytes.destroy();
    parser.destroy();
    // Not awaited: a source that is silent would hold up a reader that has stopped.
    chunks.return?.().catch(() => {});
  }
}

/** True if the parser goes on with the next row; else it would take the rest for one value. */
function isOneRow({ code }: CsvError): boolean {
  return code === 'INVALID_OPENING_QUOTE';
}

interface Parsed {
  readonly record: readonly string[];
  readonly info: Info;
}

/** Feeds the parser. Errors of the text wait until the rows before them are returned. */
class Feed {
  readonly #head: Buffer;
  readonly #rest: AsyncIterator<Buffer>;
  readonly #onBuffered: (bytes: number) => void;
  #fed = 0;
  #taken = 0;
  #lastByte = LF;
  isStopped = false;
  /** Why the text ends early; null: it does not. */
  fault: Error | null = null;
  /** True if the last row may lack its end. */
  cutLast = false;

  constructor(head: Buffer, rest: AsyncIterator<Buffer>, onBuffered = (_: number): void => {}) {
    this.#head = head;
    this.#rest = rest;
    this.#onBuffered = onBuffered;
  }

  stop(): void {
    this.isStopped = true;
  }

  /** Rows up to this byte were returned. */
  taken(bytes: number): void {
    this.#taken = bytes;
  }

  async *chunks(): AsyncGenerator<Buffer> {
    try {
      let chunk: Buffer | undefined = this.#head;
      while (chunk !== undefined && !this.isStopped) {
        this.#fed += chunk.length;
        this.#lastByte = chunk.at(-1) ?? this.#lastByte;
        this.#onBuffered(this.#fed - this.#taken);
        for (let at = 0; at < chunk.length && !this.isStopped; at += PIECE_BYTES) {
          yield chunk.subarray(at, at + PIECE_BYTES);
        }
        if (this.isStopped) return;
        const next: IteratorResult<Buffer> = await this.#rest.next();
        chunk = next.done === true ? undefined : next.value;
      }
    } catch (error) {
      this.fault ??= error instanceof Error ? error : new Error(String(error));
      this.cutLast = this.#lastByte !== LF;
    }
  }
}

/** Lines of rows: the parser counts CRLF in a value as two. */
class Lines {
  /** Lines that the parser has counted too many. */
  #excess: number;
  /** The last line of the row before. */
  #end: number;

  constructor(before: number) {
    this.#excess = -before;
    this.#end = before;
  }

  startOf(record: readonly string[], { lines }: Info): number {
    let breaks = 0;
    for (const cell of record) {
      if (!cell.includes('\n') && !cell.includes('\r')) continue;
      for (const [one] of cell.matchAll(/\r\n|\r|\n/g)) {
        breaks++;
        if (one.length === 2) this.#excess++;
      }
    }
    this.#end = lines - this.#excess;
    return this.#end - breaks;
  }

  /** The row that an error skipped, called after the rows before it. */
  faulty(error: CsvError, maxBytes: number): CsvRow {
    const at = isAfterQuote(error) ? Number(error['lines']) - this.#excess : this.#end + 1;
    return { line: at, cells: [], fault: reasonOf(error, maxBytes) };
  }
}

/** True for an error of the line where it was found, not of the one where its row begins. */
function isAfterQuote({ code }: CsvError): boolean {
  return code !== 'CSV_QUOTE_NOT_CLOSED' && code !== 'CSV_MAX_RECORD_SIZE';
}

function reasonOf({ code }: CsvError, maxBytes: number): string {
  switch (code) {
    case 'INVALID_OPENING_QUOTE':
      return 'has a " within a value; put the whole value in quotes, and write each " in it twice';
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'begins a row with a " that is never closed; nothing from here on is read';
    case 'CSV_MAX_RECORD_SIZE':
      return `begins a row of more than ${maxBytes} bytes; a " may be missing. Nothing from here on is read`;
    default:
      return 'has text after the closing " of a value, or a " that is not written twice within one; nothing from here on is read';
  }
}

/** The text up to the end of the first line that is not within quotes, and what came with it. */
async function firstLine(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  let head = Buffer.alloc(0);
  while (head.length < HEAD_BYTES_MAX && endOfLine(head) === -1) {
    const { done, value } = await chunks.next();
    if (done === true) break;
    head = Buffer.concat([head, value]);
  }
  return head;
}

function endOfLine(head: Buffer): number {
  let isQuoted = false;
  for (let at = 0; at < head.length; at++) {
    const byte = head[at];
    if (byte === QUOTE) isQuoted = !isQuoted;
    else if (!isQuoted && (byte === LF || byte === CR)) return at;
  }
  return -1;
}

/** The separator that the first line has most of outside of quotes; a comma if it has none. */
function commonest(head: Buffer): string {
  const end = endOfLine(head);
  const line = head
    .subarray(0, end === -1 ? head.length : end)
    .toString('latin1')
    .replace(/"[^"]*"/g, '');
  const counts = SEPARATORS.map((one) => line.split(one).length - 1);
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ',';
}
