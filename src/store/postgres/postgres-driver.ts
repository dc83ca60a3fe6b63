// PostgreSQL through `pg`: statements on a pool of connections, and transactions on one connection.
// Invariant: a connection with an error of the network, the server or a lock is not used again.
import type { Writable } from 'node:stream';
import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import type { FirstReads } from '../../identity/ports/store.ts';
import type { SqlConnection } from '../executor.ts';
import type { SqlValue } from '../statement.ts';
import { isUnavailable, translate, translateErrors, unavailable } from './postgres-errors.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { ReadsAhead } from './reads-ahead.ts';

/** The first number of our advisory locks ("card"); the second is a hash of the schema. */
export const LOCK_SPACE = 0x63617264;

/** Runs each statement on any free connection; none may change anything. */
export function poolConnection(pool: PostgresPool): SqlConnection {
  return connectionOver(pool, (query) => pool.query(query));
}

/** One connection of a pool, taken for a transaction that has begun. */
export class PostgresTransaction {
  readonly connection: SqlConnection;
  readonly #client: PoolClient;
  readonly #reads: ReadsAhead;
  /** Settles, without an error, once all queries have been answered. */
  #last: Promise<void> = Promise.resolve();
  /** The first failed statement; PostgreSQL would answer COMMIT with ROLLBACK and no error. */
  #failure: { readonly error: unknown } | null = null;
  /** Nothing has run since the mark was set. */
  #isMarked = true;
  /** COMMIT was answered, so there is nothing to roll back. */
  #ended = false;

  private constructor(pool: PostgresPool, client: PoolClient) {
    this.#client = client;
    const connection = connectionOver(
      pool,
      (query) => this.#query(query),
      (queries) => this.#queries(queries),
      (query) => {
        this.#query(query).catch(() => {});
      },
    );
    this.#reads = new ReadsAhead(connection);
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
    const texts: (string | QueryConfig)[] = ['begin isolation level read committed read write'];
    if (first !== undefined) texts.push(pool.prepared(first.text, first.values));
    texts.push(SAVEPOINT);
    const begin = async (client: PoolClient) => {
      sendTogether(client);
      const answers = allSettled(texts.map((text) => client.query<object>(text)));
      const transaction = new PostgresTransaction(pool, client);
      transaction.readAhead(reads);
      return { transaction, row: (await answers)[1]?.rows[0] };
    };
    return (await translateErrors(pool.take(begin))).result;
  }

  /** Sends the first reads of writes that come later, right before or after a mark. */
  readAhead(writes: readonly FirstReads[]): void {
    this.#reads.send(writes);
  }

  /**
   * Sets the point that `undo` goes back to. The statements that follow are sent behind it, without
   * waiting for its answer; if it fails they fail, too.
   * @returns whether the point was set: not if a statement before it has failed, and then `undo`
   * goes back to the point before. Never rejects.
   */
  mark(): Promise<boolean> {
    const isMarked = this.#isMarked;
    this.#isMarked = false;
    if (isMarked) return Promise.resolve(true);
    return this.#query({ text: `${RELEASE}; ${SAVEPOINT}` }).then(
      () => true,
      () => false,
    );
  }

  /** The first error since the mark, of the statements that have been answered; null: none. */
  get error(): unknown {
    return this.#failure?.error ?? null;
  }

  /** Resolves once all statements have been answered. */
  answered(): Promise<void> {
    return this.#last;
  }

  /**
   * Resolves once all statements have been answered.
   * @throws the first error since the mark, even if it was caught: the server ignores what followed
   */
  async settled(): Promise<void> {
    await this.#last;
    if (this.#failure !== null) throw this.#failure.error;
  }

  /** Goes back to the mark. Returns the error after which the transaction is void; else null. */
  async undo(): Promise<unknown> {
    await this.#last;
    const { error } = this;
    if (isUnavailable(error)) return error;
    // Reads ahead were sent before all changes of this write, so only failed ones are void.
    if (error !== null) this.#reads.clear();
    this.#failure = null;
    await this.#query({ text: `rollback to ${SAVEPOINT}` }).catch(() => {});
    this.#isMarked = true;
    return this.error;
  }

  /**
   * @throws ServiceError `unavailable`, also if the answer to COMMIT was lost: the change may be
   * stored or not
   */
  async commit(): Promise<void> {
    if (this.#failure !== null) throw this.#failure.error;
    const before = this.settled();
    before.catch(() => {});
    let answer: QueryResult;
    try {
      sendTogether(this.#client);
      answer = await this.#client.query('commit');
    } catch (error) {
      this.#client.release(true);
      throw unavailable('The database did not say whether the change is kept: look first.', error);
    }
    this.#ended = true;
    this.#client.release(isUnavailable(this.error));
    // After a failed statement the server answers ROLLBACK.
    await before;
    if (answer.command !== 'COMMIT') throw new Error('The transaction was void and not committed');
  }

  /** Never throws: if the rollback fails, the connection is closed, and the server rolls back. */
  async rollBack(): Promise<void> {
    await this.#last;
    if (this.#ended) return;
    const broken = isUnavailable(this.#failure?.error);
    try {
      if (!broken) await this.#client.query('rollback');
      this.#client.release(broken);
    } catch {
      this.#release();
    }
  }

  /** Ignores that a failed COMMIT has released the connection already. */
  #release(): void {
    try {
      this.#client.release(true);
    } catch {}
  }

  /** Sends the query behind those that are running, without waiting for their answers. */
  #query(query: QueryConfig): Promise<QueryResult> {
    sendTogether(this.#client);
    const result = this.#client.query(query);
    // Answers come in the order of the queries, so the last one settles after all others.
    this.#last = result.then(
      () => {},
      (error) => {
        this.#failure ??= { error: translate(error) };
      },
    );
    return result;
  }

  /** As `#query`; resolves once all have settled. */
  #queries(queries: readonly QueryConfig[]): Promise<QueryResult[]> {
    return allSettled(queries.map((query) => this.#query(query)));
  }
}

/**
 * Holds back what is written to the connection until the end of the current callback, so that the
 * statements sent in it take one system call and wake up the server once.
 */
function sendTogether(client: PoolClient): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Writable } })
    .connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** The point in a transaction before the current write. */
const SAVEPOINT = 'savepoint cardea_write';
const RELEASE = `release ${SAVEPOINT}`;

/** The results, once all have settled. */
async function allSettled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

type Send = (query: QueryConfig) => Promise<QueryResult>;

function connectionOver(
  pool: PostgresPool,
  send: Send,
  sendAll = (queries: readonly QueryConfig[]) => Promise.all(queries.map(send)),
  post: (query: QueryConfig) => unknown = send,
): SqlConnection {
  const rows = async (query: QueryConfig) => (await translateErrors(send(query))).rows as object[];
  return {
    all: (text, values) => rows(pool.prepared(text, values)),
    allOnce: (text, values) => rows({ text, values: [...values] }),
    scan: (text, values) => rows({ text, values: [...values] }),
    each: async (text, list) => {
      const answers = await translateErrors(
        sendAll(list.map((values) => pool.prepared(text, values))),
      );
      return answers.map((answer) => answer.rows as object[]);
    },
    post: (text, list) =>
      translateErrors(Promise.all(list.map((values) => post(pool.prepared(text, values))))),
    get: async (text, values) => (await rows(pool.prepared(text, values)))[0],
    run: async (text, values) =>
      (await translateErrors(send(pool.prepared(text, values)))).rowCount ?? 0,
  };
}
