// The log, and what must never stand in it. Errors of libraries carry requests, headers and addresses with them, so of an
// error only its type, code, message and stack are written, and secrets are blotted out of those.
// Invariant: no password of an address, no token, key or secret leaves through here.
import { type DestinationStream, destination, type Logger, pino } from 'pino';

/** What a secret looks like, and what stands in its place. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  // User and password of an address.
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@"']*@/gi, '$1…@'],
  // JSON Web Tokens.
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '…'],
  // Values of Authorization.
  [/\b(bearer|basic|token token=)\s*[\w.~+/=-]{6,}/gi, '$1 …'],
  // Members and parameters that are secrets by their names.
  [
    /\b([\w-]*(?:secret|password|passwd|token|api[_-]?key|authorization)["']?\s*[=:]\s*["']?)[^\s"'&,;}]+/gi,
    '$1…',
  ],
];

/** A text without its secrets. */
export function withoutSecrets(text: string): string {
  return SECRETS.reduce((clean, [pattern, instead]) => clean.replace(pattern, instead), text);
}

/** An error as it is logged. */
export function loggableError(error: unknown): Readonly<Record<string, unknown>> {
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

/** Lines of JSON; to the standard output where no other place is named, as GatheredLines does it. */
export function makeLog(level: string, to?: DestinationStream): Logger {
  const options = { level, serializers: { err: loggableError } };
  return pino(options, to ?? new GatheredLines(destination({ dest: 1, sync: true })));
}

/** Characters that are not kept any longer. */
const GATHERED_MAX = 16 * 1024;
/** Milliseconds that a line waits for others. */
const WAIT_MS = 50;
/** Pino's number of `warn`. */
const URGENT = 40;
/** Has pino tell the level of each line. */
const METADATA = Symbol.for('pino.metadata');

/**
 * Writes lines together: one write a line is a tenth of all that a small answer costs. What warns goes out at once, with
 * all before it, and nothing stays behind when the process ends.
 */
export class GatheredLines implements DestinationStream {
  readonly [METADATA] = true;
  /** Of the line that is being written; pino sets it. */
  lastLevel = 0;
  readonly #to: DestinationStream;
  #lines = '';
  #timer: NodeJS.Timeout | null = null;

  constructor(to: DestinationStream) {
    this.#to = to;
    process.on('exit', () => this.#flush());
  }

  write(line: string): void {
    this.#lines += line;
    if (this.lastLevel >= URGENT || this.#lines.length >= GATHERED_MAX) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), WAIT_MS).unref();
  }

  #flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const lines = this.#lines;
    this.#lines = '';
    if (lines !== '') this.#to.write(lines);
  }
}
