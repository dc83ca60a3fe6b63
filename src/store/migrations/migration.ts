// What a step of the database's life is. Steps only go forward: a released one is never changed, a
// mistake is mended by the next.
import type { ColumnDataType, Kysely } from 'kysely';
import type { Dialect, Executor, Tree } from '../statement.ts';

/**
 * Column types whose names differ between databases; for `text` and `integer` the compiler sees to
 * it (statement.ts).
 */
export interface ColumnTypes {
  readonly bytes: ColumnDataType;
  /** Integers up to 2^53; in SQLite a primary key of this type is the row's own number. */
  readonly rowNumber: ColumnDataType;
  /** IEEE 754 doubles. */
  readonly real: ColumnDataType;
  /**
   * Stands behind a table whose rows are read by the beginning of their primary key: SQLite then
   * keeps them in that order, instead of keeping the key a second time. PostgreSQL has nothing like
   * it.
   */
  readonly clustered: '' | 'without rowid';
}

export interface Migration {
  /** Four digits and a noun; the order of names is the order of steps. */
  readonly name: string;
  /** The statements of the step; all of them run in one transaction. */
  up(db: Kysely<never>, types: ColumnTypes): readonly Tree<unknown>[];
  /** Runs after the statements, in the same transaction: for what takes more than statements. */
  after?(executor: Executor, dialect: Dialect): Promise<void>;
}
