// A step of the database schema. Steps only go forward: a released one is never changed, a mistake
// is corrected by a new step.
import type { ColumnDataType, Kysely } from 'kysely';
import type { Dialect, Executor, Tree } from './statement.ts';

/**
 * Column types whose names differ between databases; statement.ts translates `text` and `integer`.
 */
export interface ColumnTypes {
  readonly bytes: ColumnDataType;
  /** Integers up to 2^53; in SQLite a primary key of this type is the row's own number. */
  readonly rowNumber: ColumnDataType;
  /** IEEE 754 doubles. */
  readonly real: ColumnDataType;
  /**
   * Suffix of a table whose rows are read by a prefix of their primary key: SQLite then stores them
   * in that order, without a separate index of the key. PostgreSQL has no equivalent.
   */
  readonly clustered: '' | 'without rowid';
}

export interface Migration {
  /** Four digits and a noun; the order of names is the order of steps. */
  readonly name: string;
  /** The statements of the step, which run in one transaction. */
  up(db: Kysely<never>, types: ColumnTypes): readonly Tree<unknown>[];
  /** Runs after the statements, in the same transaction, for changes that need code. */
  after?(executor: Executor, dialect: Dialect): Promise<void>;
  /**
   * Runs after the last step, in the same transaction, for changes that use store/records, whose
   * statements fit the tables of today alone.
   */
  afterAll?(executor: Executor): Promise<void>;
}
