// A transaction of several writes in SQLite. Each write but the first is a savepoint, so that it can
// be undone alone. If the first one fails, the transaction has nothing else to keep.
// Invariant: once SQLite has ended the transaction by itself, none of its statements runs any more.
import type { WritableRecords } from '../../service/ports/store.ts';
import { runWrite } from '../records.ts';
import type { SqlConnection } from '../sql/executor.ts';
import type { SqlValue } from '../sql/statement.ts';
import { type SharedState, type StoreWriter, TransactionRows } from '../sql/transaction-rows.ts';
import type { GroupTransaction } from '../sql/write-queue.ts';
import type { SqliteConnection } from './sqlite-driver.ts';

/** The transaction that the connection is in. */
export class SqliteTransaction implements GroupTransaction {
  failure: unknown = null;
  #isEmpty = true;
  readonly #writer: SqliteConnection;
  readonly #onEnded: () => void;
  readonly #connection: TransactionConnection;
  readonly #shared: TransactionRows;

  /** @param onEnded called when it is committed or rolled back, also more than once */
  constructor(writer: SqliteConnection, process: StoreWriter, onEnded: () => void) {
    this.#writer = writer;
    this.#onEnded = onEnded;
    this.#connection = new TransactionConnection(writer);
    this.#shared = new TransactionRows('sqlite', this.#connection, process, null);
  }

  async write<T>(work: (records: WritableRecords) => Promise<T>): Promise<T> {
    const isFirst = this.#isEmpty;
    this.#isEmpty = false;
    if (!isFirst) this.#connection.exec('savepoint work');
    const { state } = this.#shared;
    try {
      const scope = { connection: this.#connection, shared: this.#shared };
      const value = await runWrite('sqlite', scope, work);
      if (!isFirst) this.#connection.exec('release work');
      return value;
    } catch (error) {
      if (isFirst) this.failure = error;
      else this.#undo(error, state);
      throw error;
    }
  }

  async commit(): Promise<void> {
    await this.#shared.write();
    this.#connection.exec('commit');
    this.#shared.committed();
    this.#onEnded();
  }

  async rollBack(): Promise<void> {
    this.#writer.rollBack();
    this.#onEnded();
  }

  /** Undoes the last write; if the transaction has ended, nothing of it can be kept. */
  #undo(cause: unknown, state: SharedState): void {
    try {
      this.#connection.exec('rollback to work; release work');
      this.#shared.restore(state);
    } catch {
      this.failure = cause;
    }
  }
}

/**
 * Runs the statements of one transaction. SQLite rolls a transaction back by itself after some
 * errors, such as a full disk, and would commit each later statement at once: they are refused.
 */
class TransactionConnection implements SqlConnection {
  readonly #writer: SqliteConnection;
  /** The error that ended the transaction; null while it is open. */
  #failure: unknown = null;

  constructor(writer: SqliteConnection) {
    this.#writer = writer;
  }

  exec(sql: string) {
    return this.#guard(() => this.#writer.exec(sql));
  }

  all(sql: string, values: readonly SqlValue[]) {
    return this.#guard(() => this.#writer.all(sql, values));
  }

  allOnce(sql: string, values: readonly SqlValue[]) {
    return this.#guard(() => this.#writer.allOnce(sql, values));
  }

  scan(sql: string, values: readonly SqlValue[]) {
    return this.#guard(() => this.#writer.scan(sql, values));
  }

  each(sql: string, list: readonly (readonly SqlValue[])[]) {
    return this.#guard(() => this.#writer.each(sql, list));
  }

  get(sql: string, values: readonly SqlValue[]) {
    return this.#guard(() => this.#writer.get(sql, values));
  }

  run(sql: string, values: readonly SqlValue[]) {
    return this.#guard(() => this.#writer.run(sql, values));
  }

  #guard<T>(work: () => T): T {
    if (this.#failure !== null) throw this.#failure;
    try {
      return work();
    } catch (error) {
      if (!this.#writer.isInTransaction()) this.#failure = error;
      throw error;
    }
  }
}
