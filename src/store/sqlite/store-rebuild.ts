// Copies the rows of a damaged store into a new file, table by table, which mends damage of indexes,
// free pages and page lists that rebuilding the indexes does not. No server may run.
// Invariant: the store is replaced only by a sound file with every row of every table; otherwise it stays
// as it is. The damaged file is kept next to it.
import { chmodSync } from 'node:fs';
import { ServiceError } from '../../errors.ts';
import { storeFaults } from './integrity.ts';
import { checkpointWhole, clearRestore, putInPlace, REBUILDING, removeLogs } from './restore.ts';
import { openConnection, type SqliteConnection } from './sqlite-driver.ts';
import { sqliteSchemaFaults } from './sqlite-schema.ts';
import { openSqliteStore } from './sqlite-store.ts';

const BUSY_MS = 10_000;

/** What became of a damaged store. */
export interface RebuiltStore {
  readonly rows: number;
  /** Where the damaged file is. */
  readonly previous: string;
}

/**
 * Replaces the store by a copy of its rows. The caller has locked the store.
 * @param now epoch milliseconds
 * @throws ServiceError `unavailable` that names the table of which not every row can be read
 */
export async function rebuildStore(path: string, now: number): Promise<RebuiltStore> {
  const partial = path + REBUILDING;
  clearRestore(path);
  try {
    await (await openSqliteStore({ path: partial })).close();
    const rows = await copyRows(path, partial);
    removeLogs(partial);
    const faults = [...(await storeFaults(partial)), ...(await sqliteSchemaFaults(partial))];
    removeLogs(partial);
    if (faults.length > 0)
      throw refused(`The copy of the store is not sound: ${faults.join('; ')}`);
    chmodSync(partial, 0o600);
    const previous = await putInPlace(partial, path, now);
    if (previous === null) throw refused(`${path} was removed meanwhile.`);
    return { rows, previous };
  } catch (error) {
    clearRestore(path);
    throw error;
  }
}

/** Copies all rows. @returns their number */
async function copyRows(path: string, partial: string): Promise<number> {
  const connection = await openConnection(partial, BUSY_MS);
  try {
    connection.run('attach ? as damaged', [path]);
    const names = tablesOf(connection, 'main');
    const missing = tablesOf(connection, 'damaged').filter((name) => !names.includes(name));
    if (missing.length > 0)
      throw refused(`The table ${missing.join(', ')} is not of this version.`);
    connection.exec('begin');
    // Triggers would compute new checksums, and indexes are quicker to build at the end.
    const dropped = connection.all(
      "select type, name, sql from main.sqlite_schema where type in ('index', 'trigger') and sql is not null",
      [],
    );
    for (const { type, name } of dropped) connection.exec(`drop ${type} main.${quoted(name)}`);
    let rows = 0;
    for (const name of names) {
      const copied = copyTable(connection, name);
      if (!COMPUTED.includes(name)) await checkIndexes(path, name, copied);
      rows += copied;
    }
    for (const { sql } of dropped) connection.exec(String(sql));
    connection.exec('commit');
    connection.exec('detach damaged');
    checkpointWhole(connection, partial);
    return rows;
  } catch (error) {
    connection.rollBack();
    throw error;
  } finally {
    connection.close();
  }
}

/**
 * Tables that doctor computes anew from others. A damaged index hides a row from the next write, which then
 * inserts a second one with its key.
 */
const COMPUTED: readonly string[] = ['document_count', 'audit_head'];

function copyTable(connection: SqliteConnection, name: string): number {
  const table = quoted(name);
  const columns = connection
    .all('select name from pragma_table_info(?) order by cid', [name])
    .map((column) => quoted(column['name']))
    .join(', ');
  const conflicts = COMPUTED.includes(name) ? 'or ignore' : '';
  try {
    connection.exec(`delete from main.${table}`);
    return connection.run(
      `insert ${conflicts} into main.${table} (${columns}) select ${columns} from damaged.${table} not indexed`,
      [],
    );
  } catch (error) {
    throw unread(name, (error as Error).message.replace(/\.$/, ''));
  }
}

/** @throws ServiceError if an index of the damaged table has more rows than were read */
async function checkIndexes(path: string, table: string, rows: number): Promise<void> {
  const connection = await openConnection(path, BUSY_MS);
  try {
    const names = connection.all('select name from pragma_index_list(?) where partial = 0', [
      table,
    ]);
    for (const { name } of names) {
      const query = `select count(*) as entries from ${quoted(table)} indexed by ${quoted(name)}`;
      const entries = Number(connection.all(query, [])[0]?.['entries'] ?? 0);
      if (entries > rows) throw unread(table, `an index has ${entries - rows} more`);
    }
  } catch (error) {
    // A damaged index says nothing about the rows.
    if (!(error instanceof ServiceError) || error.cause === undefined) throw error;
  } finally {
    connection.close();
  }
}

function unread(table: string, reason: string): ServiceError {
  return refused(`Not every row of the table ${table} can be read: ${reason}.`);
}

function tablesOf(connection: SqliteConnection, schema: 'main' | 'damaged'): readonly string[] {
  return connection
    .all(`select name from ${schema}.sqlite_schema where type = 'table'`, [])
    .map(({ name }) => String(name))
    .filter((name) => !name.startsWith('sqlite_'));
}

function quoted(name: unknown): string {
  return `"${String(name).replaceAll('"', '""')}"`;
}

function refused(sentence: string): ServiceError {
  return new ServiceError('unavailable', sentence);
}
