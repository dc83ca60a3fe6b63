// The profile of a user and the attributes that filter others become columns, so that they are found
// and cleared when that profile or attribute is deleted. References to records that were deleted
// before this step are cleared.
import { type Kysely, type SqlBool, sql } from 'kysely';
import type { Migration } from '../sql/migration.ts';
import { type Executor, rawStatement, tables } from '../sql/statement.ts';

/** A member of `details`, the column that it becomes, and the table that it refers to. */
interface Reference {
  readonly table: string;
  readonly member: string;
  readonly column: string;
  readonly to: string;
}

const REFERENCES: readonly Reference[] = [
  { table: 'profile_user', member: 'profileId', column: 'profile_id', to: 'profile' },
  {
    ...{ table: 'ne_attribute', member: 'filteringNeAttributeId', to: 'ne_attribute' },
    column: 'filtering_ne_attribute_id',
  },
  {
    ...{ table: 'ne_attribute', member: 'neAttributeFilterId', to: 'ne_attribute' },
    column: 'ne_attribute_filter_id',
  },
];

export const profileReferences: Migration = {
  name: '0016-profile-references',
  up: (db) => [
    ...REFERENCES.map(({ table, column }) => db.schema.alterTable(table).addColumn(column, 'text')),
    db.schema
      .createIndex('profile_user_profile')
      .on('profile_user')
      .columns(['tenant_id', 'profile_id']),
  ],
  after: async (executor) => {
    for (const reference of REFERENCES) {
      await moveMember(executor, reference);
      await clearDeleted(executor, reference);
    }
  },
};

/** Stands for either table. */
interface Described {
  readonly record: { readonly tenant_id: string; readonly id: string; readonly details: string };
}

const PAGE = 100;

async function moveMember(executor: Executor, reference: Reference): Promise<void> {
  const { member, column } = reference;
  const table = reference.table as 'record';
  const db = tables as unknown as Kysely<Described>;
  for (let last = { tenant_id: '', id: '' }; ; ) {
    const { tenant_id, id } = last;
    const rows = await executor.query(
      db
        .selectFrom(table)
        .select(['tenant_id', 'id', 'details'])
        // For `or`, SQLite would walk the index from its beginning for each page.
        .where(sql<SqlBool>`(${sql.ref('tenant_id')}, ${sql.ref('id')}) > (${tenant_id}, ${id})`)
        .orderBy('tenant_id')
        .orderBy('id')
        .limit(PAGE),
    );
    for (const row of rows) {
      const { [member]: value = null, ...details } = JSON.parse(row.details);
      await executor.query(
        db
          .updateTable(table)
          .set({ [column]: value, details: JSON.stringify(details) } as never)
          .where('tenant_id', '=', row.tenant_id)
          .where('id', '=', row.id),
      );
      last = row;
    }
    if (rows.length < PAGE) return;
    await executor.pause();
  }
}

async function clearDeleted(executor: Executor, { table, column, to }: Reference): Promise<void> {
  const [from, id] = [sql.table(table), sql.ref(`${table}.${column}`)];
  await executor.query(
    rawStatement(
      sql`update ${from} set ${sql.ref(column)} = null where ${id} is not null and not exists (
        select 1 from ${sql.table(to)} as referent
        where referent.tenant_id = ${sql.ref(`${table}.tenant_id`)} and referent.id = ${id})`,
    ),
  );
}
