// Pools of connections to PostgreSQL.
// Invariant: after one connection was lost, no connection opened before that is used again.
import { createHash } from 'node:crypto';
import {
  type ClientConfig,
  type CustomTypesConfig,
  Pool,
  type PoolClient,
  type QueryConfig,
  type QueryResult,
  type QueryResultRow,
  types,
} from 'pg';
import { BoundedMap } from '../../query/bounded-map.ts';
import { isConnectionLost, isTimeout } from './postgres-errors.ts';

/** The address of the database, and its timeouts. */
export interface PostgresAddress {
  /** `postgres://user:password@host:port/database`, with parameters of `pg` after `?`. */
  readonly url: string;
  /** Timeout of connecting, and of waiting for locks. */
  readonly waitMs: number;
  /** Timeout of a statement, and of the pause between two statements of a transaction. */
  readonly statementMs: number;
}

/**
 * The client gives up this much after the server's own timeout, in case the server is unreachable.
 */
const GRACE_MS = 5_000;

/** The configuration of every connection. Parameters in the address override it. */
export function clientConfig({ url, waitMs, statementMs }: PostgresAddress): ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: waitMs,
    query_timeout: statementMs + GRACE_MS,
    statement_timeout: statementMs,
    lock_timeout: waitMs,
    idle_in_transaction_session_timeout: statementMs,
    keepAlive: true,
    application_name: 'cardea',
    types: TYPES,
  };
}

/** At most `size` connections, created on demand and replaced when they break. */
export class PostgresPool {
  readonly #pool: Pool;
  /** The connections opened since one was lost; the others have probably lost the server, too. */
  #sound = new WeakSet<PoolClient>();
  /** Names of prepared statements by their text; the product has fewer. */
  readonly #names = new BoundedMap<string, string>({ kept: 500 });

  constructor(address: PostgresAddress, size: number) {
    this.#pool = new Pool({ ...clientConfig(address), max: size, pipeline: true });
    this.#pool.on('connect', (client) => {
      // A broken connection emits an error even while it is in use; its query fails with the same
      // error.
      client.on('error', () => {});
      this.#sound.add(client);
    });
    this.#pool.on('error', () => this.#distrust());
  }

  /**
   * Takes a connection and runs its first statement, on a new connection once more if the first one
   * is lost: a pooled connection may have died without notice.
   * @param begin must change nothing
   */
  async take<T>(
    begin: (client: PoolClient) => Promise<T>,
  ): Promise<{ readonly client: PoolClient; readonly result: T }> {
    for (let isRetry = false; ; isRetry = true) {
      const client = await this.#connect();
      try {
        return { client, result: await begin(client) };
      } catch (error) {
        client.release(true);
        const isLost = isConnectionLost(error);
        if (isLost) this.#distrust();
        if (!isLost || isRetry || isTimeout(error)) throw error;
      }
    }
  }

  /** Runs a statement that changes nothing, on any free connection. */
  async query<Row extends QueryResultRow>(query: string | QueryConfig): Promise<QueryResult<Row>> {
    const { client, result } = await this.take((free) => free.query<Row>(query));
    client.release();
    return result;
  }

  /** The name of a fixed statement, under which each connection parses it once. */
  nameOf(text: string): string {
    const create = () => `cardea_${createHash('sha1').update(text).digest('hex')}`;
    return this.#names.getOrCreate(text, create);
  }

  /** The numbers of connections, and of requests that wait for one. */
  figures(): { readonly open: number; readonly idle: number; readonly waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { open: totalCount, idle: idleCount, waiting: waitingCount };
  }

  /** Closes all connections once they are free. */
  end(): Promise<void> {
    return this.#pool.end();
  }

  async #connect(): Promise<PoolClient> {
    for (;;) {
      const client = await this.#pool.connect();
      if (this.#sound.has(client)) return client;
      client.release(true);
    }
  }

  #distrust(): void {
    this.#sound = new WeakSet();
  }
}

/** Integers and sums are numbers, as in SQLite; stored values stay below 2^53. */
const TYPES: CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    format !== 'binary' && NUMBERS.has(oid) ? Number : types.getTypeParser(oid, format),
};
const NUMBERS: ReadonlySet<number> = new Set([types.builtins.INT8, types.builtins.NUMERIC]);
