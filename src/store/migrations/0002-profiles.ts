// Profile management: types, attributes, options, users, roles, links, risk, profiles with their
// values, advanced searches, API keys and jobs. Text that is compared has a folded column, so that
// both databases compare bytes and use an index.
import { type ColumnDataType, type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { ColumnTypes, Migration } from '../sql/migration.ts';
import type { Tree } from '../sql/statement.ts';

export const profiles: Migration = {
  name: '0002-profiles',
  up: (db, types) => [
    ...describingTables(db, types),
    ...linkTables(db),
    ...profileTables(db, types),
    ...serviceTables(db),
  ],
};

/** `text`: required; `text?`: may be null. */
type Column = 'text' | 'text?' | 'integer' | 'integer?' | 'real?';

function resource(
  db: Kysely<never>,
  types: ColumnTypes,
  name: string,
  columns: Readonly<Record<string, Column>>,
): Tree<unknown>[] {
  let table = keyed(db, name);
  for (const [column, type] of Object.entries(columns))
    table = withColumn(table, types, column, type);
  const created = db.schema.createIndex(`${name}_by_created`).on(name);
  return [table, created.columns(['tenant_id', 'created_at', 'id'])];
}

function keyed(db: Kysely<never>, name: string): CreateTableBuilder<string, string> {
  return db.schema
    .createTable(name)
    .addColumn('tenant_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('uid', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint(`${name}_key`, ['tenant_id', 'id'])
    .addUniqueConstraint(`${name}_uid`, ['tenant_id', 'uid']);
}

function withColumn(
  table: CreateTableBuilder<string, string>,
  types: ColumnTypes,
  name: string,
  type: Column,
): CreateTableBuilder<string, string> {
  const dataType = type.startsWith('real') ? types.real : (type.replace('?', '') as ColumnDataType);
  return table.addColumn(name, dataType, (column) =>
    type.endsWith('?') ? column : column.notNull(),
  );
}

function describingTables(db: Kysely<never>, types: ColumnTypes): Tree<unknown>[] {
  return [
    ...resource(db, types, 'profile_type', {
      ...{ name: 'text', name_folded: 'text', category: 'text?' },
      ...{ archived: 'integer', details: 'text' },
    }),
    ...resource(db, types, 'ne_attribute', {
      ...{ label: 'text', label_folded: 'text', data_type: 'text', type: 'text' },
      ...{ profile_type_id: 'text?', archived: 'integer', details: 'text' },
    }),
    ...resource(db, types, 'ne_attribute_option', {
      ...{ ne_attribute_id: 'text', option: 'text', option_folded: 'text' },
    }),
    db.schema
      .createIndex('ne_attribute_option_label')
      .unique()
      .on('ne_attribute_option')
      .columns(['tenant_id', 'ne_attribute_id', 'option_folded']),
    ...resource(db, types, 'profile_user', {
      ...{ name: 'text', name_folded: 'text', email: 'text', email_folded: 'text' },
      ...{
        login: 'text',
        login_folded: 'text',
        type: 'text',
        title: 'text?',
        title_folded: 'text?',
      },
      ...{ status: 'text', last_login: 'text?', sailpoint_identity_id: 'text?', details: 'text' },
    }),
    db.schema
      .createIndex('profile_user_login')
      .unique()
      .on('profile_user')
      .columns(['tenant_id', 'login_folded']),
    ...resource(db, types, 'profile_role', {
      ...{ name: 'text', name_folded: 'text', type: 'text', archived: 'integer', details: 'text' },
    }),
    ...resource(db, types, 'risk_level', {
      ...{
        label: 'text',
        label_folded: 'text',
        order: 'integer',
        points: 'real?',
        details: 'text',
      },
    }),
    ...resource(db, types, 'risk_score', {
      ...{ object_id: 'text', object_type: 'text', overall_score: 'real?', details: 'text' },
      ...{ overall_risk_level_id: 'text?', impact_risk_level_id: 'text?' },
      ...{ probability_risk_level_id: 'text?' },
    }),
    db.schema
      .createIndex('risk_score_object')
      .on('risk_score')
      .columns(['tenant_id', 'object_id', 'object_type', 'overall_risk_level_id']),
    db.schema
      .createIndex('risk_score_level')
      .on('risk_score')
      .columns(['tenant_id', 'overall_risk_level_id', 'object_type', 'object_id']),
  ];
}

/** Links between two records; each pair is unique. */
function linkTables(db: Kysely<never>): Tree<unknown>[] {
  return [
    ...link(db, 'user_role', ['user_id', 'role_id']),
    ...link(db, 'role_profile', ['role_id', 'profile_id']),
    ...link(db, 'user_manager', ['user_id', 'manager_id']),
    ...link(
      db,
      'user_profile',
      ['user_id', 'profile_id'],
      ['ne_attribute_id', 'relationship_type'],
    ),
  ];
}

function link(
  db: Kysely<never>,
  name: string,
  [from, to]: readonly [string, string],
  more: readonly string[] = [],
): Tree<unknown>[] {
  let table = keyed(db, name)
    .addColumn(from, 'text', (column) => column.notNull())
    .addColumn(to, 'text', (column) => column.notNull());
  for (const column of more) table = table.addColumn(column, 'text');
  const index = (suffix: string, columns: string[]) =>
    db.schema.createIndex(`${name}_by_${suffix}`).on(name).columns(columns);
  return [
    table,
    index('created', ['tenant_id', 'created_at', 'id']),
    index('pair', ['tenant_id', from, to]),
    index('back', ['tenant_id', to]),
  ];
}

/**
 * A page of profiles is a scan along one index in the requested order. The columns of the filters
 * are at the end of each index, so that only records of the page are read.
 */
function profileTables(db: Kysely<never>, types: ColumnTypes): Tree<unknown>[] {
  const filterColumns = ['archived', 'profile_type_id', 'status', 'updated_at'];
  const by = (suffix: string, columns: string[]) => {
    const tail = filterColumns.filter((column) => !columns.includes(column));
    return db.schema
      .createIndex(`profile_by_${suffix}`)
      .on('profile')
      .columns(['tenant_id', ...columns, ...tail]);
  };
  let table = keyed(db, 'profile');
  const columns: Readonly<Record<string, Column>> = {
    ...{ uid_folded: 'text', name: 'text', name_folded: 'text', profile_type_id: 'text' },
    ...{ status: 'text', id_proofing_status: 'text?', archived: 'integer' },
  };
  for (const [name, type] of Object.entries(columns)) table = withColumn(table, types, name, type);
  return [
    table,
    by('id', ['id']),
    by('uid', ['archived', 'uid_folded', 'id']),
    by('name', ['archived', 'name_folded', 'id']),
    by('created', ['archived', 'created_at', 'id']),
    by('updated', ['archived', 'updated_at', 'id']),
    by('type', ['archived', 'profile_type_id', 'id']),
    by('type_created', ['archived', 'profile_type_id', 'created_at', 'id']),
    by('status', ['archived', 'status', 'id']),
    by('status_created', ['archived', 'status', 'created_at', 'id']),
    ...valueTable(db, types),
  ];
}

/** Each kind of comparison has an index of the values it applies to. */
function valueTable(db: Kysely<never>, types: ColumnTypes): Tree<unknown>[] {
  const compared = ['folded', 'reversed', 'number', 'day', 'ref_id'];
  return [
    db.schema
      .createTable('profile_value')
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('profile_id', 'text', (column) => column.notNull())
      .addColumn('attribute_id', 'text', (column) => column.notNull())
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('value', 'text')
      .addColumn('folded', 'text')
      .addColumn('reversed', 'text')
      .addColumn('number', types.real)
      .addColumn('day', 'integer')
      .addColumn('ref_id', 'text')
      .addPrimaryKeyConstraint('profile_value_key', [
        ...['tenant_id', 'profile_id', 'attribute_id', 'position'],
      ] as never)
      .modifyEnd(sql.raw(types.clustered)),
    ...compared.map((column) =>
      db.schema
        .createIndex(`profile_value_${column}`)
        .on('profile_value')
        .columns(['tenant_id', 'attribute_id', column, 'profile_id'])
        .where(column as never, 'is not', null),
    ),
    db.schema
      .createIndex('profile_value_referrer')
      .on('profile_value')
      .columns(['tenant_id', 'ref_id', 'attribute_id', 'profile_id'])
      .where('ref_id' as never, 'is not', null),
  ];
}

function serviceTables(db: Kysely<never>): Tree<unknown>[] {
  return [
    keyed(db, 'advanced_search')
      .addColumn('label', 'text')
      .addColumn('rules', 'text', (column) => column.notNull()),
    db.schema
      .createTable('api_key')
      .addColumn('hash', 'text', (column) => column.primaryKey().notNull())
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('created', 'text', (column) => column.notNull()),
    db.schema
      .createTable('job')
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('job_type', 'text', (column) => column.notNull())
      .addColumn('job_data', 'text', (column) => column.notNull())
      .addColumn('created', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('job_key', ['tenant_id', 'id']),
  ];
}

/**
 * An index of the profiles with an ID proofing status, which is a filter of their list. Most have
 * none, so it is partial.
 */
export const proofingStatus: Migration = {
  name: '0020-proofing-status',
  up: (db) => [
    db.schema
      .createIndex('profile_by_proofing')
      .on('profile')
      .columns(['tenant_id', 'archived', 'id_proofing_status', 'created_at', 'id'])
      .where('id_proofing_status' as never, 'is not', null),
  ],
};
