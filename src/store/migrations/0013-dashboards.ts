// Dashboards (records/dashboard-records.ts). The indexes are for the lists: of an owner, and of what
// the users of a tenant share. The second step makes columns of what a list shows of a dashboard, so that
// it need not read the tiles, which are the last column: SQLite reads the pages of a row up to the last
// column that a query selects.
import type { Kysely } from 'kysely';
import type { Migration } from '../sql/migration.ts';
import { type Executor, tables } from '../sql/statement.ts';

export const dashboards: Migration = {
  name: '0013-dashboards',
  up: (db) => [
    db.schema
      .createTable('dashboard')
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('shared', 'integer', (column) => column.notNull())
      .addColumn('created', 'text', (column) => column.notNull())
      .addColumn('details', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('dashboard_key', ['tenant_id', 'id']),
    db.schema.createIndex('dashboard_owner').on('dashboard').columns(['tenant_id', 'owner_id']),
    db.schema.createIndex('dashboard_shared').on('dashboard').columns(['tenant_id', 'shared']),
  ],
};

export const dashboardLists: Migration = {
  name: '0014-dashboard-lists',
  up: (db) => {
    const dashboard = () => db.schema.alterTable('dashboard');
    return [
      dashboard().addColumn('name', 'text', (column) => column.notNull().defaultTo('')),
      dashboard().addColumn('modified', 'text', (column) => column.notNull().defaultTo('')),
      dashboard().addColumn('tile_count', 'integer', (column) => column.notNull().defaultTo(0)),
      dashboard().addColumn('tiles', 'text', (column) => column.notNull().defaultTo('')),
    ];
  },
  after: async (executor) => {
    await fillColumns(executor);
    await executor.query(tables.schema.alterTable('dashboard').dropColumn('details'));
  },
};

/** The table while both forms are there. */
interface Both {
  readonly dashboard: {
    readonly tenant_id: string;
    readonly id: string;
    readonly details: string;
    readonly name: string;
    readonly modified: string;
    readonly tile_count: number;
    readonly tiles: string;
  };
}

const PAGE = 100;

async function fillColumns(executor: Executor): Promise<void> {
  const db = tables as unknown as Kysely<Both>;
  const rest = db.selectFrom('dashboard').select(['tenant_id', 'id', 'details']);
  for (;;) {
    const rows = await executor.query(rest.where('tiles', '=', '').limit(PAGE));
    for (const { tenant_id, id, details } of rows) {
      const { name, modified, tiles } = JSON.parse(details);
      await executor.query(
        db
          .updateTable('dashboard')
          .set({ name, modified, tile_count: tiles.length, tiles: JSON.stringify(tiles) })
          .where('tenant_id', '=', tenant_id)
          .where('id', '=', id),
      );
    }
    if (rows.length < PAGE) return;
    await executor.pause();
  }
}
