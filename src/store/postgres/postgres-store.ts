// The store in a PostgreSQL database that several nodes may share. Each transaction first locks the
// row of the sequence counter until it ends, so the writes of all nodes are serial: as in SQLite,
// results are those of a serial order, and sequence numbers become visible in the order they were
// assigned.
// Invariant: `work` runs once; after COMMIT was sent nothing is retried.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { Client } from 'pg';
import { ServiceError } from '../../errors.ts';
import { withRecords } from '../../service/ports/forwarding-store.ts';
import type { PoolFigures, Records, Store, WritableRecords } from '../../service/ports/store.ts';
import { migrate } from '../migrate.ts';
import { recordsOver, runWrite } from '../records.ts';
import { SqlExecutor } from '../sql/executor.ts';
import { ProcessWrites } from '../sql/process-writes.ts';
import { statement, tables } from '../sql/statement.ts';
import { type StoreWriter, TransactionRows } from '../sql/transaction-rows.ts';
import { type GroupTransaction, WriteQueue, type WriteQueueOptions } from '../sql/write-queue.ts';
import { allSettled, LOCK_SPACE, PostgresTransaction, poolConnection } from './postgres-driver.ts';
import { isAborted, isTransient, translateErrors } from './postgres-errors.ts';
import { clientConfig, type PostgresAddress, PostgresPool } from './postgres-pool.ts';
import { TriggerWatch } from './postgres-triggers.ts';

export interface PostgresStoreOptions
  extends PostgresAddress,
    Pick<WriteQueueOptions, 'joinMs' | 'writes'> {
  /** Called with a sentence if triggers were made again. */
  readonly onMended?: ((what: string) => void) | undefined;
  /** Connections for reading; writing and the checks of requests have up to two more each. */
  readonly poolSize: number;
}

const NOW = 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms';
/** A migration may have to rewrite large tables. */
const MIGRATION_MS = 3_600_000;
const BEGIN_TRIES = 5;
/** Connections for writing: a transaction waits for the lock while the one before it commits. */
const WRITERS = 2;
/** Connections for checks: each of them reads a few rows by key. */
const CHECKERS = 2;
/**
 * What every request reads before its own work, whoever sends it: who the caller is, what it may do
 * and see, and whether the node is ready. All of them read few rows.
 */
const CHECKS = [
  ...(['tenantById', 'tenantByName', 'userStatus', 'personStatus', 'isRevoked'] as const),
  ...(['credentialById', 'refreshToken', 'apiKeyByHash', 'signingKeys', 'view'] as const),
  ...(['fieldsVersion', 'dynamicFields', 'lastSequence'] as const),
] as const satisfies readonly (keyof Records)[];

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
  /** Separate pools, so that reads that use all connections delay neither writes nor the checks. */
  readonly #writer: PostgresPool;
  readonly #checks: PostgresPool;
  readonly #processWrites: ProcessWrites;
  readonly #writes: WriteQueue;
  #closing: Promise<unknown> | null = null;

  constructor(options: PostgresStoreOptions) {
    this.#readers = new PostgresPool(options, options.poolSize);
    this.#writer = new PostgresPool(options, WRITERS);
    this.#checks = new PostgresPool(options, CHECKERS);
    this.#processWrites = options.writes ?? new ProcessWrites();
    const process = new ProcessWriter();
    const triggers = new TriggerWatch(options.onMended ?? (() => {}));
    this.#writes = new WriteQueue(() => beginLocked(this.#writer, process, triggers), {
      waitMs: options.waitMs,
      beginsEarly: true,
      joinMs: options.joinMs,
      writes: this.#processWrites,
    });
    const over = (pool: PostgresPool) =>
      recordsOver(new SqlExecutor('postgres', poolConnection(pool)));
    const checks = over(this.#checks);
    const replaced = Object.fromEntries(CHECKS.map((name) => [name, checks[name]]));
    this.read = withRecords<Records>(over(this.#readers), replaced);
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
    await this.read.lastSequence();
  }

  async now(): Promise<number> {
    const answer = this.#checks.query<{ ms: number }>(NOW);
    const { rows } = await translateErrors(answer);
    return rows[0]?.ms ?? Number.NaN;
  }

  pools(): readonly PoolFigures[] {
    return [
      { pool: 'read', ...this.#readers.figures() },
      { pool: 'write', ...this.#writer.figures() },
      { pool: 'check', ...this.#checks.figures() },
    ];
  }

  async close(): Promise<void> {
    this.#closing ??= this.#writes
      .close()
      .then(() => Promise.all([this.#readers.end(), this.#writer.end(), this.#checks.end()]));
    await this.#closing;
  }
}

/**
 * This process as the writers of the store know it. It is another one after the database has become
 * another one, or older: with the number of its first change there, that tells what is written from now
 * on from what was lost.
 */
class ProcessWriter {
  #writer: StoreWriter | null = null;
  #place = '';
  #last = 0;

  /**
   * @param place as LOCK_COUNTER reads it
   * @param last the last sequence number assigned
   */
  at(place: string, last: number): StoreWriter {
    if (this.#writer === null || place !== this.#place || last < this.#last) {
      this.#writer = { id: randomUUID(), isRecorded: false };
    }
    this.#place = place;
    this.#last = last;
    return this.#writer;
  }

  /** @param last the last number of a transaction that was committed */
  committed(last: number): void {
    this.#last = Math.max(this.#last, last);
  }
}

/**
 * Each write but the first is a savepoint, so that it can be undone alone. If the first one fails, the
 * transaction has nothing else to keep.
 */
class PostgresGroup implements GroupTransaction {
  failure: unknown = null;
  #isEmpty = true;
  readonly #transaction: PostgresTransaction;
  readonly #process: ProcessWriter;
  readonly #shared: TransactionRows;

  constructor(
    transaction: PostgresTransaction,
    process: ProcessWriter,
    { value, place }: LockedCounter,
  ) {
    this.#transaction = transaction;
    this.#process = process;
    const writer = process.at(place, value);
    this.#shared = new TransactionRows('postgres', transaction.connection, writer, value);
  }

  async write<T>(work: (records: WritableRecords) => Promise<T>): Promise<T> {
    const isFirst = this.#isEmpty;
    this.#isEmpty = false;
    const { state } = this.#shared;
    const { connection } = this.#transaction;
    if (!isFirst) this.#transaction.mark();
    try {
      const value = await runWrite('postgres', { connection, shared: this.#shared }, work);
      // Even if the work has caught it: the server ignores what follows a failed statement.
      if (this.#transaction.error !== null) throw this.#transaction.error;
      if (!isFirst) this.#transaction.release();
      return value;
    } catch (thrown) {
      const error = isAborted(thrown) ? (this.#transaction.error ?? thrown) : thrown;
      this.failure = isFirst ? error : await this.#transaction.undo();
      this.#shared.restore(state);
      throw error;
    }
  }

  async commit(): Promise<void> {
    const written = this.#shared.write();
    await allSettled([this.#transaction.commit(), written]);
    this.#shared.committed();
    this.#process.committed(this.#shared.state.sequence ?? 0);
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
async function beginLocked(
  writer: PostgresPool,
  process: ProcessWriter,
  triggers: TriggerWatch,
): Promise<GroupTransaction> {
  const lock = LOCK_COUNTER.in('postgres');
  for (let tries = 1; ; tries++) {
    try {
      const statement = { text: lock.sql, values: lock.bind({}) };
      const { transaction, row } = await PostgresTransaction.begin(writer, statement);
      try {
        if (row === undefined) throw new Error('The sequence counter is missing');
        await triggers.restoreIn(transaction);
        return new PostgresGroup(transaction, process, row as LockedCounter);
      } catch (error) {
        await transaction.rollBack();
        throw error;
      }
    } catch (error) {
      if (!isTransient(error) || tries === BEGIN_TRIES) throw error;
    }
  }
}

/** The row of the sequence counter, locked, and what changes when the database is another one. */
interface LockedCounter {
  readonly value: number;
  /** When the server was started, which a failover changes, and the file of the table, as a restore does. */
  readonly place: string;
}

const LOCK_COUNTER = statement(() =>
  tables
    .selectFrom('sequence_counter')
    .select([
      'value',
      sql<string>`extract(epoch from pg_postmaster_start_time()) || ' ' ||
        pg_relation_filenode('sequence_counter')`.as('place'),
    ])
    .where('name', '=', 'document')
    .forUpdate(),
);
