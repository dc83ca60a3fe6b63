// The log, and what must never stand in it. Errors of libraries carry requests, headers and addresses with them, so of an
// error only its type, code, message and stack are written, and secrets are blotted out of those.
// Invariant: no password of an address, no token, key or secret leaves through here.
import { type DestinationStream, type Logger, pino } from 'pino';

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

/** Lines of JSON; to the standard output where no other place is named. */
export function makeLog(level: string, to?: DestinationStream): Logger {
  const options = { level, serializers: { err: loggableError } };
  return to === undefined ? pino(options) : pino(options, to);
}
