// What a step of the database's life is. Steps only go forward: a released one is never changed, a mistake is
// mended by the next.
import type { ColumnDataType, Compilable, Kysely } from 'kysely';

/** Column types that differ between databases. */
export interface ColumnTypes {
  readonly bytes: ColumnDataType;
  /** Integers up to 2^53; in SQLite a primary key of this type is the row's own number. */
  readonly rowNumber: ColumnDataType;
  /** IEEE 754 doubles. */
  readonly real: ColumnDataType;
}

export interface Migration {
  /** Four digits and a noun; the order of names is the order of steps. */
  readonly name: string;
  /** The statements of the step; all of them run in one transaction. */
  up(db: Kysely<never>, types: ColumnTypes): readonly Compilable[];
}
