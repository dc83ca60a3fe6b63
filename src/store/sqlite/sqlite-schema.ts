// Compares the schema of the database file with what the migrations make of an empty database in
// memory, without opening the file as a store, which runs the missing ones.

import { migrate, stepsOf } from '../migrate.ts';
import { SqlExecutor } from '../sql/executor.ts';
import { normalised, type SchemaPart, schemaFaults } from '../sql/schema-comparison.ts';
import { openConnection, type SqliteConnection } from './sqlite-driver.ts';
import { appliedSteps } from './sqlite-migrations.ts';

const BUSY_MS = 10_000;

/**
 * Returns the differences between the schema of the file and that of the migrations which were applied
 * to it, one sentence each; none without a store.
 * @throws ServiceError `unavailable` if the file cannot be read, or belongs to a newer version
 */
export async function sqliteSchemaFaults(path: string): Promise<readonly string[]> {
  const connection = await openConnection(path, BUSY_MS);
  const empty = await openConnection(':memory:', BUSY_MS);
  try {
    connection.exec('pragma query_only = on');
    const steps = stepsOf(appliedSteps(connection));
    if (steps.length === 0) return [];
    await migrate('sqlite', new SqlExecutor('sqlite', empty), steps);
    return schemaFaults(partsOf(empty), partsOf(connection));
  } finally {
    empty.close();
    connection.close();
  }
}

/** Tables and indexes that SQLite makes by itself have no statement. */
const OBJECTS = 'select type, name, tbl_name, sql from sqlite_schema where sql is not null';
const COLUMNS = `select name, type, "notnull", dflt_value, pk, hidden from pragma_table_xinfo(?)`;

function partsOf(connection: SqliteConnection): readonly SchemaPart[] {
  return connection.all(OBJECTS, []).flatMap((row): readonly SchemaPart[] => {
    const [name, sql] = [String(row['name']), String(row['sql'])];
    const kind = row['type'] as 'table' | 'index' | 'trigger' | 'view';
    const definition = normalised(sql);
    const statement = kind === 'index' || kind === 'trigger' ? sql.replace(/\s+/g, ' ') : null;
    const table = kind === 'view' ? null : String(row['tbl_name']);
    const part: SchemaPart = { kind, table, name, definition, statement };
    return kind === 'table' ? [part, ...columnsOf(connection, name)] : [part];
  });
}

function columnsOf(connection: SqliteConnection, table: string): readonly SchemaPart[] {
  return connection.all(COLUMNS, [table]).map(({ name, ...declaration }) => ({
    ...({ kind: 'column', table, name: String(name), statement: null } as const),
    definition: JSON.stringify(declaration),
  }));
}
