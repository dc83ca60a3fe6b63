// PostgreSQL through `pg`: pools of connections, transactions on one connection, values with
// SQLite's types, and errors as the service's own.
// Invariant: an error of the network, the server or a lock becomes `unavailable`, and its
// connection is not used again.
import { createHash } from 'node:crypto';
import {
  type ClientConfig,
  type CustomTypesConfig,
  DatabaseError,
  Pool,
  type PoolClient,
  type QueryConfig,
  type QueryResult,
  types,
} from 'pg';
import { ServiceError } from '../../errors.ts';
import type { SqlConnection } from '../executor.ts';
import type { SqlValue } from '../statement.ts';

/** The address of the database, and its timeouts. */
export interface PostgresAddress {
  /** `postgres://user:password@host:port/database`, with parameters of `pg` after `?`. */
  readonly url: string;
  /** Timeout of connecting, and of waiting for locks. */
  readonly waitMs: number;
  /** Timeout of a statement, and of the pause between two statements of a transaction. */
  readonly statementMs: number;
}

/** The first number of our advisory locks ("card"); the second is a hash of the schema. */
export const LOCK_SPACE = 0x63617264;

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
export function openPool(address: PostgresAddress, size: number): Pool {
  const pool = new Pool({ ...clientConfig(address), max: size, pipeline: true });
  // A broken connection emits an error even while it is in use; its query fails with the same
  // error.
  pool.on('connect', (client) => void client.on('error', () => {}));
  pool.on('error', () => {});
  return pool;
}

/** Runs each statement on any free connection. */
export function poolConnection(pool: Pool): SqlConnection {
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
  static async begin(pool: Pool): Promise<PostgresTransaction> {
    const client = await translateErrors(pool.connect());
    const transaction = new PostgresTransaction(client);
    try {
      await translateErrors(client.query('begin isolation level read committed read write'));
      return transaction;
    } catch (error) {
      client.release(true);
      throw error;
    }
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

/** Converts the errors of a promise to the service's own. */
export async function translateErrors<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    throw translate(error);
  }
}

/** Whether the error is transient: a retry may succeed. */
export function isTransient(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  return cause instanceof DatabaseError && TRANSIENT.has(cause.code ?? '');
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

/** Integers and sums are numbers, as in SQLite; stored values stay below 2^53. */
const TYPES: CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    format !== 'binary' && NUMBERS.has(oid) ? Number : types.getTypeParser(oid, format),
};
const NUMBERS: ReadonlySet<number> = new Set([types.builtins.INT8, types.builtins.NUMERIC]);

// https://www.postgresql.org/docs/current/errcodes-appendix.html: by code, or by class, its first
// two characters.
const SERIALIZATION = '40001';
const DEADLOCK = '40P01';
const TRANSIENT: ReadonlySet<string> = new Set([SERIALIZATION, DEADLOCK]);
const SENTENCES: ReadonlyMap<string, string> = new Map([
  ['08', 'The connection to the database broke.'],
  // "cached plan must not change result type": a newer version changed the tables; a new connection
  // works.
  ['0A000', 'The tables of the database were changed by another process.'],
  ['25006', 'The database cannot be written: it is read-only.'],
  ['25P03', 'The transaction rested for too long and was ended.'],
  ['28', 'The database refuses the user or the password.'],
  ['3D000', 'There is no such database.'],
  ['42501', 'The user of the database lacks a right.'],
  [SERIALIZATION, 'Another process changed the same at the same time.'],
  [DEADLOCK, 'Another process changed the same at the same time.'],
  ['53', 'The database is out of connections, memory or disk.'],
  ['55P03', 'The database is locked by another writer.'],
  ['57', 'The database is ending, starting, or has ended a statement that took too long.'],
  ['58', 'The disk of the database failed.'],
  ['XX001', 'The database is damaged.'],
  ['XX002', 'The database is damaged.'],
]);

/** "index row size exceeds btree maximum": an indexed text has more bytes than an index allows. */
const TOO_LONG = '54000';

function translate(error: unknown): unknown {
  if (error instanceof DatabaseError && error.code === TOO_LONG) {
    return new ServiceError('request_invalid', 'A text is too long to be found by it.', {
      causes: ['PostgreSQL takes some 2,600 bytes of a text that is looked up by'],
    });
  }
  const sentence = sentenceOf(error);
  return sentence === undefined ? error : unavailable(sentence, error);
}

function sentenceOf(error: unknown): string | undefined {
  if (error instanceof DatabaseError) {
    const code = error.code ?? '';
    return SENTENCES.get(code) ?? SENTENCES.get(code.slice(0, 2));
  }
  // Wrong use of `pg` is a bug of the service; other errors that are not the server's are of the
  // network.
  if (error instanceof ServiceError || error instanceof TypeError) return undefined;
  if (!(error instanceof Error)) return undefined;
  // Such as ECONNREFUSED; the message itself may contain the host, which callers must not see.
  const { code } = error as NodeJS.ErrnoException;
  return `The database does not answer${typeof code === 'string' ? ` (${code})` : ''}.`;
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'unavailable';
}

function unavailable(sentence: string, cause: unknown): ServiceError {
  const fault = new ServiceError('unavailable', sentence, { retryAfterSeconds: 1 });
  fault.cause = cause;
  return fault;
}
