// The store in one SQLite file: a write-ahead log, one connection that writes behind a queue, and
// one that reads the last committed state. Other processes may write to the same file: locks are
// short and waited for.
// Invariant: `write` resolves after its transaction is on the disk (synchronous=FULL, but for data
// that is thrown away), or rejects and changes nothing.
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Records, Store, WritableRecords } from '../../service/ports/store.ts';
import { migrate } from '../migrate.ts';
import { recordsOver } from '../records.ts';
import { type SqlConnection, SqlExecutor } from '../sql/executor.ts';
import { type GroupTransaction, WriteQueue } from '../sql/write-queue.ts';
import { mendChangeNumbers } from './change-numbers.ts';
import { isBusy, openConnection, type SqliteConnection } from './sqlite-driver.ts';
import { SqliteScans } from './sqlite-scans.ts';
import { SqliteTransaction } from './sqlite-transaction.ts';

export interface SqliteStoreOptions {
  /** The database file; created if missing, but its directory must exist. */
  readonly path: string;
  /**
   * Timeout of a write for locks of other processes, and in the queue; then it fails with
   * `unavailable`.
   */
  readonly busyMs?: number;
  /** Called with a sentence if impossible numbers of changes were corrected. */
  readonly onMended?: (what: string) => void;
  /** False for data that is thrown away: a power cut may lose or damage it. True by default. */
  readonly durable?: boolean;
}

const BUSY_MS = 10_000;
/** SQLite's own wait blocks the process, so it is short; the longer wait is between retries. */
const TRY_MS = 2;
const RETRY_MS = 3;
/** Bytes of a page; most documents then need no chain of overflow pages. */
const PAGE_BYTES = 16_384;

/**
 * Opens the store and brings its tables up to date.
 * @throws ServiceError `unavailable` if the file cannot be opened, is damaged or belongs to a newer
 * version
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const busyMs = options.busyMs ?? BUSY_MS;
  makePrivate(options.path);
  const writer = await openConnection(options.path, TRY_MS);
  try {
    await retryWhileBusy(busyMs, () => {
      writer.exec(`pragma page_size = ${PAGE_BYTES}`);
      writer.exec('pragma journal_mode = wal');
    });
    configure(writer, options);
    await retryWhileBusy(busyMs, () => writer.exec('begin immediate'));
    let mended: string | null;
    try {
      await migrate('sqlite', new SqlExecutor('sqlite', writer));
      mended = mendChangeNumbers(writer);
      writer.exec('commit');
    } catch (error) {
      writer.rollBack();
      throw error;
    }
    if (mended !== null) options.onMended?.(mended);
    // Pages that a savepoint changes are copied; a file for them would be created for each write. Not
    // before, as a migration may sort a whole table.
    writer.exec('pragma temp_store = memory');
    const reader = await openConnection(options.path, busyMs);
    configure(reader, options);
    const scans = new SqliteScans({ path: options.path, busyMs });
    return new SqliteStore({ writer, reader, scans }, busyMs);
  } catch (error) {
    writer.close();
    throw error;
  }
}

/**
 * The file contains signing keys: only its owner may read it, and SQLite gives the log the same
 * mode.
 */
function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch {
    // Opening the database fails for the same reason and reports it.
  }
}

/** The connections of one store. */
interface Connections {
  readonly writer: SqliteConnection;
  readonly reader: SqliteConnection;
  readonly scans: SqliteScans;
}

/** Short queries run in this thread, scans in another. */
function readingConnection(reader: SqliteConnection, scans: SqliteScans): SqlConnection {
  return {
    all: (sql, values) => reader.all(sql, values),
    allOnce: (sql, values) => reader.allOnce(sql, values),
    each: (sql, list) => reader.each(sql, list),
    get: (sql, values) => reader.get(sql, values),
    run: (sql, values) => reader.run(sql, values),
    scan: (sql, values) => scans.all(sql, values),
  };
}

class SqliteStore implements Store {
  readonly read: Records;
  readonly #writer: SqliteConnection;
  readonly #reader: SqliteConnection;
  readonly #scans: SqliteScans;
  readonly #busyMs: number;
  readonly #writes: WriteQueue;

  constructor({ writer, reader, scans }: Connections, busyMs: number) {
    this.#writer = writer;
    this.#reader = reader;
    this.#scans = scans;
    this.#busyMs = busyMs;
    this.#writes = new WriteQueue(() => this.#begin(), { waitMs: busyMs });
    this.read = recordsOver(new SqlExecutor('sqlite', readingConnection(reader, scans)));
  }

  write<T>(work: (records: WritableRecords) => Promise<T>): Promise<T> {
    return this.#writes.run(work);
  }

  get writes(): number {
    return this.#writes.ended;
  }

  onWrite(listener: () => void): () => void {
    return this.#writes.onEnded(listener);
  }

  async ping(): Promise<void> {
    this.#reader.get('select value from sequence_counter', []);
  }

  async now(): Promise<null> {
    return null;
  }

  pools(): readonly [] {
    return [];
  }

  async close(): Promise<void> {
    await this.#writes.close();
    await this.#scans.close();
    // The reader first: the last connection to close checkpoints the log into the file (on Node 20 once
    // its statements are collected).
    this.#reader.close();
    this.#writer.close();
  }

  async #begin(): Promise<GroupTransaction> {
    await retryWhileBusy(this.#busyMs, () => this.#writer.exec('begin immediate'));
    return new SqliteTransaction(this.#writer);
  }
}

function configure(
  connection: SqliteConnection,
  { durable = true }: Pick<SqliteStoreOptions, 'durable'>,
): void {
  connection.exec(`pragma synchronous = ${durable ? 'full' : 'off'}`);
  connection.exec('pragma cache_size = -32768');
  connection.exec('pragma wal_autocheckpoint = 1000');
  connection.exec('pragma journal_size_limit = 67108864');
}

/** Repeats `work` while another connection holds the lock, up to `busyMs`. */
async function retryWhileBusy(busyMs: number, work: () => void): Promise<void> {
  const deadline = performance.now() + busyMs;
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    await sleep(RETRY_MS);
  }
}
