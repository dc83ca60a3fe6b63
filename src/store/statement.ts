// SQL is written with Kysely, checked against schema.ts by the compiler, and compiled once: a statement is a text
// with named slots that each call fills. Compiling per call would cost more than most of our queries.
// Invariant: values reach the database as parameters, never as part of the text.
import {
  type Compilable,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Schema } from './schema.ts';
import type { SqlValue } from './sqlite-driver.ts';

/** The values a statement takes, by name. */
export type Parameters = Readonly<Record<string, SqlValue>>;

/** A compiled statement: parameters of type P, rows of type R. */
export interface Statement<P extends Parameters, R> {
  readonly sql: string;
  bind(parameters: P): SqlValue[];
  /** Never set; carries the row type. */
  readonly row?: R;
}

/** What runs statements: one connection, inside or outside a transaction. */
export interface Executor {
  all<P extends Parameters, R>(statement: Statement<P, R>, parameters: P): Promise<readonly R[]>;
  /** The first row. */
  get<P extends Parameters, R>(statement: Statement<P, R>, parameters: P): Promise<R | undefined>;
  /** Returns how many rows changed. */
  run<P extends Parameters, R>(statement: Statement<P, R>, parameters: P): Promise<number>;
  /** Lets other work of the process happen; long loops over statements call it now and then. */
  pause(): Promise<void>;
}

/** Builds queries and schema changes in SQLite's dialect; it has no connection and never runs anything. */
export const sqlite = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** Compiles what `build` makes; each member of its argument becomes a slot of that name. */
export function statement<P extends Parameters, R>(
  build: (parameters: P) => Compilable<R>,
): Statement<P, R> {
  const slots = new Proxy({}, { get: (_target, name) => new Slot(String(name)) });
  const compiled = build(slots as P).compile();
  const names = compiled.parameters.map((parameter) =>
    parameter instanceof Slot ? parameter.name : null,
  );
  const constants = compiled.parameters as readonly SqlValue[];
  return {
    sql: compiled.sql,
    bind(parameters) {
      const values = new Array<SqlValue>(names.length);
      for (let i = 0; i < names.length; i++) {
        const name = names[i];
        const value = typeof name === 'string' ? parameters[name] : constants[i];
        if (value === undefined) throw new TypeError(`No value for parameter ${name}`);
        values[i] = value;
      }
      return values;
    },
  };
}

class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}
