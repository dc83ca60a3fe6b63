// The store in a PostgreSQL database that several nodes may share. Each transaction first locks the
// row of the sequence counter until it ends, so the writes of all nodes are serial: as in SQLite,
// results are those of a serial order, and sequence numbers become visible in the order they were
// assigned.
// Invariant: `work` runs once; after COMMIT was sent nothing is retried.
import { Client } from 'pg';
import { ServiceError } from '../../errors.ts';
import { withRecords } from '../../service/ports/forwarding-store.ts';
import type {
  FirstReads,
  PoolFigures,
  Records,
  Store,
  WritableRecords,
} from '../../service/ports/store.ts';
import { SqlExecutor } from '../executor.ts';
import { migrate } from '../migrate.ts';
import { recordsOver, runWrite } from '../records/records.ts';
import { statement, tables } from '../statement.ts';
import { type SharedState, TransactionRows } from '../transaction-rows.ts';
import {
  type GroupTransaction,
  WriteQueue,
  type WriteQueueOptions,
  type WriteResult,
} from '../write-queue.ts';
import { LOCK_SPACE, PostgresTransaction, poolConnection } from './postgres-driver.ts';
import { isAborted, isTransient, translateErrors } from './postgres-errors.ts';
import { clientConfig, type PostgresAddress, PostgresPool } from './postgres-pool.ts';

export interface PostgresStoreOptions extends PostgresAddress, Pick<WriteQueueOptions, 'joinMs'> {
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
  ...(['tokenById', 'clientById', 'refreshToken', 'apiKeyByHash', 'signingKeys', 'view'] as const),
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
  readonly #writes: WriteQueue;
  #closing: Promise<unknown> | null = null;

  constructor(options: PostgresStoreOptions) {
    this.#readers = new PostgresPool(options, options.poolSize);
    this.#writer = new PostgresPool(options, WRITERS);
    this.#checks = new PostgresPool(options, CHECKERS);
    this.#writes = new WriteQueue((first) => beginLocked(this.#writer, first), {
      waitMs: options.waitMs,
      beginsEarly: true,
      joinMs: options.joinMs,
    });
    const over = (pool: PostgresPool) =>
      recordsOver(new SqlExecutor('postgres', poolConnection(pool)));
    const checks = over(this.#checks);
    const replaced = Object.fromEntries(CHECKS.map((name) => [name, checks[name]]));
    this.read = withRecords<Records>(over(this.#readers), replaced);
  }

  write<T>(work: (records: WritableRecords) => Promise<T>, firstReads?: FirstReads): Promise<T> {
    return this.#writes.run(work, firstReads);
  }

  get writes(): number {
    return this.#writes.ended;
  }

  onWrite(listener: () => void): () => void {
    return this.#writes.onEnded(listener);
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
 * A write whose work has ended, or failed without a change, while its last statements may not have been
 * answered.
 */
interface OpenWrite {
  /** The shared rows before it. */
  readonly state: SharedState;
  /** Whether its savepoint was set. */
  readonly marked: Promise<boolean>;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Each write is a savepoint, so that it can be undone alone. The next ones begin before the last
 * statements of a write are answered, or even sent: the savepoint of the next one is set only if they
 * succeed, and what follows it fails with it.
 */
class PostgresGroup implements GroupTransaction {
  failure: unknown = null;
  readonly #transaction: PostgresTransaction;
  readonly #shared: TransactionRows;
  /** In the order of their savepoints. */
  #open: OpenWrite[] = [];

  /** @param sequence the last sequence number assigned */
  constructor(transaction: PostgresTransaction, sequence: number) {
    this.#transaction = transaction;
    this.#shared = new TransactionRows('postgres', transaction.connection, sequence);
  }

  async write<T>(
    work: (records: WritableRecords) => Promise<T>,
    later: readonly FirstReads[],
  ): Promise<WriteResult<T>> {
    const { state } = this.#shared;
    const marked = this.#mark();
    this.#transaction.readAhead(later);
    const { connection, count } = this.#transaction;
    const [outcome] = await Promise.allSettled([
      runWrite('postgres', { connection, shared: this.#shared }, work),
    ]);
    // Even if the work has caught an error: the server ignores what followed it.
    if (outcome.status === 'fulfilled' && this.#transaction.error === null) {
      const settled = new Promise<void>((resolve, reject) => {
        this.#open.push({ state, marked, resolve, reject });
      });
      return { value: outcome.value, settled };
    }
    const isUnchanged = count === this.#transaction.count && this.#transaction.error === null;
    if (outcome.status === 'rejected' && isUnchanged) {
      this.#shared.restore(state);
      // Nothing to settle, but a read that was sent ahead behind its savepoint may still fail.
      this.#open.push({ state, marked, resolve: ignore, reject: ignore });
      throw outcome.reason;
    }
    await this.#transaction.answered();
    if (!(await marked)) {
      await this.#undoOpen();
      throw afterFailedWrite();
    }
    const { error } = this.#transaction;
    this.failure = await this.#transaction.undo();
    this.#shared.restore(state);
    throw outcome.status === 'rejected' && !isAborted(outcome.reason) ? outcome.reason : error;
  }

  /**
   * Sets the savepoint of the next write.
   * @returns whether it was set: then all writes before it are settled
   */
  async #mark(): Promise<boolean> {
    const last = this.#open.at(-1);
    const isMarked = await this.#transaction.mark();
    if (isMarked && last !== undefined) {
      for (const open of this.#open.splice(0, this.#open.indexOf(last) + 1)) open.resolve();
    }
    return isMarked;
  }

  /** Undoes the open write of which a statement has failed, and those that followed it. */
  async #undoOpen(): Promise<void> {
    await this.#transaction.answered();
    const open = this.#open.splice(0);
    const marked = await Promise.all(open.map((one) => one.marked));
    const at = marked.lastIndexOf(true);
    const { error } = this.#transaction;
    this.failure = await this.#transaction.undo();
    for (const settled of open.slice(0, at)) settled.resolve();
    const [failed, ...followers] = open.slice(at);
    if (failed === undefined) return;
    this.#shared.restore(failed.state);
    failed.reject(error);
    for (const follower of followers) follower.reject(afterFailedWrite());
  }

  async commit(): Promise<void> {
    // Each failed attempt undoes at least one write.
    for (;;) {
      if (this.failure !== null) throw this.failure;
      const marked = this.#mark();
      const written = this.#shared.write();
      written.catch(() => {});
      try {
        await this.#transaction.commit();
        return;
      } catch (error) {
        // Without open writes, or after all of them have succeeded, only the commit has failed.
        if (this.#transaction.hasEnded || (await marked)) throw error;
        await this.#undoOpen();
      }
    }
  }

  rollBack(): Promise<void> {
    return this.#transaction.rollBack();
  }
}

const ignore = (): void => {};

function afterFailedWrite(): ServiceError {
  return new ServiceError('unavailable', 'The write before this one failed: try again.', {
    retryAfterSeconds: 1,
  });
}

/**
 * Begins a transaction that excludes other writers. It locks first, and the isolation is READ
 * COMMITTED: every later statement sees all that was committed before the lock was acquired, which
 * a snapshot from the beginning would not. SERIALIZABLE would be no better: all writers change the
 * counter, so one of two concurrent ones would fail.
 */
async function beginLocked(
  writer: PostgresPool,
  first: readonly FirstReads[],
): Promise<GroupTransaction> {
  const lock = LOCK_COUNTER.in('postgres');
  for (let tries = 1; ; tries++) {
    try {
      const statement = { text: lock.sql, values: lock.bind({}) };
      const { transaction, row } = await PostgresTransaction.begin(writer, statement, first);
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
