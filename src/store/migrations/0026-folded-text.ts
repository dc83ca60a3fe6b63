// Folded text of auth users and of the references of saved and scheduled searches, so that lists
// compare it without case (records/folded-columns.ts).
import { type Kysely, type SqlBool, sql } from 'kysely';
import { fold } from '../../query/analysis/fold.ts';
import type { Migration } from '../sql/migration.ts';
import { type Executor, type Tree, tables } from '../sql/statement.ts';

/** By table: each new column, and the column or the member of `details` that it folds. */
const FOLDED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  auth_user: {
    id_folded: 'id',
    uid_folded: 'uid',
    alias_folded: 'alias',
    display_name_folded: 'displayName',
    firstname_folded: 'firstname',
    lastname_folded: 'lastname',
    email_folded: 'email',
    identification_number_folded: 'identificationNumber',
  },
  saved_search: { owner_folded: 'owner_id' },
  scheduled_search: { owner_folded: 'owner_id', saved_search_folded: 'saved_search_id' },
};

export const foldedText: Migration = {
  name: '0026-folded-text',
  up: (db) => [
    ...each((table, column) => db.schema.alterTable(table).addColumn(column, 'text')),
    ...each((table, column) =>
      db.schema.createIndex(`${table}_${column}`).on(table).columns(['tenant_id', column]),
    ),
  ],
  after: async (executor) => {
    for (const [table, columns] of Object.entries(FOLDED)) await fill(executor, table, columns);
  },
};

function each(statement: (table: string, column: string) => Tree<unknown>): Tree<unknown>[] {
  return Object.entries(FOLDED).flatMap(([table, columns]) =>
    Object.keys(columns).map((column) => statement(table, column)),
  );
}

/** Stands for each table. */
interface Folded {
  readonly record: Readonly<Record<'tenant_id' | 'id' | 'details', string>>;
}

const PAGE = 100;

async function fill(
  executor: Executor,
  name: string,
  columns: Readonly<Record<string, string>>,
): Promise<void> {
  const table = name as 'record';
  const db = tables as unknown as Kysely<Folded>;
  for (let last = { tenant_id: '', id: '' }; ; ) {
    const { tenant_id, id } = last;
    const rows = await executor.query(
      db
        .selectFrom(table)
        .selectAll()
        // For `or`, SQLite would walk the index from its beginning for each page.
        .where(sql<SqlBool>`(${sql.ref('tenant_id')}, ${sql.ref('id')}) > (${tenant_id}, ${id})`)
        .orderBy('tenant_id')
        .orderBy('id')
        .limit(PAGE),
    );
    for (const row of rows) {
      const values: Readonly<Record<string, unknown>> = { ...membersOf(row.details), ...row };
      const folded = Object.entries(columns).map(([column, source]) => {
        const value = values[source];
        return [column, typeof value === 'string' ? fold(value) : null];
      });
      await executor.query(
        db
          .updateTable(table)
          .set(Object.fromEntries(folded) as never)
          .where('tenant_id', '=', row.tenant_id)
          .where('id', '=', row.id),
      );
      last = row;
    }
    if (rows.length < PAGE) return;
    await executor.pause();
  }
}

/** None of a damaged row, which stays as it is: whoever reads it is told. */
function membersOf(details: string): object {
  try {
    return JSON.parse(details);
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
