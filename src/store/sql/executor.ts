// Runs statements and trees on a connection of either database: the one place that chooses a
// dialect, and that checks rows which were read with their checksum: lists go on without damaged
// ones, which the checks of the store name, and one that is read by itself is refused by name.
// Invariant: nothing runs after `end`, so work that outlives its transaction cannot write outside
// it.
import { setImmediate as turn } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import { CHECKED_TABLES, isSoundRow } from './row-checksum.ts';
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
    const rows = isShared
      ? await this.#afterShared(() => this.#connection.all(sql, bound))
      : await this.#connection.all(sql, bound);
    return soundRows(rows) as never;
  };

  get: Executor['get'] = async (statement, values) => {
    const { sql, bound, isShared } = this.#text(statement, values);
    const row = isShared
      ? await this.#afterShared(() => this.#connection.get(sql, bound))
      : await this.#connection.get(sql, bound);
    return (row === undefined || soundRows([row]).length > 0 ? row : refuse(sql, row)) as never;
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
    const lists = namesSharedRows
      ? await this.#afterShared(() => this.#connection.each(sql, bound))
      : await this.#connection.each(sql, bound);
    return lists.map(soundRows) as never;
  };

  query: Executor['query'] = async (tree) => {
    const { rows } = await this.#queried(tree);
    return soundRows(rows) as never;
  };

  queryWhole: Executor['queryWhole'] = async (tree) => {
    const { sql, rows } = await this.#queried(tree);
    const damaged = rows.find((row) => !isSoundRow(row));
    return (damaged === undefined ? soundRows(rows) : refuse(sql, damaged)) as never;
  };

  scan: Executor['scan'] = async (tree) => {
    const { sql, bound, isShared } = this.#compiled(tree);
    const rows = isShared
      ? await this.#afterShared(() => this.#connection.scan(sql, bound))
      : await this.#connection.scan(sql, bound);
    return soundRows(rows) as never;
  };

  pause: Executor['pause'] = () => turn();

  async #queried(tree: Tree<unknown>): Promise<{ sql: string; rows: readonly object[] }> {
    const { sql, bound, isShared } = this.#compiled(tree);
    const rows = isShared
      ? await this.#afterShared(() => this.#connection.allOnce(sql, bound))
      : await this.#connection.allOnce(sql, bound);
    return { sql, rows };
  }

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

type CheckedRow = { checksum?: unknown };

/** The rows that are as they were written, without their checksums. */
function soundRows(rows: readonly object[]): readonly object[] {
  if ((rows[0] as CheckedRow | undefined)?.checksum === undefined) return rows;
  const sound = rows.filter(isSoundRow);
  for (const row of sound) delete (row as CheckedRow).checksum;
  return sound;
}

/** @throws ServiceError `unavailable` that names a damaged row */
function refuse(sql: string, row: object): never {
  const table = /from "(\w+)"/.exec(sql)?.[1] ?? '';
  const { kind } = CHECKED_TABLES[table as keyof typeof CHECKED_TABLES];
  const { id, kid, part } = row as Readonly<Record<'id' | 'kid' | 'part', unknown>>;
  throw new ServiceError(
    'unavailable',
    `The ${kind} "${id ?? kid ?? part ?? ''}" is damaged in the store: see cardea doctor, or restore a backup.`,
  );
}
