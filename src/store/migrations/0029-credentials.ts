// Personal access tokens, API clients and API keys become rows of one table, with the same ids and
// hashes, so all of them go on working. What only one kind has becomes JSON, which is put together as
// text: a damaged row may hold anything, and it stays a damaged row, since it keeps its old checksum.
import { sql } from 'kysely';
import type { Migration } from '../sql/migration.ts';
import {
  CHECKED_TABLES,
  CREDENTIAL_STEP,
  checksumSql,
  checksumStatements,
} from '../sql/row-checksum.ts';
import { type Dialect, rawStatement } from '../sql/statement.ts';
import { FORMER_TABLES } from './0027-row-checksums.ts';

/** Columns of the new table. */
const COLUMNS = [...CHECKED_TABLES.credential.columns, 'last_used'];

/** JSON of a column with a flag. */
const flag = (column: string) => `case ${column} when 1 then 'true' else 'false' end`;

/** By former table: the columns that are not called the same there. */
const MOVED: Readonly<Record<keyof typeof FORMER_TABLES, Readonly<Record<string, string>>>> = {
  personal_access_token: {
    kind: `'pat'`,
    expires: 'expiration_date',
    details: `'{"accessTokenValiditySeconds":' || access_token_validity_seconds
      || ',"userAwareTokenNeverExpires":' || ${flag('user_aware_token_never_expires')}
      || ',"managed":' || ${flag('managed')} || '}'`,
  },
  oauth_client: {
    ...{ kind: `'client'`, owner_id: 'null', expires: 'null' },
    // The first details had no `tokensValidFrom`; of two members with a name the last one counts.
    details: `'{"grantTypes":' || grant_types || ',"redirectUris":' || redirect_uris
      || ',"accessTokenValiditySeconds":' || access_token_validity_seconds
      || ',"refreshTokenValiditySeconds":' || refresh_token_validity_seconds
      || ',"enabled":' || ${flag('enabled')} || ',"modified":"' || modified
      || '","tokensValidFrom":0,' || substr(details, 2)`,
  },
  api_key: {
    ...{ kind: `'key'`, secret_hash: 'hash', view_name: 'null', details: `'{}'` },
    scope: `case scope when 'manage' then '["cardea:profiles:manage"]'
      else '["cardea:profiles:read"]' end`,
  },
};

export const credentials: Migration = {
  name: CREDENTIAL_STEP,
  up: (db) => [
    db.schema
      .createTable('credential')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('secret_hash', 'text', (column) => column.notNull())
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('owner_id', 'text')
      .addColumn('parent_id', 'text')
      .addColumn('view_name', 'text')
      .addColumn('expires', 'text')
      .addColumn('created', 'text', (column) => column.notNull())
      .addColumn('details', 'text', (column) => column.notNull())
      .addColumn('last_used', 'text')
      .addColumn('checksum', 'text'),
    db.schema.createIndex('credential_kind').on('credential').columns(['tenant_id', 'kind']),
    db.schema.createIndex('credential_owner').on('credential').columns(['tenant_id', 'owner_id']),
    db.schema.createIndex('credential_hash').on('credential').column('secret_hash'),
    ...[
      ['parent', ['tenant_id', 'parent_id']] as const,
      ['expiry', ['kind', 'expires']] as const,
    ].map(([name, columns]) =>
      db.schema
        .createIndex(`credential_${name}`)
        .on('credential')
        .columns([...columns])
        .where(columns[1] as never, 'is not', null),
    ),
  ],
  after: async (executor, dialect) => {
    const names = Object.keys(MOVED) as (keyof typeof MOVED)[];
    for (const text of [
      ...checksumStatements(dialect, 'credential'),
      ...names.flatMap((name) => move(dialect, name)),
    ]) {
      await executor.query(rawStatement(sql.raw(text)));
    }
  },
};

function move(dialect: Dialect, name: keyof typeof MOVED): readonly string[] {
  const values = COLUMNS.map((column) => MOVED[name][column] ?? column);
  const holds = `checksum = ${checksumSql(dialect, FORMER_TABLES[name])}`;
  return [
    `insert into credential (${COLUMNS.join(', ')}, checksum)
      select ${values.join(', ')}, case when ${holds} then null else checksum end from ${name}`,
    `drop table ${name}`,
    ...(dialect === 'postgres' ? [`drop function ${name}_checksum()`] : []),
  ];
}
