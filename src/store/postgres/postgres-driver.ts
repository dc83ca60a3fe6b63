// PostgreSQL through `pg`: statements on a pool of connections, and transactions on one connection.
// Invariant: a connection with an error of the network, the server or a lock is not used again.
import { createHash } from 'node:crypto';
import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import type { SqlConnection } from '../executor.ts';
import type { SqlValue } from '../statement.ts';
import { isUnavailable, translate, translateErrors, unavailable } from './postgres-errors.ts';
import type { PostgresPool } from './postgres-pool.ts';

/** The first number of our advisory locks ("card"); the second is a hash of the schema. */
export const LOCK_SPACE = 0x63617264;

/** Runs each statement on any free connection; none may change anything. */
export function poolConnection(pool: PostgresPool): SqlConnection {
  return connectionOver((query) => pool.query(query));
}

/** One connection of a pool, taken for a transaction that has begun. */
export class PostgresTransaction {
  readonly connection: SqlConnection;
  readonly #client: PoolClient;
  #last: Promise<unknown> = Promise.resolve();
  #failure: { readonly error: unknown } | null = null;

  private constructor(client: PoolClient) {
    this.#client = client;
    this.connection = connectionOver(
      (query) => this.#query(query),
      (queries) => this.#queries(queries),
    );
  }

  /** @throws ServiceError `unavailable` */
  static async begin(pool: PostgresPool): Promise<PostgresTransaction> {
    const begin = (client: PoolClient) =>
      client.query('begin isolation level read committed read write');
    const { client } = await translateErrors(pool.take(begin));
    return new PostgresTransaction(client);
  }

  /**
   * A failed statement voids the whole transaction, even if `work` caught its error: PostgreSQL
   * would answer COMMIT with ROLLBACK and no error.
   * @throws ServiceError `unavailable`, also if the answer to COMMIT was lost: the change may be
   * stored or not
   */
  async commit(): Promise<void> {
    if (this.#failure !== null) throw this.#failure.error;
    await this.#last;
    let answer: QueryResult;
    try {
      answer = await this.#client.query('commit');
    } catch (error) {
      this.#client.release(true);
      throw unavailable('The database did not say whether the change is kept: look first.', error);
    }
    this.#client.release();
    if (answer.command !== 'COMMIT') throw new Error('The transaction was void and not committed');
  }

  /** Never throws: if the rollback fails, the connection is closed, and the server rolls back. */
  async rollBack(): Promise<void> {
    await this.#last.catch(() => {});
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

  /** Queues the query after the ones that are running. */
  #query(query: QueryConfig): Promise<QueryResult> {
    return this.#next(() => this.#client.query(query));
  }

  /** Sends queries without waiting for answers in between; resolves once all have settled. */
  #queries(queries: readonly QueryConfig[]): Promise<QueryResult[]> {
    return this.#next(async () => {
      const sent = queries.map((query) => this.#client.query(query));
      await Promise.allSettled(sent);
      return Promise.all(sent);
    });
  }

  #next<T>(send: () => Promise<T>): Promise<T> {
    const result = this.#last.then(send);
    this.#last = result.catch((error) => {
      this.#failure ??= { error: translate(error) };
    });
    return result;
  }
}

type Send = (query: QueryConfig) => Promise<QueryResult>;

function connectionOver(
  send: Send,
  sendAll = (queries: readonly QueryConfig[]) => Promise.all(queries.map(send)),
): SqlConnection {
  const rows = async (query: QueryConfig) => (await translateErrors(send(query))).rows as object[];
  return {
    all: (text, values) => rows(prepared(text, values)),
    allOnce: (text, values) => rows({ text, values: [...values] }),
    scan: (text, values) => rows({ text, values: [...values] }),
    each: async (text, list) => {
      const answers = await translateErrors(sendAll(list.map((values) => prepared(text, values))));
      return answers.map((answer) => answer.rows as object[]);
    },
    get: async (text, values) => (await rows(prepared(text, values)))[0],
    run: async (text, values) =>
      (await translateErrors(send(prepared(text, values)))).rowCount ?? 0,
  };
}

/** Statements are few and fixed: each connection parses them once, under a name. */
function prepared(text: string, values: readonly SqlValue[]): QueryConfig {
  const name = `cardea_${createHash('sha1').update(text).digest('hex')}`;
  return { name, text, values: [...values] };
}
