// Rows of records whose checksum does not hold (row-checksum.ts), and profiles that lost values.
import type { Expression, SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { DamagedBytes, DamageOptions, DocumentDamage } from '../../service/ports/store.ts';
import type { StoredDocumentKey } from '../../service/ports/stored-document.ts';
import {
  CHECKED_NAMES,
  CHECKED_TABLES,
  CHECKSUM_FUNCTION,
  CHECKSUM_STEP,
  type CheckedTableName,
  CREDENTIAL_STEP,
  differsFromWritten,
  LOST_ROWS_STEP,
} from './row-checksum.ts';
import { type Executor, hasNul, type SqlValue, statement, tables } from './statement.ts';
import { anyTable, countOf, isAfter, pages, type Row } from './table-pages.ts';

/** Damaged documents and rows that are named, unless more are wanted. */
export const NAMES_MAX = 100;
/** The checksum, under a name by which the executor does not check the row. */
export const WRITTEN = 'checksum as written';
/** Between the parts of a name. */
const BETWEEN = ' ';
/** Without such a row somebody might have rights again, so it stays, and is refused. */
const KEPT: readonly string[] = ['tenant', 'absent_user', 'revoked_token'];

/** True if a damaged row of the table stays in the store: only a backup mends it. */
export function staysInStore(table: string): boolean {
  return KEPT.includes(table);
}

/**
 * Reads all rows with checksums, and returns those that are damaged; `index` is their table.
 * @param options `pause` is awaited after every few hundred rows
 */
export async function damagedRows(
  executor: Executor,
  { pause = executor.pause, namesMax = NAMES_MAX }: DamageOptions = {},
): Promise<DocumentDamage> {
  const documents: StoredDocumentKey[] = [];
  let count = 0;
  const add = (keys: readonly StoredDocumentKey[]) => {
    count += keys.length;
    documents.push(...keys.slice(0, namesMax - documents.length));
  };
  // A backup is made before an upgrade, too: earlier versions have other tables and columns.
  const steps = (await executor.all(SELECT_STEPS, {})).map(({ name }) => name);
  const hasNumbers = steps.includes(LOST_ROWS_STEP);
  for (const table of steps.includes(CHECKSUM_STEP) ? CHECKED_NAMES : []) {
    if (table === 'dynamic_field' && !hasNumbers) continue;
    if (table === 'credential' && !steps.includes(CREDENTIAL_STEP)) continue;
    const { key, columns } = CHECKED_TABLES[table];
    const paged = { name: table, keys: key, columns: [...columns, WRITTEN] };
    // In a table whose key is damaged, pages might not come to an end.
    let left = 2 * (await countOf(executor, table));
    for await (const rows of pages(executor, paged)) {
      add(rows.filter(differsFromWritten).map((row) => keyOf(table, row)));
      left -= rows.length;
      if (left < 0) break;
      await pause();
    }
  }
  if (hasNumbers) {
    for await (const keys of profilesLackingValues(executor)) {
      add(keys);
      await pause();
    }
  }
  return { count, documents };
}

/** True if a key that `damagedRows` returned is that of a table of records. */
export function isRowKey({ index }: Pick<StoredDocumentKey, 'index'>): boolean {
  return index in CHECKED_TABLES;
}

/** True if the row with the key is damaged; also if the key cannot be read, and so the row not be found. */
export async function isDamagedRow(executor: Executor, key: StoredDocumentKey): Promise<boolean> {
  return !isReadable(key) || (await damagedRow(executor, key)) !== undefined;
}

/**
 * True if a row can be found by a key that was read. In a damaged file of SQLite it may be other bytes
 * than those of a text, or have a character that no store accepts.
 */
export function isReadable({ tenantId, index, id }: StoredDocumentKey): boolean {
  return [tenantId, index, id].every(
    (text: unknown) => typeof text === 'string' && !/[\0\ufffd]/.test(text),
  );
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
  if (row === undefined || staysInStore(table)) return null;
  let deletion = anyTable.deleteFrom(table);
  const names: readonly string[] = CHECKED_TABLES[table].key;
  for (const name of names) {
    deletion = deletion.where(holds(executor, name, row.values[name] as SqlValue, row.exact[name]));
  }
  await executor.query(deletion);
  const root = Buffer.from(JSON.stringify(withExactBytes(row.values, row.exact)));
  return { hash: Buffer.from(String(row.written)), root, nested: null };
}

/** The values of a row, and what SQLite has as hexadecimal digits. */
export interface ExactRow {
  readonly values: Row;
  /** By column; empty on PostgreSQL, whose text is always readable. */
  readonly exact: Readonly<Record<string, string>>;
}

const HEX = ' as digits';

/** What to select so that `exactRow` has every byte of the columns. */
export function exactColumns(executor: Executor, columns: readonly string[]) {
  if (executor.dialect === 'postgres') return [];
  return columns.map((name) => sql<string>`hex(${sql.ref(name)})`.as(`${name}${HEX}`));
}

/** A row that was selected with `exactColumns`. */
export function exactRow(row: Row): ExactRow {
  const values: Record<string, SqlValue> = {};
  const exact: Record<string, string> = {};
  for (const [name, value] of Object.entries(row)) {
    if (name.endsWith(HEX)) exact[name.slice(0, -HEX.length)] = String(value);
    else values[name] = value;
  }
  return { values, exact };
}

/** The values for JSON: those that are no readable text as their hexadecimal digits. */
export function withExactBytes(values: Row, exact: ExactRow['exact']): object {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (value instanceof Uint8Array) return [name, { hex: Buffer.from(value).toString('hex') }];
      const digits = exact[name];
      if (typeof value !== 'string' || digits === undefined) return [name, value];
      const isExact = Buffer.from(value).toString('hex') === digits.toLowerCase();
      return [name, isExact ? value : { hex: digits.toLowerCase() }];
    }),
  );
}

/** Compares the bytes of a column, as a text that is damaged is read as another one. */
function holds(
  { dialect }: Pick<Executor, 'dialect'>,
  name: string,
  value: SqlValue,
  digits: string | undefined,
): Expression<SqlBool> {
  const isExact =
    typeof value !== 'string' ||
    (!hasNul(value) && Buffer.from(value).toString('hex').toUpperCase() === digits);
  return dialect === 'postgres' || isExact
    ? sql<SqlBool>`${sql.ref(name)} = ${value}`
    : sql<SqlBool>`hex(${sql.ref(name)}) = ${digits}`;
}

interface DamagedRow extends ExactRow {
  readonly written: unknown;
}

async function damagedRow(
  executor: Executor,
  key: StoredDocumentKey,
): Promise<DamagedRow | undefined> {
  const table = key.index as unknown as CheckedTableName;
  const columns: readonly string[] = CHECKED_TABLES[table].columns;
  if (!isReadable(key)) return damagedByName(executor, key);
  let byKey = selectExact(executor, table);
  if (columns.includes('tenant_id')) byKey = byKey.where('tenant_id', '=', key.tenantId);
  const names = nameColumns(table);
  const parts = key.id.split(BETWEEN);
  for (const [at, name] of names.entries()) {
    // A last part may have spaces, unless it is the only one that is a number.
    const part = at === names.length - 1 ? parts.slice(at).join(BETWEEN) : (parts[at] ?? '');
    byKey = byKey.where(name, '=', name === 'position' ? Number(part) : part);
  }
  const [row] = await executor.query(byKey);
  if (row === undefined) return undefined;
  const found = writtenRow(row);
  if (differsFromWritten({ ...found.values, written: found.written })) return found;
  return table === 'profile' && (await lacksValues(executor, key)) ? found : undefined;
}

/** Finds a damaged row by its checksum, as the key cannot be compared. */
async function damagedByName(
  executor: Executor,
  { tenantId, index, id }: StoredDocumentKey,
): Promise<DamagedRow | undefined> {
  if (executor.dialect === 'postgres') return undefined;
  const table = index as unknown as CheckedTableName;
  const names = CHECKED_TABLES[table].columns.map((name) => sql.ref(name));
  const checksum = sql`${sql.raw(CHECKSUM_FUNCTION)}(${sql.join(names)})`;
  const differing = await executor.query(
    selectExact(executor, table).where(
      sql<SqlBool>`checksum is not null and checksum <> ${checksum}`,
    ),
  );
  return differing.map(writtenRow).find(({ values }) => {
    const other = keyOf(table, values);
    return other.tenantId === tenantId && other.id === id;
  });
}

function selectExact(executor: Executor, table: CheckedTableName) {
  const columns: readonly string[] = CHECKED_TABLES[table].columns;
  return anyTable
    .selectFrom(table)
    .select([...columns, WRITTEN])
    .select(exactColumns(executor, columns));
}

function writtenRow(row: Row): DamagedRow {
  const { values, exact } = exactRow(row);
  const { written, ...rest } = values;
  return { values: rest, exact, written };
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

/** Profiles whose number of values is not that of their rows: some were lost. */
async function* profilesLackingValues(
  executor: Executor,
): AsyncGenerator<readonly StoredDocumentKey[]> {
  for (let last: Row | null = null; ; ) {
    const after: Row | null = last;
    let page = anyTable.selectFrom('profile').select(['tenant_id', 'id', 'items']);
    page = page.orderBy('tenant_id').orderBy('id').limit(PROFILES);
    if (after !== null) page = page.where((row) => isAfter(row, ['tenant_id', 'id'], after));
    const rows: readonly Row[] = await executor.query(withStoredItems(page));
    yield rows.filter(isLacking).map((row) => keyOf('profile', row));
    if (rows.length < PROFILES) return;
    last = rows.at(-1) ?? null;
  }
}

async function lacksValues(
  executor: Executor,
  { tenantId, id }: StoredDocumentKey,
): Promise<boolean> {
  const one = anyTable
    .selectFrom('profile')
    .select(['tenant_id', 'id', 'items'])
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id);
  return (await executor.query(withStoredItems(one))).some(isLacking);
}

const PROFILES = 200;

/** Adds the number of rows that profiles have, in one statement with the number they should have. */
function withStoredItems(profiles: ProfileQuery) {
  return anyTable
    .selectFrom(profiles.as('profile'))
    .select(['tenant_id', 'id', 'items'])
    .select((row) =>
      row
        .selectFrom('profile_value')
        .select((item) => item.fn.countAll<number>().as('number'))
        .whereRef('profile_value.tenant_id', '=', 'profile.tenant_id')
        .whereRef('profile_value.profile_id', '=', 'profile.id')
        .as('stored'),
    )
    .orderBy('tenant_id')
    .orderBy('id');
}

type ProfileQuery = ReturnType<ReturnType<typeof anyTable.selectFrom<'profile'>>['select']>;

const isLacking = (row: Row) => Number(row['items']) !== Number(row['stored']);

const SELECT_STEPS = statement(() => tables.selectFrom('schema_migration').select('name'));
