// Runs statements and trees on a connection of either database: the one place that chooses a
// dialect.
// Invariant: nothing runs after `end`, so work that outlives its transaction cannot write outside
// it.
import { setImmediate as turn } from 'node:timers/promises';
import { namesSharedRows, type SharedRows } from './shared-rows.ts';
import {
  compile,
  type Dialect,
  type Executor,
  type SqlValue,
  type Statement,
  storable,
  type Tree,
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
  readonly shared: SharedRows | null;
  readonly #connection: SqlConnection;
  #ended = false;

  /** @param shared the shared rows of the connection's transaction; null outside one */
  constructor(dialect: Dialect, connection: SqlConnection, shared: SharedRows | null = null) {
    this.dialect = dialect;
    this.shared = shared;
    this.#connection = connection;
  }

  /** Ends the transaction; running anything afterwards is a bug. */
  end(): void {
    this.#ended = true;
  }

  all: Executor['all'] = async (statement, values) => {
    const { sql, bound, isShared } = this.#text(statement, values);
    if (isShared) return this.#afterShared(() => this.#connection.all(sql, bound)) as never;
    return this.#connection.all(sql, bound) as never;
  };

  get: Executor['get'] = async (statement, values) => {
    const { sql, bound, isShared } = this.#text(statement, values);
    if (isShared) return this.#afterShared(() => this.#connection.get(sql, bound)) as never;
    return this.#connection.get(sql, bound) as never;
  };

  run: Executor['run'] = async (statement, values) => {
    const { sql, bound, isShared } = this.#text(statement, values);
    if (isShared) return this.#afterShared(() => this.#connection.run(sql, bound));
    return this.#connection.run(sql, bound);
  };

  each: Executor['each'] = async (statement, list) => {
    this.#check();
    const { sql, bind, namesSharedRows } = statement.in(this.dialect);
    const bound = list.map(bind);
    if (namesSharedRows) return this.#afterShared(() => this.#connection.each(sql, bound)) as never;
    return this.#connection.each(sql, bound) as never;
  };

  query: Executor['query'] = async (tree) => {
    const { sql, bound, isShared } = this.#compiled(tree);
    if (isShared) return this.#afterShared(() => this.#connection.allOnce(sql, bound)) as never;
    return this.#connection.allOnce(sql, bound) as never;
  };

  scan: Executor['scan'] = async (tree) => {
    const { sql, bound, isShared } = this.#compiled(tree);
    if (isShared) return this.#afterShared(() => this.#connection.scan(sql, bound)) as never;
    return this.#connection.scan(sql, bound) as never;
  };

  pause: Executor['pause'] = () => turn();

  /** Sends a statement behind the shared rows that it names, which are then up to date. */
  async #afterShared<T>(send: () => Answer<T>): Promise<T> {
    const { shared } = this;
    if (shared === null) return send();
    const written = shared.release();
    const [answer] = await Promise.all([send(), written]);
    return answer;
  }

  #text<P extends Values, R>(statement: Statement<P, R>, values: P) {
    this.#check();
    const text = statement.in(this.dialect);
    return { sql: text.sql, bound: text.bind(values), isShared: text.namesSharedRows };
  }

  #compiled(tree: Tree<unknown>) {
    this.#check();
    const { sql, parameters } = compile(tree, this.dialect);
    const bound = storable(parameters) as SqlValue[];
    return { sql, bound, isShared: this.shared !== null && namesSharedRows(sql) };
  }

  #check(): void {
    if (this.#ended) throw new Error('The transaction has ended');
  }
}
