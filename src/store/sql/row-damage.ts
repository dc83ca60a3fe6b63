// Rows of records whose checksum does not hold: see row-checksum.ts.
import type { DamagedBytes, DocumentDamage } from '../../service/ports/store.ts';
import type { StoredDocumentKey } from '../../service/ports/stored-document.ts';
import {
  CHECKED_NAMES,
  CHECKED_TABLES,
  CHECKSUM_STEP,
  type CheckedTableName,
  differsFromWritten,
} from './row-checksum.ts';
import { type Executor, type SqlValue, statement, tables } from './statement.ts';
import { anyTable, countOf, pages, type Row } from './table-pages.ts';

/** Damaged rows that are named. */
const NAMES_MAX = 100;
/** The checksum, under a name by which the executor does not check the row. */
const WRITTEN = 'checksum as written';
/** Between the parts of a name. */
const BETWEEN = ' ';
/** Without such a row somebody might have rights again, so it stays, and is refused. */
const KEPT: readonly CheckedTableName[] = ['tenant', 'absent_user', 'revoked_token', 'signing_key'];

/**
 * Reads all rows with checksums, and returns those that are damaged; `index` is their table.
 * @param pause awaited after every few hundred rows
 */
export async function damagedRows(
  executor: Executor,
  pause = executor.pause,
): Promise<DocumentDamage> {
  const documents: StoredDocumentKey[] = [];
  let count = 0;
  // A backup is made before an upgrade, too: the rows of earlier versions have no checksums.
  const [step] = await executor.all(SELECT_STEP, {});
  for (const table of step === undefined ? [] : CHECKED_NAMES) {
    const { key, columns } = CHECKED_TABLES[table];
    const paged = { name: table, keys: key, columns: [...columns, WRITTEN] };
    // In a table whose key is damaged, pages might not come to an end.
    let left = 2 * (await countOf(executor, table));
    for await (const rows of pages(executor, paged)) {
      for (const row of rows) {
        if (!differsFromWritten(row)) continue;
        count++;
        if (documents.length < NAMES_MAX) documents.push(keyOf(table, row));
      }
      left -= rows.length;
      if (left < 0) break;
      await pause();
    }
  }
  return { count, documents };
}

/** True if a key that `damagedRows` returned is that of a table of records. */
export function isRowKey({ index }: Pick<StoredDocumentKey, 'index'>): boolean {
  return index in CHECKED_TABLES;
}

/** True if the row with the key is damaged. */
export async function isDamagedRow(executor: Executor, key: StoredDocumentKey): Promise<boolean> {
  return (await damagedRow(executor, key)) !== undefined;
}

/**
 * Deletes a row if it is damaged.
 * @returns it as JSON, with its checksum as the hash; null: it is not damaged, or must stay
 */
export async function takeDamagedRow(
  executor: Executor,
  key: StoredDocumentKey,
): Promise<DamagedBytes | null> {
  const table = key.index as unknown as CheckedTableName;
  const row = await damagedRow(executor, key);
  if (row === undefined || KEPT.includes(table)) return null;
  let deletion = anyTable.deleteFrom(table);
  for (const name of CHECKED_TABLES[table].key) {
    deletion = deletion.where(name, '=', row[name] as SqlValue);
  }
  await executor.query(deletion);
  const { written, ...values } = row;
  const root = Buffer.from(JSON.stringify(values));
  return { hash: Buffer.from(String(written)), root, nested: null };
}

async function damagedRow(
  executor: Executor,
  { tenantId, index, id }: StoredDocumentKey,
): Promise<Row | undefined> {
  const table = index as unknown as CheckedTableName;
  const columns: readonly string[] = CHECKED_TABLES[table].columns;
  let query = anyTable.selectFrom(table).select([...columns, WRITTEN]);
  if (columns.includes('tenant_id')) query = query.where('tenant_id', '=', tenantId);
  const parts = id.split(BETWEEN);
  for (const [at, name] of nameColumns(table).entries()) {
    // The last part is the only one that is a number.
    const part = parts[at] ?? '';
    query = query.where(name, '=', name === 'position' ? Number(part) : part);
  }
  return (await executor.query(query)).find(differsFromWritten);
}

/** The columns that name a row in its tenant. A key of profile management is stored as a secret hash. */
function nameColumns(table: CheckedTableName): readonly string[] {
  const { key, columns } = CHECKED_TABLES[table];
  if ((columns as readonly string[]).includes('id')) return ['id'];
  const names = (key as readonly string[]).filter((name) => name !== 'tenant_id');
  return names.length > 0 ? names : key;
}

/** The key under which a damaged row is named. */
function keyOf(table: CheckedTableName, row: Row): StoredDocumentKey {
  const id = nameColumns(table)
    .map((name) => row[name])
    .join(BETWEEN);
  return { tenantId: String(row['tenant_id'] ?? ''), index: table as never, id };
}

const SELECT_STEP = statement(() =>
  tables.selectFrom('schema_migration').select('name').where('name', '=', CHECKSUM_STEP),
);
