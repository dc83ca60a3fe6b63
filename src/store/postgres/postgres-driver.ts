// PostgreSQL through `pg`: statements on a pool of connections, and transactions on one connection.
// A transaction sends the statements of one callback as one batch, and those without an awaited answer
// with the next ones: COMMIT goes together with the last statements of all writes.
// Invariant: a connection with an error of the network, the server or a lock is not used again.
import type { Writable } from 'node:stream';
import type { PoolClient, QueryConfig, QueryResultRow } from 'pg';
import type { FirstReads } from '../../service/ports/store.ts';
import type { SqlConnection } from '../executor.ts';
import type { SqlValue } from '../statement.ts';
import {
  IgnoredStatementError,
  isUnavailable,
  translate,
  translateErrors,
  unavailable,
} from './postgres-errors.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { ReadsAhead } from './reads-ahead.ts';
import {
  type Answer,
  rowCountOf,
  type SentStatement,
  StatementBatch,
  wireValues,
} from './statement-batch.ts';

/** The first number of our advisory locks ("card"); the second is a hash of the schema. */
export const LOCK_SPACE = 0x63617264;

/** Runs each statement on any free connection; none may change anything. */
export function poolConnection(pool: PostgresPool): SqlConnection {
  const send = (query: QueryConfig) => translateErrors(pool.query<object & QueryResultRow>(query));
  const prepared = (text: string, values: readonly SqlValue[]) =>
    send({ name: pool.nameOf(text), text, values: [...values] });
  const once = async (text: string, values: readonly SqlValue[]) =>
    (await send({ text, values: [...values] })).rows;
  return {
    all: async (text, values) => (await prepared(text, values)).rows,
    allOnce: once,
    scan: once,
    each: async (text, list) =>
      (await Promise.all(list.map((values) => prepared(text, values)))).map(({ rows }) => rows),
    post: (text, list) => Promise.all(list.map((values) => prepared(text, values))),
    get: async (text, values) => (await prepared(text, values)).rows[0],
    run: async (text, values) => (await prepared(text, values)).rowCount ?? 0,
  };
}

/** One connection of a pool, taken for a transaction that has begun. */
export class PostgresTransaction {
  readonly connection: SqlConnection;
  readonly #pool: PostgresPool;
  readonly #client: PoolClient;
  readonly #reads: ReadsAhead;
  /** Statements that are not sent yet, in their order. */
  #held: SentStatement[] = [];
  /** Whether they will be sent after the current callback. */
  #isSending = false;
  /** The number of statements so far. */
  #count = 0;
  /** Settles, without an error, once all that was sent has been answered. */
  #last: Promise<void> = Promise.resolve();
  /** The first failed statement; PostgreSQL would answer COMMIT with ROLLBACK and no error. */
  #failure: { readonly error: unknown } | null = null;
  /** Nothing has run since the mark was set. */
  #isMarked = true;
  /** COMMIT was sent and not ignored, so there is nothing to roll back. */
  #hasEnded = false;

  private constructor(pool: PostgresPool, client: PoolClient) {
    this.#pool = pool;
    this.#client = client;
    this.#reads = new ReadsAhead(transactionConnection(this), pool.selections);
    this.connection = this.#reads.connection;
  }

  /**
   * Begins a transaction in one round trip.
   * @param first its first statement, which changes nothing
   * @param reads the first reads of writes, sent in the same round trip
   * @returns the transaction, and the first row of that statement
   * @throws ServiceError `unavailable`
   */
  static async begin(
    pool: PostgresPool,
    first?: { readonly text: string; readonly values: readonly SqlValue[] },
    reads: readonly FirstReads[] = [],
  ): Promise<{ readonly transaction: PostgresTransaction; readonly row: object | undefined }> {
    const begin = async (client: PoolClient) => {
      const transaction = new PostgresTransaction(pool, client);
      const begun = [transaction.ask(BEGIN, [], NO_ROWS)];
      if (first !== undefined) begun.push(transaction.ask(first.text, first.values));
      begun.push(transaction.ask(SAVEPOINT, [], NO_ROWS));
      transaction.readAhead(reads);
      return { transaction, row: (await Promise.all(begun))[1]?.rows[0] };
    };
    return (await translateErrors(pool.take(begin))).result;
  }

  /** Sends the first reads of writes that come later, right before or after a mark. */
  readAhead(writes: readonly FirstReads[]): void {
    this.#reads.send(writes);
  }

  /** The number of statements so far. */
  get count(): number {
    return this.#count;
  }

  /**
   * Sets the point that `undo` goes back to. It is sent with the next statement that is, and if it
   * fails, the statements behind it fail, too.
   * @returns whether the point was set: not if a statement before it has failed, and then `undo`
   * goes back to the point before. Never rejects.
   */
  mark(): Promise<boolean> {
    const isMarked = this.#isMarked;
    this.#isMarked = false;
    if (isMarked) return Promise.resolve(true);
    if (this.#held.length >= HELD_MAX) this.#send();
    this.post(RELEASE, []);
    return this.#add(SAVEPOINT, [], NO_ROWS).then(
      () => true,
      () => false,
    );
  }

  /** The first error since the mark, of the statements that have been answered; null: none. */
  get error(): unknown {
    return this.#failure?.error ?? null;
  }

  /** Sends all statements, and resolves once they have been answered. */
  async answered(): Promise<void> {
    this.#send();
    await this.#last;
  }

  /** Goes back to the mark. Returns the error after which the transaction is void; else null. */
  async undo(): Promise<unknown> {
    await this.answered();
    const { error } = this;
    if (isUnavailable(error)) return error;
    // Reads ahead were sent before all changes of this write, so only failed ones are void.
    if (error !== null) this.#reads.clear();
    this.#failure = null;
    await this.ask(UNDO, [], NO_ROWS).catch(() => {});
    this.#isMarked = true;
    return this.error;
  }

  /** COMMIT was sent and not ignored. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Sends COMMIT with the statements before it. If one of them fails, the server ignores COMMIT: the
   * transaction goes on, and `undo` may follow.
   * @throws the error of such a statement; ServiceError `unavailable`, also if the answer to COMMIT
   * was lost: the change may be stored or not
   */
  async commit(): Promise<void> {
    // A COMMIT with nothing before it would end a transaction in which a statement has failed.
    if (this.#held.length === 0) await this.#last;
    if (this.#failure !== null) throw this.#failure.error;
    let answer: Answer;
    try {
      answer = await this.ask(COMMIT, [], NO_ROWS);
    } catch (error) {
      await this.#last;
      if (error instanceof IgnoredStatementError) throw this.error;
      this.#hasEnded = true;
      this.#client.release(true);
      throw unavailable('The database did not say whether the change is kept: look first.', error);
    }
    this.#hasEnded = true;
    this.#client.release();
    if (answer.command !== 'COMMIT') throw new Error('The transaction was void and not committed');
  }

  /** Never throws: if the rollback fails, the connection is closed, and the server rolls back. */
  async rollBack(): Promise<void> {
    await this.answered();
    if (this.#hasEnded) return;
    const broken = isUnavailable(this.#failure?.error);
    try {
      if (!broken) await this.ask(ROLLBACK, [], NO_ROWS);
      this.#client.release(broken);
    } catch {
      this.#client.release(true);
    }
  }

  /** Sends a statement behind all others, at the end of the current callback. */
  ask(text: string, values: readonly SqlValue[], options: StatementOptions = {}): Promise<Answer> {
    const answer = this.#add(text, values, options);
    if (!this.#isSending) {
      this.#isSending = true;
      process.nextTick(() => this.#send());
    }
    return answer;
  }

  /** Adds a statement without an awaited answer, which is sent with the next one that has. */
  post(text: string, values: readonly SqlValue[]): void {
    this.#hold(text, values, NO_ROWS, { resolve: ignore, reject: ignore });
  }

  #add(text: string, values: readonly SqlValue[], options: StatementOptions): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#hold(text, values, options, { resolve, reject });
    });
  }

  #hold(
    text: string,
    values: readonly SqlValue[],
    { isFixed = true, returnsRows = true }: StatementOptions,
    caller: Pick<SentStatement, 'resolve' | 'reject'>,
  ): void {
    const name = isFixed ? this.#pool.nameOf(text) : '';
    this.#held.push({ name, text, values: wireValues(values), returnsRows, ...caller });
    this.#count++;
  }

  #send(): void {
    this.#isSending = false;
    const statements = this.#held;
    if (statements.length === 0) return;
    this.#held = [];
    const batch = new StatementBatch(statements);
    // Answers come in the order of the batches, so the last one settles after all others.
    this.#last = new Promise((resolve) => {
      (batch as QueryCallback).callback = (error) => {
        if (error !== null) this.#failure ??= { error: translate(error) };
        resolve();
      };
    });
    sendAtOnce(this.#client, () => this.#client.query(batch));
  }
}

interface StatementOptions {
  /** A text that repeats, which the connection parses once. */
  readonly isFixed?: boolean;
  readonly returnsRows?: boolean;
}

/**
 * When a write begins and so many statements wait, they are sent: the server runs them while the write
 * is computed. A lower number would wake the server up too often.
 */
const HELD_MAX = 12;

const NO_ROWS: StatementOptions = { returnsRows: false };

interface QueryCallback {
  callback?: (error: unknown) => void;
}

const ignore = (): void => {};

/** Sends what `send` writes to the connection with one system call, which wakes up the server once. */
function sendAtOnce(client: PoolClient, send: () => unknown): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Writable } })
    .connection;
  stream.cork();
  try {
    send();
  } finally {
    stream.uncork();
  }
}

const BEGIN = 'begin isolation level read committed read write';
const COMMIT = 'commit';
const ROLLBACK = 'rollback';
/** The point in a transaction before the current write. */
const SAVEPOINT = 'savepoint cardea_write';
const RELEASE = `release ${SAVEPOINT}`;
const UNDO = `rollback to ${SAVEPOINT}`;

/** The results, once all have settled. */
async function allSettled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/** The statements of a transaction. */
function transactionConnection(transaction: PostgresTransaction): SqlConnection {
  const rows = async (
    text: string,
    values: readonly SqlValue[],
    options?: StatementOptions,
  ): Promise<readonly object[]> =>
    (await translateErrors(transaction.ask(text, values, options))).rows;
  const once = (text: string, values: readonly SqlValue[]) => rows(text, values, ONCE);
  return {
    all: (text, values) => rows(text, values),
    allOnce: once,
    scan: once,
    each: async (text, list) => {
      const answers = list.map((values) => transaction.ask(text, values));
      return (await translateErrors(allSettled(answers))).map((answer) => answer.rows);
    },
    post: (text, list) => {
      for (const values of list) transaction.post(text, values);
    },
    get: async (text, values) => (await rows(text, values))[0],
    run: async (text, values) =>
      rowCountOf(await translateErrors(transaction.ask(text, values, NO_ROWS))),
  };
}

const ONCE: StatementOptions = { isFixed: false };
