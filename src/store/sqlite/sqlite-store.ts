// The store in one SQLite file with a write-ahead log. Each thread that serves has its own: one connection
// that writes behind a queue, in turn with those of the other threads (../sql/process-writes.ts), and one
// that reads the last committed state. Other processes may write to the same file: locks are short and
// waited for.
// Invariant: `write` resolves after its transaction is on the disk (synchronous=FULL, but for data
// that is thrown away), or rejects and changes nothing.
import { randomUUID } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Records, Store, WritableRecords } from '../../service/ports/store.ts';
import { migrate } from '../migrate.ts';
import { recordsOver } from '../records.ts';
import { type SqlConnection, SqlExecutor } from '../sql/executor.ts';
import { ProcessWrites } from '../sql/process-writes.ts';
import { restoredSentence } from '../sql/schema-comparison.ts';
import type { StoreWriter } from '../sql/transaction-rows.ts';
import { type GroupTransaction, WriteQueue } from '../sql/write-queue.ts';
import { mendChangeNumbers } from './change-numbers.ts';
import { restoreTriggers } from './checksum-triggers.ts';
import type { IndexLock } from './index-lock.ts';
import { isBusy, openConnection, type SqliteConnection } from './sqlite-driver.ts';
import { SqliteScans } from './sqlite-scans.ts';
import { SqliteTransaction } from './sqlite-transaction.ts';
import { StorePlace } from './store-place.ts';

export interface SqliteStoreOptions {
  /** The database file; created if missing, but its directory must exist. */
  readonly path: string;
  /**
   * Timeout of a write for locks of other processes, and in the queue; then it fails with
   * `unavailable`.
   */
  readonly busyMs?: number;
  /** Called with a sentence if impossible numbers of changes were corrected, or triggers made again. */
  readonly onMended?: (what: string) => void;
  /** What the threads of this process share; default: there is one. */
  readonly writes?: ProcessWrites;
  /** False for data that is thrown away: a power cut may lose or damage it. True by default. */
  readonly durable?: boolean;
  /** Released when the store is closed; the caller releases it if the store cannot be opened. */
  readonly lock?: IndexLock;
}

const BUSY_MS = 10_000;
/** SQLite's own wait blocks the process, so it is short; the longer wait is between retries. */
const TRY_MS = 2;
const RETRY_MS = 3;
/** KiB of pages that the connections of a kind of all threads keep. */
const CACHE_KIB = 32_768;
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
    return new SqliteStore({ writer, reader, scans }, { ...options, busyMs });
  } catch (error) {
    writer.close();
    throw error;
  }
}

/**
 * The file contains signing keys: only its owner may read it, and SQLite gives the log the same
 * mode. A file that is there is not opened: with its descriptor all locks of the process on it would be
 * closed (POSIX), those of the connections of other threads, too.
 */
function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    // It is there, or opening the database fails for the same reason and reports it.
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
  readonly #options: SqliteStoreOptions;
  readonly #busyMs: number;
  readonly #processWrites: ProcessWrites;
  /** The schema in which no trigger was missing. */
  #checkedSchema: unknown = null;
  readonly #place: StorePlace;
  readonly #process: StoreWriter = { id: randomUUID(), isRecorded: false };
  readonly #writes: WriteQueue;

  constructor(
    { writer, reader, scans }: Connections,
    options: SqliteStoreOptions & { readonly busyMs: number },
  ) {
    const { busyMs, writes = new ProcessWrites() } = options;
    this.#writer = writer;
    this.#reader = reader;
    this.#scans = scans;
    this.#options = options;
    this.#busyMs = busyMs;
    this.#place = new StorePlace(options.path);
    this.#processWrites = writes;
    this.#writes = new WriteQueue(() => this.#begin(), { waitMs: busyMs, writes });
    this.read = recordsOver(new SqlExecutor('sqlite', readingConnection(reader, scans)));
  }

  write<T>(work: (records: WritableRecords) => Promise<T>): Promise<T> {
    return this.#writes.run(work);
  }

  get writes(): number {
    return this.#processWrites.ended;
  }

  onWrite(listener: () => void): () => void {
    return this.#processWrites.onEnded(listener);
  }

  async ping(): Promise<void> {
    this.#place.check();
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
    this.#options.lock?.release();
  }

  async #begin(): Promise<GroupTransaction> {
    const endTurn = await this.#processWrites.turn();
    try {
      this.#place.check();
      await retryWhileBusy(this.#busyMs, () => this.#writer.exec('begin immediate'));
      await this.#restoreTriggers();
    } catch (error) {
      this.#writer.rollBack();
      endTurn();
      throw error;
    }
    return new SqliteTransaction(this.#writer, this.#process, endTurn);
  }

  /** In the transaction that begins. SQLite gives each change of the schema a new version. */
  async #restoreTriggers(): Promise<void> {
    const schema = this.#writer.get('pragma schema_version', [])?.['schema_version'];
    if (schema === this.#checkedSchema) return;
    const restored = await restoreTriggers(this.#writer);
    if (restored.length === 0) this.#checkedSchema = schema;
    else this.#options.onMended?.(restoredSentence(restored));
  }
}

function configure(
  connection: SqliteConnection,
  { durable = true, writes = new ProcessWrites() }: Pick<SqliteStoreOptions, 'durable' | 'writes'>,
): void {
  connection.exec(`pragma synchronous = ${durable ? 'full' : 'off'}`);
  connection.exec(`pragma cache_size = -${Math.floor(CACHE_KIB / writes.threads)}`);
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
