// The first tables: tenants, auth users, credentials, documents with their change sequence, dynamic
// fields.
import type { Kysely } from 'kysely';
import type { ColumnTypes, Migration } from '../sql/migration.ts';
import type { Tree } from '../sql/statement.ts';

export const initial: Migration = {
  name: '0001-initial',
  up: (db, types) => [
    ...tenantTables(db),
    ...credentialTables(db),
    ...documentTables(db, types),
    ...fieldTables(db),
  ],
};

function tenantTables(db: Kysely<never>): Tree<unknown>[] {
  return [
    db.schema
      .createTable('tenant')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('pod', 'text', (column) => column.notNull())
      .addColumn('created', 'text', (column) => column.notNull()),
    db.schema
      .createTable('auth_user')
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('uid', 'text', (column) => column.notNull())
      .addColumn('details', 'text', (column) => column.notNull())
      .addColumn('capabilities', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('auth_user_key', ['tenant_id', 'id'])
      .addUniqueConstraint('auth_user_uid', ['tenant_id', 'uid']),
    db.schema
      .createTable('capability_holder')
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('capability', 'text', (column) => column.notNull())
      .addColumn('auth_user_id', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('capability_holder_key', [
        'tenant_id',
        'capability',
        'auth_user_id',
      ]),
    db.schema
      .createIndex('capability_holder_user')
      .on('capability_holder')
      .columns(['tenant_id', 'auth_user_id']),
    db.schema
      .createTable('custom_capability')
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('capability', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('custom_capability_key', ['tenant_id', 'capability']),
  ];
}

function credentialTables(db: Kysely<never>): Tree<unknown>[] {
  return [
    db.schema
      .createTable('personal_access_token')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('secret_hash', 'text', (column) => column.notNull())
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('access_token_validity_seconds', 'integer', (column) => column.notNull())
      .addColumn('expiration_date', 'text')
      .addColumn('user_aware_token_never_expires', 'integer', (column) => column.notNull())
      .addColumn('managed', 'integer', (column) => column.notNull())
      .addColumn('created', 'text', (column) => column.notNull())
      .addColumn('last_used', 'text'),
    db.schema
      .createIndex('personal_access_token_owner')
      .on('personal_access_token')
      .columns(['tenant_id', 'owner_id']),
    db.schema
      .createTable('oauth_client')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('secret_hash', 'text', (column) => column.notNull())
      .addColumn('grant_types', 'text', (column) => column.notNull())
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('redirect_uris', 'text', (column) => column.notNull())
      .addColumn('access_token_validity_seconds', 'integer', (column) => column.notNull())
      .addColumn('enabled', 'integer', (column) => column.notNull())
      .addColumn('created', 'text', (column) => column.notNull()),
    db.schema
      .createTable('refresh_token')
      .addColumn('hash', 'text', (column) => column.primaryKey().notNull())
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('client_id', 'text', (column) => column.notNull())
      .addColumn('identity_id', 'text')
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('expires', 'text', (column) => column.notNull()),
    db.schema
      .createTable('signing_key')
      .addColumn('kid', 'text', (column) => column.primaryKey().notNull())
      .addColumn('jwk', 'text', (column) => column.notNull())
      .addColumn('created', 'text', (column) => column.notNull())
      .addColumn('active', 'integer', (column) => column.notNull()),
  ];
}

function documentTables(db: Kysely<never>, types: ColumnTypes): Tree<unknown>[] {
  return [
    db.schema
      .createTable('document')
      .addColumn('sequence', types.rowNumber, (column) => column.primaryKey().notNull())
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('index_name', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('hash', types.bytes)
      .addColumn('root', types.bytes)
      .addColumn('nested', types.bytes)
      .addUniqueConstraint('document_key', ['tenant_id', 'index_name', 'id']),
    db.schema
      .createTable('document_count')
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('index_name', 'text', (column) => column.notNull())
      .addColumn('documents', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('document_count_key', ['tenant_id', 'index_name']),
    db.schema
      .createTable('sequence_counter')
      .addColumn('name', 'text', (column) => column.primaryKey().notNull())
      .addColumn('value', types.rowNumber, (column) => column.notNull()),
    db.insertInto('sequence_counter' as never).values({ name: 'document', value: 0 } as never),
  ];
}

function fieldTables(db: Kysely<never>): Tree<unknown>[] {
  return [
    db.schema
      .createTable('dynamic_field')
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('index_name', 'text', (column) => column.notNull())
      .addColumn('path', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('nested', 'text')
      .addPrimaryKeyConstraint('dynamic_field_key', ['tenant_id', 'index_name', 'path']),
    db.schema
      .createTable('dynamic_field_version')
      .addColumn('tenant_id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('version', 'integer', (column) => column.notNull()),
  ];
}
