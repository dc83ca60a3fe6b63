// PostgreSQL through `pg`: statements on a pool of connections, and transactions on one connection.
// Statements that do not wait for each other are sent one behind the other (`pipeline` of `pg`).
// Invariant: a connection with an error of the network, the server or a lock is not used again.
import type { PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import type { SqlConnection } from '../sql/executor.ts';
import type { SqlValue } from '../sql/statement.ts';
import { isUnavailable, translate, translateErrors, unavailable } from './postgres-errors.ts';
import type { PostgresPool } from './postgres-pool.ts';

/** The first number of our advisory locks ("card"); the second is a hash of the schema. */
export const LOCK_SPACE = 0x63617264;

/** Sends a statement, and rejects with the service's own errors. */
type Send = (query: QueryConfig) => Promise<QueryResult<object & QueryResultRow>>;

/** Runs each statement on any free connection; none may change anything. */
export function poolConnection(pool: PostgresPool): SqlConnection {
  return connectionOver(pool, (query) => translateErrors(pool.query<object>(query)));
}

/** One connection of a pool, taken for a transaction that has begun. */
export class PostgresTransaction {
  readonly connection: SqlConnection;
  readonly #client: PoolClient;
  /** The first failed statement since the savepoint; PostgreSQL ignores all that follow it. */
  #failure: { readonly error: unknown } | null = null;
  /** COMMIT was sent, so there is nothing to roll back. */
  #hasEnded = false;

  private constructor(pool: PostgresPool, client: PoolClient) {
    this.#client = client;
    this.connection = connectionOver(pool, (query) => this.#send(query));
  }

  /**
   * Begins a transaction in one round trip.
   * @param first its first statement, which changes nothing
   * @returns the transaction, and the first row of that statement
   * @throws ServiceError `unavailable`
   */
  static async begin(
    pool: PostgresPool,
    first?: { readonly text: string; readonly values: readonly SqlValue[] },
  ): Promise<{ readonly transaction: PostgresTransaction; readonly row: object | undefined }> {
    const begin = async (client: PoolClient) => {
      const transaction = new PostgresTransaction(pool, client);
      const [, row] = await allSettled([
        client.query(BEGIN),
        first === undefined ? undefined : transaction.connection.get(first.text, first.values),
      ]);
      return { transaction, row };
    };
    return (await translateErrors(pool.take(begin))).result;
  }

  /** The first error since the savepoint, also one that a caller has caught; null: none. */
  get error(): unknown {
    return this.#failure?.error ?? null;
  }

  /** Sets the point that `undo` goes back to. If that fails, so do the statements behind it. */
  mark(): void {
    this.#post(SAVEPOINT);
  }

  /** Forgets the point: what was changed since then is kept or undone with what was before. */
  release(): void {
    this.#post(RELEASE);
  }

  /** Goes back to the point. Returns the error after which the transaction is void; else null. */
  async undo(): Promise<unknown> {
    const { error } = this;
    if (isUnavailable(error)) return error;
    this.#failure = null;
    await this.#send({ text: UNDO }).catch(() => {});
    return this.error;
  }

  /**
   * Sends COMMIT behind the statements before it.
   * @throws the error of such a statement, after which nothing is kept; ServiceError `unavailable`,
   * also if the answer to COMMIT was lost: the change may be stored or not
   */
  async commit(): Promise<void> {
    this.#hasEnded = true;
    let command: string;
    try {
      ({ command } = await this.#client.query(COMMIT));
    } catch (error) {
      this.#client.release(true);
      throw unavailable('The database did not say whether the change is kept: look first.', error);
    }
    this.#client.release();
    // PostgreSQL answers COMMIT with ROLLBACK, and no error, if a statement has failed.
    if (command === 'COMMIT') return;
    throw this.error ?? new Error('The transaction was void and not committed');
  }

  /** Never throws: if the rollback fails, the connection is closed, and the server rolls back. */
  async rollBack(): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const isBroken = isUnavailable(this.error);
    try {
      if (!isBroken) await this.#client.query(ROLLBACK);
      this.#client.release(isBroken);
    } catch {
      this.#client.release(true);
    }
  }

  async #send(query: QueryConfig): Promise<QueryResult<object & QueryResultRow>> {
    try {
      return await this.#client.query(query);
    } catch (failed) {
      const error = translate(failed);
      this.#failure ??= { error };
      throw error;
    }
  }

  /** Sends a statement whose answer nobody needs: if it fails, so do those behind it. */
  #post(text: string): void {
    this.#send({ text }).catch(() => {});
  }
}

const BEGIN = 'begin isolation level read committed read write';
const COMMIT = 'commit';
const ROLLBACK = 'rollback';
/** The point in a transaction before the current write. */
const SAVEPOINT = 'savepoint cardea_write';
const RELEASE = `release ${SAVEPOINT}`;
const UNDO = `rollback to ${SAVEPOINT}`;

/** The results, once all have settled: no statement is on its way any more. */
export async function allSettled<T extends readonly unknown[]>(
  promises: T,
): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(promises);
  return Promise.all(promises) as never;
}

function connectionOver(pool: PostgresPool, send: Send): SqlConnection {
  const prepared = (text: string, values: readonly SqlValue[]) =>
    send({ name: pool.nameOf(text), text, values: [...values] });
  const once = async (text: string, values: readonly SqlValue[]) =>
    (await send({ text, values: [...values] })).rows;
  return {
    all: async (text, values) => (await prepared(text, values)).rows,
    allOnce: once,
    scan: once,
    each: async (text, list) =>
      (await allSettled(list.map((values) => prepared(text, values)))).map(({ rows }) => rows),
    get: async (text, values) => (await prepared(text, values)).rows[0],
    run: async (text, values) => (await prepared(text, values)).rowCount ?? 0,
  };
}
