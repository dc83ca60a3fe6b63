// Errors of PostgreSQL and of connections to it, as the service's own.
// Invariant: an error of the network, the server or a lock becomes `unavailable`.
import { DatabaseError } from 'pg';
import { ServiceError } from '../../errors.ts';

/** Converts the errors of a promise to the service's own. */
export async function translateErrors<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    throw translate(error);
  }
}

/** Whether the error is transient: a retry may succeed. */
export function isTransient(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  return cause instanceof DatabaseError && TRANSIENT.has(cause.code ?? '');
}

/** Classes of errors that pass by themselves, as when a server starts or is out of memory. */
const PASSING: readonly string[] = ['08', '53', '55', '57'];

/** Whether opening the database again may succeed, without a change of its settings. */
export function mayPass({ cause }: ServiceError): boolean {
  if (cause instanceof DatabaseError) return PASSING.includes(cause.code?.slice(0, 2) ?? '');
  return isNetworkError(cause);
}

/** Whether the error says that the connection is of no further use. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof DatabaseError) {
    const code = error.code ?? '';
    return SHUTDOWNS.has(code) || code.startsWith(CONNECTION_CLASS);
  }
  return isNetworkError(error);
}

/** Whether the client gave up waiting for the answer to a statement. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html: by code, or by class, its first
// two characters.
const CONNECTION_CLASS = '08';
/** `admin_shutdown`, `crash_shutdown`. */
const SHUTDOWNS: ReadonlySet<string> = new Set(['57P01', '57P02']);
const SERIALIZATION = '40001';
const DEADLOCK = '40P01';
const TRANSIENT: ReadonlySet<string> = new Set([SERIALIZATION, DEADLOCK]);
const SENTENCES: ReadonlyMap<string, string> = new Map([
  [CONNECTION_CLASS, 'The connection to the database broke.'],
  // "cached plan must not change result type": a newer version changed the tables; a new connection
  // works.
  ['0A000', 'The tables of the database were changed by another process.'],
  ['25006', 'The database cannot be written: it is read-only.'],
  ['25P03', 'The transaction rested for too long and was ended.'],
  ['28', 'The database refuses the user or the password.'],
  ['3D000', 'There is no such database.'],
  ['42501', 'The user of the database lacks a right.'],
  [SERIALIZATION, 'Another process changed the same at the same time.'],
  [DEADLOCK, 'Another process changed the same at the same time.'],
  ['53', 'The database is out of connections, memory or disk.'],
  ['55P03', 'The database is locked by another writer.'],
  ['57', 'The database is ending, starting, or has ended a statement that took too long.'],
  ['58', 'The disk of the database failed.'],
  ['XX001', 'The database is damaged.'],
  ['XX002', 'The database is damaged.'],
]);

/** "index row size exceeds btree maximum": an indexed text has more bytes than an index allows. */
const TOO_LONG = '54000';

/** The service's own error for one of PostgreSQL or the network; others stay as they are. */
export function translate(error: unknown): unknown {
  if (error instanceof DatabaseError && error.code === TOO_LONG) {
    return new ServiceError('request_invalid', 'A text is too long to be found by it.', {
      causes: ['PostgreSQL takes some 2,600 bytes of a text that is looked up by'],
    });
  }
  const sentence = sentenceOf(error);
  return sentence === undefined ? error : unavailable(sentence, error);
}

function sentenceOf(error: unknown): string | undefined {
  if (error instanceof DatabaseError) {
    const code = error.code ?? '';
    return SENTENCES.get(code) ?? SENTENCES.get(code.slice(0, 2));
  }
  if (!isNetworkError(error)) return undefined;
  // Such as ECONNREFUSED; the message itself may contain the host, which callers must not see.
  const { code } = error as NodeJS.ErrnoException;
  return `The database does not answer${typeof code === 'string' ? ` (${code})` : ''}.`;
}

/** Wrong use of `pg` is a bug of the service; other errors that are not the server's are of the network. */
function isNetworkError(error: unknown): error is Error {
  return error instanceof Error && !OWN_ERRORS.some((own) => error instanceof own);
}

const OWN_ERRORS = [ServiceError, TypeError] as const;

/** In a transaction that has failed; or its text was to be parsed by a statement that was ignored. */
const ABORTED: ReadonlySet<string> = new Set(['25P02', '26000']);

/** Whether a statement was ignored because one before it in its transaction had failed. */
export function isAborted(error: unknown): boolean {
  return error instanceof DatabaseError && ABORTED.has(error.code ?? '');
}

/** Whether an error has been translated to `unavailable`. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'unavailable';
}

/** The error of a database that cannot be used now. */
export function unavailable(sentence: string, cause: unknown): ServiceError {
  const fault = new ServiceError('unavailable', sentence, { retryAfterSeconds: 1 });
  fault.cause = cause;
  return fault;
}
