// Statements on one row of a table, by its key: what most record files do with a row as a whole.
import type { Insertable, Selectable } from 'kysely';
import { CHECKED_TABLES } from './row-checksum.ts';
import type { Schema } from './schema.ts';
import { type Parameters, type Statement, statement, type Tree, tables } from './statement.ts';

/** The key of a row of a tenant. */
export type RowKey = { tenantId: string; id: string };

/** Tables whose key is a tenant and an id. */
type KeyedTable = {
  [T in keyof Schema]: 'tenant_id' | 'id' extends keyof Schema[T] ? T : never;
}[keyof Schema];

export function selectByKey<T extends KeyedTable>(
  table: T,
): Statement<RowKey, Selectable<Schema[T]>> {
  return statement(
    ({ tenantId, id }) =>
      tables
        .selectFrom(table as 'dashboard')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('id', '=', id) as unknown as Tree<Selectable<Schema[T]>>,
  );
}

export function deleteByKey(table: KeyedTable): Statement<RowKey, unknown> {
  return statement(({ tenantId, id }) =>
    tables
      .deleteFrom(table as 'dashboard')
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id),
  );
}

/**
 * Inserts a row; if there is one with the same key, changes its other columns, and gives it a new checksum
 * although it may be damaged.
 */
export function upsert<T extends keyof Schema>(
  table: T,
  key: readonly (keyof Schema[T] & string)[],
  values: Insertable<Schema[T]>,
): Tree<unknown> {
  const whole = table in CHECKED_TABLES ? { ...values, checksum: null } : values;
  const others = Object.keys(whole).filter((name) => !(key as readonly string[]).includes(name));
  return tables
    .insertInto(table as 'mirror')
    .values(whole as never)
    .onConflict((conflict) =>
      conflict
        .columns(key as never)
        .doUpdateSet((row) =>
          Object.fromEntries(others.map((name) => [name, row.ref(`excluded.${name}` as never)])),
        ),
    );
}

/** The name of the parameter for a column: `tenantId` for `tenant_id`. */
type CamelCase<Name> = Name extends `${infer Word}_${infer Rest}`
  ? `${Word}${Capitalize<CamelCase<Rest>>}`
  : Name & string;

/** The parameters for columns of a row. */
type ColumnParameters<T extends keyof Schema, C extends keyof Insertable<Schema[T]>> = {
  [K in C as CamelCase<K>]: Exclude<Insertable<Schema[T]>[K], undefined>;
};

/** A row of these columns is inserted. */
export function insertOf<T extends keyof Schema, C extends keyof Insertable<Schema[T]> & string>(
  table: T,
  columns: readonly C[],
): Statement<ColumnParameters<T, C> & Parameters, unknown> {
  return statement((p) =>
    tables.insertInto(table as 'mirror').values(columnValues(p, columns) as never),
  );
}

/** As `upsert`, for a row of these columns. */
export function upsertOf<
  T extends keyof Schema,
  K extends keyof Insertable<Schema[T]> & string,
  C extends keyof Insertable<Schema[T]> & string,
>(
  table: T,
  key: readonly K[],
  others: readonly C[],
): Statement<ColumnParameters<T, K | C> & Parameters, unknown> {
  return statement((p) =>
    upsert(table, key as never, columnValues(p, [...key, ...others]) as never),
  );
}

function columnValues(p: Parameters, columns: readonly string[]) {
  const parameterOf = (column: string) =>
    column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(columns.map((column) => [column, p[parameterOf(column)]]));
}

/** The parameters with these names, which are those of their columns. */
export function parametersOf<P, K extends keyof P & string>(p: P, names: readonly K[]): Pick<P, K> {
  return Object.fromEntries(names.map((name) => [name, p[name]])) as Pick<P, K>;
}
