// Statements on one row of a table, by its key: what most record files do with a row as a whole.
import type { Insertable, Selectable } from 'kysely';
import { CHECKED_TABLES } from './row-checksum.ts';
import type { Schema } from './schema.ts';
import { type Statement, statement, type Tree, tables } from './statement.ts';

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
