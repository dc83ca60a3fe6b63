// SQLite by the `node:sqlite` API: the built-in module if this Node has it without a flag,
// otherwise its drop-in `@photostructure/sqlite` (Node 20). Only this file depends on which one it
// is.
// Invariant: everything here is synchronous, and an error of the file, the disk or a lock becomes
// `unavailable`.
import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { ServiceError } from '../../errors.ts';
import { BoundedMap } from '../../query/bounded-map.ts';
import { CHECKSUM_FUNCTION, rowChecksum } from '../sql/row-checksum.ts';
import type { SqlValue } from '../sql/statement.ts';

/** A row; blobs are `Uint8Array`, integers are numbers. */
export type SqlRow = Record<string, unknown>;

interface RawStatement {
  all(...parameters: readonly SqlValue[]): unknown[];
  get(...parameters: readonly SqlValue[]): unknown;
  run(...parameters: readonly SqlValue[]): { changes: number | bigint };
}

interface RawDatabase {
  exec(sql: string): void;
  prepare(sql: string): RawStatement;
  function(
    name: string,
    options: { readonly deterministic: boolean; readonly varargs: boolean },
    of: (...values: unknown[]) => SqlValue,
  ): void;
  close(): void;
}

interface SqliteModule {
  readonly DatabaseSync: new (path: string, options: { readonly readOnly: boolean }) => RawDatabase;
}

/** One connection. */
export class SqliteConnection {
  readonly #database: RawDatabase;
  readonly #path: string;
  /** The product has fewer, so each is prepared once. */
  readonly #statements = new BoundedMap<string, RawStatement>({ kept: 500 });
  #closed = false;

  constructor(database: RawDatabase, path: string) {
    this.#database = database;
    this.#path = path;
  }

  /** Runs statements that take no parameters and return nothing. */
  exec(sql: string): void {
    this.#guard(() => this.#database.exec(sql));
  }

  all(sql: string, parameters: readonly SqlValue[]): SqlRow[] {
    return this.#guard(() => this.#prepare(sql).all(...parameters) as SqlRow[]);
  }

  /** Runs one text with several lists of values and returns the rows of each. */
  each(sql: string, list: readonly (readonly SqlValue[])[]): SqlRow[][] {
    return list.map((parameters) => this.all(sql, parameters));
  }

  /** Runs a query that rarely repeats. */
  allOnce(sql: string, parameters: readonly SqlValue[]): SqlRow[] {
    return this.all(sql, parameters);
  }

  /** Runs here, because in a transaction a scan must see its own writes. */
  scan(sql: string, parameters: readonly SqlValue[]): SqlRow[] {
    return this.all(sql, parameters);
  }

  get(sql: string, parameters: readonly SqlValue[]): SqlRow | undefined {
    return this.#guard(() => this.#prepare(sql).get(...parameters) as SqlRow | undefined);
  }

  /** Returns how many rows changed. */
  run(sql: string, parameters: readonly SqlValue[]): number {
    return this.#guard(() => Number(this.#prepare(sql).run(...parameters).changes));
  }

  /** True within a transaction, which SQLite ends by itself after some errors, such as a full disk. */
  isInTransaction(): boolean {
    try {
      this.#database.exec('begin');
    } catch (error) {
      return primaryCode(error) === SQLITE_ERROR;
    }
    this.#database.exec('rollback');
    return false;
  }

  /** Ends the transaction, if it has not ended by itself. Never throws. */
  rollBack(): void {
    try {
      this.exec('rollback');
    } catch {}
  }

  /** Closing twice is allowed. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#statements.clear();
    this.#database.close();
  }

  #prepare(sql: string): RawStatement {
    return this.#statements.get(sql) ?? this.#statements.add(sql, this.#database.prepare(sql));
  }

  #guard<T>(work: () => T): T {
    if (this.#closed) throw new ServiceError('unavailable', 'The database is closed.');
    try {
      return work();
    } catch (error) {
      throw translate(error, this.#path);
    }
  }
}

/**
 * Opens a connection that waits `busyMs` for the locks of others. One that only reads makes no file
 * and cannot change it.
 * @throws ServiceError `unavailable` if the file cannot be opened
 */
export async function openConnection(
  path: string,
  busyMs: number,
  use: 'read' | 'write' = 'write',
): Promise<SqliteConnection> {
  const { DatabaseSync } = await load();
  try {
    const database = new DatabaseSync(path, { readOnly: use === 'read' });
    // Triggers call it: nothing can be written without it.
    database.function(CHECKSUM_FUNCTION, { deterministic: true, varargs: true }, (...values) =>
      rowChecksum(values),
    );
    const connection = new SqliteConnection(database, path);
    connection.exec(`pragma busy_timeout = ${Math.trunc(busyMs)}`);
    return connection;
  } catch (error) {
    throw translate(error, path);
  }
}

/** Whether the error is a lock held by another connection: worth a retry. */
export function isBusy(error: unknown): boolean {
  return error instanceof ServiceError && primaryCode(error.cause) === SQLITE_BUSY;
}

/** Whether the error is that pages of the file are damaged, not that the disk cannot be used. */
export function isDamaged(error: unknown): boolean {
  return error instanceof ServiceError && primaryCode(error.cause) === SQLITE_CORRUPT;
}

// https://www.sqlite.org/rescode.html
const SQLITE_ERROR = 1;
const SQLITE_BUSY = 5;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_NOTADB = 26;
const UNAVAILABLE: ReadonlyMap<number, string> = new Map([
  [SQLITE_BUSY, 'The database is locked by another writer.'],
  [6, 'A table of the database is locked.'],
  [7, 'The database ran out of memory.'],
  [8, 'The database cannot be written: it is read-only.'],
  [SQLITE_IOERR, 'The disk failed while the database was read or written.'],
  [SQLITE_CORRUPT, 'The database file is damaged: see cardea doctor, or restore a backup.'],
  [SQLITE_FULL, 'The disk is full.'],
  [14, 'The database file cannot be opened.'],
  [15, 'The database is locked by another process.'],
  [SQLITE_NOTADB, 'The file is not a database, or its header is damaged: restore a backup.'],
]);

/** With less, SQLite cannot make the index of its log, and reports that the disk failed. */
const FULL_BYTES = 2 ** 20;

function translate(error: unknown, path: string): unknown {
  const failed = primaryCode(error);
  const code = failed === SQLITE_IOERR && isFull(path) ? SQLITE_FULL : failed;
  const sentence = code === undefined ? undefined : UNAVAILABLE.get(code);
  if (sentence === undefined) return error;
  const passes = code !== SQLITE_CORRUPT && code !== SQLITE_NOTADB;
  const fault = new ServiceError('unavailable', sentence, passes ? { retryAfterSeconds: 1 } : {});
  fault.cause = error;
  return fault;
}

function isFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < FULL_BYTES;
  } catch {
    // A database in memory, or a file system that does not tell.
    return false;
  }
}

/**
 * SQLite's messages of result codes (sqlite3_errstr). The drop-in module omits the code of errors
 * that occur while `all` steps through the rows.
 */
const CODES_BY_MESSAGE: ReadonlyMap<string, number> = new Map([
  ['database is locked', SQLITE_BUSY],
  ['database table is locked', 6],
  ['out of memory', 7],
  ['disk I/O error', 10],
  ['database disk image is malformed', 11],
  ['database or disk is full', 13],
]);

/** The low byte of the extended result code, which both modules set on their errors. */
function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  if (typeof errcode === 'number') return errcode & 0xff;
  return code === 'ERR_SQLITE_ERROR' ? CODES_BY_MESSAGE.get(error.message) : undefined;
}

async function load(): Promise<SqliteModule> {
  return builtIn() ?? ((await import('@photostructure/sqlite')) as unknown as SqliteModule);
}

/**
 * The built-in module, or undefined if it is absent or needs a flag. Hides its experimental
 * warning.
 */
function builtIn(): SqliteModule | undefined {
  const emitWarning = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule?.('node:sqlite') as SqliteModule | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}
