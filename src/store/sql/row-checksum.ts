// Checksums of the rows of records that are no documents: a column that triggers of the database write,
// so that every writer, of whole rows or of single columns, leaves one that holds. A row is checked where
// it is read with its checksum (executor.ts), and all rows by the checks of the store.
// Invariant: a trigger gives a row a new checksum only if the old one held, or if the writer sets it to
// null, which says that the row is written as a whole; so damage is never covered up.
import { hash } from 'node:crypto';

/** The function that SQLite calls in its triggers. */
export const CHECKSUM_FUNCTION = 'cardea_row_checksum';

/** The migration that adds the checksums. */
export const CHECKSUM_STEP = '0027-row-checksums';

/** The migration after which dynamic fields have checksums, and profiles the number of their values. */
export const LOST_ROWS_STEP = '0028-lost-rows';

/** The migration that makes the table of credentials. */
export const CREDENTIAL_STEP = '0029-credentials';

export interface CheckedTable {
  /** What a row of the table is, for people. */
  readonly kind: string;
  readonly key: readonly string[];
  /** The columns in the order of the table, but for times of use, which matter to nothing. */
  readonly columns: readonly string[];
  /** Columns of IEEE 754 doubles. */
  readonly real?: string;
}

const RESOURCE = ['tenant_id', 'id', 'uid', 'created_at', 'updated_at'];
const OF_TENANT = ['tenant_id', 'id'];

function checked(
  kind: string,
  columns: string,
  { key = OF_TENANT, start = key, real }: Partial<CheckedTable & { start: readonly string[] }> = {},
): CheckedTable {
  const all = [...start, ...columns.split(' ').filter((name) => name !== '')];
  return { kind, key, columns: all, ...(real === undefined ? {} : { real }) };
}

const resource = (kind: string, columns: string, real?: string) =>
  checked(kind, columns, { start: RESOURCE, ...(real === undefined ? {} : { real }) });

/**
 * The tables with checksums. The others hold documents and the audit trail, which have their own, and
 * what is derived, counted or a key alone. A migration that changes a column here makes the triggers
 * and the checksums anew.
 */
export const CHECKED_TABLES = {
  tenant: checked('tenant', 'name pod created', { key: ['id'] }),
  auth_user: checked(
    'auth user',
    'uid details capabilities enabled tokens_valid_from view_name id_folded uid_folded alias_folded display_name_folded firstname_folded lastname_folded email_folded identification_number_folded',
  ),
  absent_user: checked('absent user', 'enabled tokens_valid_from deleted'),
  credential: checked(
    'credential',
    'tenant_id kind name secret_hash scope owner_id parent_id view_name expires created details',
    { key: ['id'] },
  ),
  refresh_token: checked('refresh token', 'tenant_id client_id secret_hash created expires scope', {
    key: ['id'],
  }),
  signing_key: checked('signing key', 'jwk created active', { key: ['kid'] }),
  revoked_token: checked('revoked token', 'expires'),
  mirror: checked('mirror', 'source details', { key: ['tenant_id'] }),
  mirror_part: checked('progress of a mirror', 'progress', { key: ['tenant_id', 'part'] }),
  profile_type: resource('profile type', 'name name_folded category archived details'),
  ne_attribute: resource(
    'attribute',
    'label label_folded data_type type profile_type_id archived details filtering_ne_attribute_id ne_attribute_filter_id',
  ),
  ne_attribute_option: resource('option', 'ne_attribute_id option option_folded'),
  profile_user: resource(
    'user of profile management',
    'name name_folded email email_folded login login_folded type title title_folded status last_login sailpoint_identity_id details profile_id',
  ),
  profile_role: resource('role of profile management', 'name name_folded type archived details'),
  user_role: resource('role of a user', 'user_id role_id'),
  role_profile: resource('profile of a role', 'role_id profile_id'),
  user_profile: resource(
    'profile of a user',
    'user_id profile_id ne_attribute_id relationship_type',
  ),
  user_manager: resource('manager of a user', 'user_id manager_id'),
  risk_level: resource('risk level', 'label label_folded order points details', 'points'),
  risk_score: resource(
    'risk score',
    'object_id object_type overall_score details overall_risk_level_id impact_risk_level_id probability_risk_level_id',
    'overall_score',
  ),
  profile: resource(
    'profile',
    'uid_folded name name_folded profile_type_id status id_proofing_status archived',
  ),
  profile_value: checked('value of a profile', 'value folded reversed number day ref_id', {
    key: ['tenant_id', 'profile_id', 'attribute_id', 'position'],
    real: 'number',
  }),
  advanced_search: resource('advanced search', 'label rules'),
  job: checked('job', 'status job_type job_data created'),
  saved_search: checked('saved search', 'owner_id created details shared owner_folded'),
  scheduled_search: checked(
    'scheduled search',
    'owner_id saved_search_id created next_due details owner_folded saved_search_folded',
  ),
  search_run: checked('run of a search', 'saved_search_id number open_at details'),
  search_delivery: checked('delivery', 'run_id saved_search_id created open_at details'),
  dashboard: checked('dashboard', 'owner_id shared created name modified tile_count tiles'),
  document_view: checked('view', 'created modified details'),
  dynamic_field: checked('dynamic field', 'type nested', {
    key: ['tenant_id', 'index_name', 'path'],
  }),
} as const satisfies Readonly<Record<string, CheckedTable>>;

/** A table whose rows have a checksum. */
export type CheckedTableName = keyof typeof CHECKED_TABLES;

export const CHECKED_NAMES = Object.keys(CHECKED_TABLES) as readonly CheckedTableName[];

/** Columns of a row that its checksum does not cover. */
const UNCOVERED = ['checksum', 'last_used', 'items', 'since', 'indexed_as'];
const BETWEEN = '\u001f';
const NULL = '\u001e';
const DIGITS = 16;
/** Doubles below it that have no fraction are written as integers. */
const INTEGER_MAX = 1e15;

/** The checksum of the values of a row, in the order of its columns. */
export function rowChecksum(values: readonly unknown[]): string {
  let text = '';
  for (let i = 0; i < values.length; i++) {
    if (i > 0) text += BETWEEN;
    text += textOf(values[i]);
  }
  return hash('sha256', text).slice(0, DIGITS);
}

/** The checksum of a row that is to be inserted, which the triggers then leave as it is. */
export function checksumOf(
  table: CheckedTableName,
  row: Readonly<Record<string, unknown>>,
): string {
  const { columns }: CheckedTable = CHECKED_TABLES[table];
  return rowChecksum(columns.map((name) => row[name] ?? null));
}

/** Whether a fault of a schema, as a sentence, is that changes of rows may get no checksum. */
export function isOfChecksums(fault: string): boolean {
  return CHECKED_NAMES.some((table) => fault.startsWith(`the trigger ${table}_`));
}

/**
 * True for a row that differs from what its checksum was made of.
 * @param row the covered columns in the order of the table, and the checksum as `written`
 */
export function differsFromWritten(row: { readonly written?: unknown }): boolean {
  const { written, ...values } = row;
  return written !== null && rowChecksum(Object.values(values)) !== written;
}

/**
 * True unless a row has a checksum that does not hold. A row that was read without its checksum, or from
 * a table without them, is not checked.
 * @param row all columns of a table, in their order
 */
export function isSoundRow(row: object): boolean {
  const { checksum } = row as { checksum?: unknown };
  if (checksum === undefined || checksum === null) return true;
  const values: unknown[] = [];
  for (const [name, value] of Object.entries(row)) {
    if (!UNCOVERED.includes(name)) values.push(value);
  }
  return rowChecksum(values) === checksum;
}

function textOf(value: unknown): string {
  if (value === null) return NULL;
  if (typeof value !== 'number' || (Number.isInteger(value) && Math.abs(value) < INTEGER_MAX)) {
    // A damaged row of SQLite may have bytes in any column.
    return value instanceof Uint8Array ? `bytes ${Buffer.from(value).toString('hex')}` : `${value}`;
  }
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes.toString('hex');
}

/** The checksum of a row in SQL. @param row what comes before the name of a column, such as `new.` */
export function checksumSql(
  dialect: 'sqlite' | 'postgres',
  { columns, real }: Pick<CheckedTable, 'columns' | 'real'>,
  row = '',
): string {
  if (dialect === 'sqlite') {
    return `${CHECKSUM_FUNCTION}(${columns.map((name) => `${row}"${name}"`).join(', ')})`;
  }
  const texts = columns.map((name) => {
    const column = `${row}"${name}"`;
    const text =
      name === real
        ? `case when ${column} = trunc(${column}) and abs(${column}) < ${INTEGER_MAX}
              then trunc(${column})::bigint::text else encode(float8send(${column}), 'hex') end`
        : `${column}::text`;
    return `coalesce(${text}, chr(30))`;
  });
  const bytes = `convert_to(concat_ws(chr(31), ${texts.join(', ')}), 'UTF8')`;
  return `left(encode(sha256(${bytes}), 'hex'), ${DIGITS})`;
}

/**
 * The statements that create the triggers of a table and give its rows their checksums.
 * @param checkedTable as it was at the step, if it has changed since
 */
export function checksumStatements(
  dialect: 'sqlite' | 'postgres',
  table: string,
  checkedTable: CheckedTable = CHECKED_TABLES[table as CheckedTableName],
): readonly string[] {
  const { columns, key } = checkedTable;
  const checksum = (row: string) => checksumSql(dialect, checkedTable, row);
  const names = columns.map((name) => `"${name}"`).join(', ');
  const own = key.map((name) => `"${name}" = new."${name}"`).join(' and ');
  const set = `update ${table} set checksum = ${checksum('new.')} where ${own}`;
  const all = `update ${table} set checksum = ${checksum('')}`;
  if (dialect === 'sqlite') {
    return [
      all,
      `create trigger ${table}_inserted after insert on ${table} when new.checksum is null
      begin ${set}; end`,
      `create trigger ${table}_updated after update of ${names}
      on ${table} when new.checksum is null or old.checksum = ${checksum('old.')}
      begin ${set}; end`,
    ];
  }
  return [
    all,
    `create function ${table}_checksum() returns trigger language plpgsql as $$ begin
      if new.checksum is null then new.checksum := ${checksum('new.')};
      elsif tg_op = 'UPDATE' then
        if old.checksum = ${checksum('old.')} then new.checksum := ${checksum('new.')}; end if;
      end if;
      return new; end $$`,
    `create trigger ${table}_written
      before insert or update of ${names} on ${table}
      for each row execute function ${table}_checksum()`,
  ];
}
