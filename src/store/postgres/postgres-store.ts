// The store in a PostgreSQL database that several nodes may share. Each transaction first locks the
// row of the sequence counter until it ends, so the writes of all nodes are serial: as in SQLite,
// results are those of a serial order, and sequence numbers become visible in the order they were
// assigned.
// Invariant: `work` runs once; after COMMIT was sent nothing is retried.
import { Client } from 'pg';
import { ServiceError } from '../../errors.ts';
import type { PoolFigures, Records, Store, WritableRecords } from '../../identity/ports/store.ts';
import { SqlExecutor } from '../executor.ts';
import { migrate } from '../migrate.ts';
import { recordsOver, runWrite } from '../records/records.ts';
import { statement, tables } from '../statement.ts';
import { TransactionRows } from '../transaction-rows.ts';
import { type GroupTransaction, WriteQueue } from '../write-queue.ts';
import { LOCK_SPACE, PostgresTransaction, poolConnection } from './postgres-driver.ts';
import { isTransient, translateErrors } from './postgres-errors.ts';
import { clientConfig, type PostgresAddress, PostgresPool } from './postgres-pool.ts';

export interface PostgresStoreOptions extends PostgresAddress {
  /** Connections for reading; writing has one more. */
  readonly poolSize: number;
}

const NOW = 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms';
/** A migration may have to rewrite large tables. */
const MIGRATION_MS = 3_600_000;
const BEGIN_TRIES = 5;

/**
 * Opens the store and brings its tables up to date.
 * @throws ServiceError `unavailable` if the database cannot be reached, or belongs to a newer
 * version
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  await migrateDatabase(options);
  return new PostgresStore(options);
}

/** If several nodes start at once, one migrates and the others wait for its transaction to end. */
async function migrateDatabase(options: PostgresAddress): Promise<void> {
  const patient = { ...options, statementMs: MIGRATION_MS };
  const pool = new PostgresPool(patient, 1);
  try {
    await checkEncoding(options);
    const { transaction } = await PostgresTransaction.begin(pool);
    try {
      const { connection } = transaction;
      await connection.allOnce(`set local lock_timeout = ${MIGRATION_MS}`, []);
      await connection.allOnce(
        'select pg_advisory_xact_lock($1::int, hashtext(current_schema()))',
        [LOCK_SPACE],
      );
      await migrate('postgres', new SqlExecutor('postgres', connection));
      await transaction.commit();
    } catch (error) {
      await transaction.rollBack();
      throw error;
    }
  } finally {
    await pool.end();
  }
}

async function checkEncoding(options: PostgresAddress): Promise<void> {
  const client = new Client(clientConfig(options));
  client.on('error', () => {});
  try {
    await translateErrors(client.connect());
    const { rows } = await translateErrors(
      client.query<{ server_encoding: string }>('show server_encoding'),
    );
    const encoding = rows[0]?.server_encoding;
    if (encoding !== 'UTF8') {
      throw new ServiceError('unavailable', `The database is in ${encoding}; it must be in UTF8.`);
    }
  } finally {
    await client.end();
  }
}

class PostgresStore implements Store {
  readonly read: Records;
  readonly #readers: PostgresPool;
  /** A separate pool, so that reads that use all connections do not delay writes. */
  readonly #writer: PostgresPool;
  readonly #writes: WriteQueue;
  #closing: Promise<unknown> | null = null;

  constructor(options: PostgresStoreOptions) {
    this.#readers = new PostgresPool(options, options.poolSize);
    this.#writer = new PostgresPool(options, 1);
    this.#writes = new WriteQueue(() => beginLocked(this.#writer), options.waitMs);
    this.read = recordsOver(new SqlExecutor('postgres', poolConnection(this.#readers)));
  }

  write<T>(work: (records: WritableRecords) => Promise<T>): Promise<T> {
    return this.#writes.run(work);
  }

  get writes(): number {
    return this.#writes.ended;
  }

  onWrite(listener: () => void): void {
    this.#writes.onEnded(listener);
  }

  async ping(): Promise<void> {
    await this.read.lastSequence();
  }

  async now(): Promise<number> {
    const answer = this.#readers.query<{ ms: number }>(NOW);
    const { rows } = await translateErrors(answer);
    return rows[0]?.ms ?? Number.NaN;
  }

  pools(): readonly PoolFigures[] {
    return [
      { pool: 'read', ...this.#readers.figures() },
      { pool: 'write', ...this.#writer.figures() },
    ];
  }

  async close(): Promise<void> {
    this.#closing ??= this.#writes
      .close()
      .then(() => Promise.all([this.#readers.end(), this.#writer.end()]));
    await this.#closing;
  }
}

/** Each write is a savepoint, so that it can be undone alone. */
class PostgresGroup implements GroupTransaction {
  failure: unknown = null;
  readonly #transaction: PostgresTransaction;
  readonly #shared: TransactionRows;

  /** @param sequence the last sequence number assigned */
  constructor(transaction: PostgresTransaction, sequence: number) {
    this.#transaction = transaction;
    this.#shared = new TransactionRows('postgres', transaction.connection, sequence);
  }

  async write<T>(work: (records: WritableRecords) => Promise<T>): Promise<T> {
    try {
      this.#transaction.mark();
      this.#shared.mark();
      const { connection } = this.#transaction;
      const result = await runWrite('postgres', { connection, shared: this.#shared }, work);
      await this.#transaction.settled();
      return result;
    } catch (error) {
      this.failure = await this.#transaction.undo();
      this.#shared.undo();
      throw error;
    }
  }

  async commit(): Promise<void> {
    // Sent together: the server does not commit if a statement before COMMIT has failed.
    const written = this.#shared.write();
    written.catch(() => {});
    return this.#transaction.commit();
  }

  rollBack(): Promise<void> {
    return this.#transaction.rollBack();
  }
}

/**
 * Begins a transaction that excludes other writers. It locks first, and the isolation is READ
 * COMMITTED: every later statement sees all that was committed before the lock was acquired, which
 * a snapshot from the beginning would not. SERIALIZABLE would be no better: all writers change the
 * counter, so one of two concurrent ones would fail.
 */
async function beginLocked(writer: PostgresPool): Promise<GroupTransaction> {
  const lock = LOCK_COUNTER.in('postgres');
  for (let tries = 1; ; tries++) {
    try {
      const { transaction, row } = await PostgresTransaction.begin(writer, {
        text: lock.sql,
        values: lock.bind({}),
      });
      const { value } = (row ?? {}) as { readonly value?: number };
      if (value !== undefined) return new PostgresGroup(transaction, value);
      await transaction.rollBack();
      throw new Error('The sequence counter is missing');
    } catch (error) {
      if (!isTransient(error) || tries === BEGIN_TRIES) throw error;
    }
  }
}

const LOCK_COUNTER = statement(() =>
  tables.selectFrom('sequence_counter').select('value').where('name', '=', 'document').forUpdate(),
);
