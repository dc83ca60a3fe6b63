// Runs statements and trees on a connection of either database: the one place that chooses a
// dialect.
// Invariant: nothing runs after `end`, so work that outlives its transaction cannot write outside
// it.
import { setImmediate as turn } from 'node:timers/promises';
import {
  compile,
  type Dialect,
  type Executor,
  type SqlValue,
  type Statement,
  storable,
  type Parameters as Values,
} from './statement.ts';

/** A connection of one database. SQLite returns results synchronously, PostgreSQL promises. */
export interface SqlConnection {
  all(sql: string, values: readonly SqlValue[]): Answer<readonly object[]>;
  /** As `all`, for a text that rarely repeats: the statement is not cached. */
  allOnce(sql: string, values: readonly SqlValue[]): Answer<readonly object[]>;
  /**
   * As `allOnce`, for a query that may read every row of a tenant: it does not block the process
   * outside a transaction.
   */
  scan(sql: string, values: readonly SqlValue[]): Answer<readonly object[]>;
  /** Runs one text with several lists of values and returns the rows of each. */
  each(sql: string, list: readonly (readonly SqlValue[])[]): Answer<readonly (readonly object[])[]>;
  get(sql: string, values: readonly SqlValue[]): Answer<object | undefined>;
  /** Returns how many rows changed. */
  run(sql: string, values: readonly SqlValue[]): Answer<number>;
}

type Answer<T> = T | Promise<T>;

export class SqlExecutor implements Executor {
  readonly dialect: Dialect;
  readonly #connection: SqlConnection;
  #ended = false;

  constructor(dialect: Dialect, connection: SqlConnection) {
    this.dialect = dialect;
    this.#connection = connection;
  }

  /** Ends the transaction; running anything afterwards is a bug. */
  end(): void {
    this.#ended = true;
  }

  all: Executor['all'] = async (statement, values) => {
    const { sql, bound } = this.#text(statement, values);
    return this.#connection.all(sql, bound) as never;
  };

  get: Executor['get'] = async (statement, values) => {
    const { sql, bound } = this.#text(statement, values);
    return this.#connection.get(sql, bound) as never;
  };

  run: Executor['run'] = async (statement, values) => {
    const { sql, bound } = this.#text(statement, values);
    return this.#connection.run(sql, bound);
  };

  each: Executor['each'] = async (statement, list) => {
    this.#check();
    const { sql, bind } = statement.in(this.dialect);
    return this.#connection.each(sql, list.map(bind)) as never;
  };

  query: Executor['query'] = async (tree) => {
    this.#check();
    const { sql, parameters } = compile(tree, this.dialect);
    return this.#connection.allOnce(sql, storable(parameters) as SqlValue[]) as never;
  };

  scan: Executor['scan'] = async (tree) => {
    this.#check();
    const { sql, parameters } = compile(tree, this.dialect);
    return this.#connection.scan(sql, storable(parameters) as SqlValue[]) as never;
  };

  pause: Executor['pause'] = () => turn();

  #text<P extends Values, R>(statement: Statement<P, R>, values: P) {
    this.#check();
    const text = statement.in(this.dialect);
    return { sql: text.sql, bound: text.bind(values) };
  }

  #check(): void {
    if (this.#ended) throw new Error('The transaction has ended');
  }
}
