// SQL is written with Kysely, type-checked against schema.ts, and compiled once for each database:
// a statement is a text with named slots that each call fills. Compiling per call would cost more
// than most of our queries.
// Invariant: values reach the database as parameters, never as part of the text.
import {
  type ColumnDefinitionNode,
  type Compilable,
  type CompiledQuery,
  DataTypeNode,
  type DefaultQueryCompiler,
  DummyDriver,
  Kysely,
  type OperationNodeSource,
  PostgresQueryCompiler,
  type QueryId,
  type RawBuilder,
  RawNode,
  type RootOperationNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { ServiceError } from '../../errors.ts';
import type { Schema } from './schema.ts';
import { namesSharedRows, type SharedRows } from './shared-rows.ts';

/** The values that every database can bind. */
export type SqlValue = null | number | bigint | string | Uint8Array;

/** The values a statement takes, by name. */
export type Parameters = Readonly<Record<string, SqlValue>>;

/** A statement in one dialect. */
export interface Text<P extends Parameters> {
  readonly sql: string;
  /** Whether it names a table of the rows that the writes of a transaction share. */
  readonly namesSharedRows: boolean;
  bind(parameters: P): SqlValue[];
}

/** A statement: parameters of type P, rows of type R. */
export interface Statement<P extends Parameters, R> {
  /** Compiled on first use, then cached. */
  in(dialect: Dialect): Text<P>;
  /** Never set; carries the row type. */
  readonly row?: R;
}

/** Runs statements on one connection, inside or outside a transaction. */
export interface Executor {
  all<P extends Parameters, R>(statement: Statement<P, R>, parameters: P): Promise<readonly R[]>;
  /** The first row. */
  get<P extends Parameters, R>(statement: Statement<P, R>, parameters: P): Promise<R | undefined>;
  /** Returns how many rows changed. */
  run<P extends Parameters, R>(statement: Statement<P, R>, parameters: P): Promise<number>;
  /**
   * Runs the statement once for each of the parameters, in order, and returns the rows of each. In
   * a transaction on a remote database they are sent together; pass a few hundred at a time, or
   * they block the process.
   */
  each<P extends Parameters, R>(
    statement: Statement<P, R>,
    parameters: readonly P[],
  ): Promise<readonly (readonly R[])[]>;
  /** Runs a query built for this one call, for queries with too many shapes to cache statements. */
  query<R>(tree: Tree<R>): Promise<readonly R[]>;
  /**
   * As `query`, for rows without one of which others would be false.
   * @throws ServiceError `unavailable` that names a damaged row
   */
  queryWhole<R>(tree: Tree<R>): Promise<readonly R[]>;
  /**
   * As `query`, for one that may read every row of a tenant: it does not block the process outside
   * a transaction.
   */
  scan<R>(tree: Tree<R>): Promise<readonly R[]>;
  /** The rows that the writes of its transaction share; null outside one. */
  readonly shared: SharedRows | null;
  /** The database it runs on, for features of one of them; statements and trees need no check. */
  readonly dialect: Dialect;
  /** Yields to other work of the process; long loops over statements call it now and then. */
  pause(): Promise<void>;
}

/** Builds queries and schema changes as trees; it has no connection and never runs anything. */
export const tables = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** The databases a tree compiles for. */
export type Dialect = 'sqlite' | 'postgres';

/**
 * Columns are declared as for SQLite, where text compares byte by byte and an integer has 64 bits;
 * this compiler declares the same for PostgreSQL.
 */
class PostgresCompiler extends PostgresQueryCompiler {
  protected override visitColumnDefinition(node: ColumnDefinitionNode): void {
    const { dataType } = node;
    const sql = DataTypeNode.is(dataType) ? COLUMNS.get(dataType.dataType) : undefined;
    super.visitColumnDefinition(
      sql === undefined ? node : { ...node, dataType: RawNode.createWithSql(sql) },
    );
  }

  /** SQLite alone has `insert or fail`; PostgreSQL undoes every failed statement. */
  protected override visitOrAction(): void {}
}

const COLUMNS: ReadonlyMap<unknown, string> = new Map([
  ['text', 'text collate "C"'],
  ['integer', 'bigint'],
]);

const COMPILERS = {
  sqlite: () => new SqliteQueryCompiler(),
  postgres: () => new PostgresCompiler(),
} as const satisfies Readonly<Record<Dialect, () => DefaultQueryCompiler>>;

/** Compiles a tree to text and parameters in one database's dialect. */
export function compile(tree: Tree<unknown>, dialect: Dialect): CompiledQuery {
  return COMPILERS[dialect]().compileQuery(tree.toOperationNode() as RootOperationNode, NO_QUERY);
}

/** A tree of SQL text, for what Kysely cannot build: triggers, and the catalogs of a database. */
export function rawStatement<R>(builder: RawBuilder<R>): Tree<R> {
  return {
    toOperationNode: () => builder.toOperationNode(),
    compile: () => builder.compile(tables) as CompiledQuery<R>,
  };
}

/** The compiler requires an id for its log, which is not used. */
const NO_QUERY: QueryId = { queryId: 'none' };

/** A query that Kysely built. */
export type Tree<R> = Compilable<R> & OperationNodeSource;

/** Creates a statement from `build`; each member of its argument becomes a slot of that name. */
export function statement<P extends Parameters, R>(
  build: (parameters: P) => Tree<R>,
): Statement<P, R> {
  const slots = new Proxy({}, { get: (_target, name) => new Slot(String(name)) });
  const tree = build(slots as P);
  const texts = new Map<Dialect, Text<P>>();
  return {
    in(dialect) {
      const text = texts.get(dialect) ?? textOf<P>(compile(tree, dialect));
      texts.set(dialect, text);
      return text;
    },
  };
}

function textOf<P extends Parameters>({ sql, parameters: slots }: CompiledQuery): Text<P> {
  const names = slots.map((parameter) => (parameter instanceof Slot ? parameter.name : null));
  const constants = slots as readonly SqlValue[];
  return {
    sql,
    namesSharedRows: namesSharedRows(sql),
    bind(parameters) {
      const values = new Array<SqlValue>(names.length);
      for (let i = 0; i < names.length; i++) {
        const name = names[i];
        const value = typeof name === 'string' ? parameters[name] : constants[i];
        if (value === undefined) throw new TypeError(`No value for parameter ${name}`);
        values[i] = value;
      }
      return storable(values);
    },
  };
}

/**
 * Returns the values unchanged.
 * @throws ServiceError `request_invalid` for a text with U+0000, which PostgreSQL cannot hold: no
 * store accepts it. Bodies are checked earlier; this covers ids and filters in an address.
 */
export function storable<V extends readonly unknown[]>(values: V): V {
  for (const value of values) {
    if (typeof value === 'string' && hasNul(value)) {
      throw new ServiceError('request_invalid', 'A text must not contain the character U+0000.');
    }
  }
  return values;
}

/** Whether the text contains U+0000, so that no store can hold it. */
export function hasNul(text: string): boolean {
  return text.includes('\0');
}

class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}
