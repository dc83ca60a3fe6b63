// The log, without secrets. Errors of libraries hold requests, headers and addresses, so only the
// type, code, message, stack and cause of an error are written, with secrets replaced.
// Invariant: no log line holds a password, token, key or other secret, or a character that a
// terminal obeys.
import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { escapeLines } from '../json/escaped-text.ts';

/** A log as the parts of the service use it; a pino logger fits. */
export interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** Logs nothing. */
export const SILENT: Log = { info: () => {}, warn: () => {} };

/** Patterns of secrets, and their replacements. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  // User and password in a URL.
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@"']*@/gi, '$1…@'],
  // JSON Web Tokens.
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '…'],
  // Values of Authorization.
  [/\b(bearer|basic|token token=)\s*[\w.~+/=-]{6,}/gi, '$1 …'],
  // Members and parameters with the name of a secret.
  [
    /\b([\w-]*(?:secret|password|passwd|token|api[_-]?key|authorization)["']?\s*[=:]\s*["']?)[^\s"'&,;}]+/gi,
    '$1…',
  ],
];

/** Replaces the secrets in a text. */
export function withoutSecrets(text: string): string {
  return SECRETS.reduce(
    (clean, [pattern, replacement]) => clean.replace(pattern, replacement),
    text,
  );
}

/** Converts an error to its loggable members. */
function loggableError(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { message: withoutSecrets(String(error)) };
  const { name, message, stack, cause } = error;
  const { code } = error as NodeJS.ErrnoException;
  return {
    type: name,
    ...(typeof code === 'string' ? { code } : {}),
    message: withoutSecrets(message),
    ...(stack === undefined ? {} : { stack: withoutSecrets(stack) }),
    ...(cause instanceof Error ? { cause: loggableError(cause) } : {}),
  };
}

/** Replaces the secrets in a text, or in each text of a list. */
function loggableText(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(loggableText);
  return typeof value === 'string' ? withoutSecrets(value) : value;
}

/** By the names of members; all of these may have the text of an error. */
const SERIALIZERS = {
  err: loggableError,
  error: loggableText,
  reason: loggableText,
  detail: loggableText,
  causes: loggableText,
};

/**
 * Creates a log of JSON lines; by default to standard output through GatheredLines.
 * @param stream gets each line as it is, also with controls from U+007F on
 */
export function makeLog(level: string, stream?: DestinationStream): Logger {
  const options = { level, serializers: SERIALIZERS };
  return pino(options, stream ?? new GatheredLines(destination({ dest: 1, sync: true })));
}

/** Buffered characters that cause a flush. */
const GATHERED_MAX = 16 * 1024;
/** Most milliseconds that a line is buffered. */
const WAIT_MS = 50;
/** Pino's number of `warn`. */
const URGENT = 40;
/** Makes pino set `lastLevel` before each line. */
const METADATA = Symbol.for('pino.metadata');

/**
 * Buffers lines: one write per line is a tenth of the cost of a small request. Warnings and errors
 * flush the buffer at once, as does the end of the process.
 */
export class GatheredLines implements DestinationStream {
  readonly [METADATA] = true;
  /** Level of the line being written; set by pino. */
  lastLevel = 0;
  readonly #stream: DestinationStream;
  #lines = '';
  #timer: NodeJS.Timeout | null = null;

  constructor(stream: DestinationStream) {
    this.#stream = stream;
    process.on('exit', () => this.flush());
  }

  write(line: string): void {
    this.#lines += line;
    if (this.lastLevel >= URGENT || this.#lines.length >= GATHERED_MAX) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), WAIT_MS).unref();
  }

  /** Writes what is buffered. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const lines = this.#lines;
    this.#lines = '';
    if (lines !== '') this.#stream.write(escapeLines(lines));
  }
}
