// Dashboards: one row each, with the members that queries use as columns and the others as JSON.
import type {
  Dashboard,
  WritableDashboardRecords,
} from '../../identity/ports/dashboard-records.ts';
import type { DashboardTable } from '../schema.ts';
import { type Executor, statement, tables } from '../statement.ts';

export function dashboardRecords(executor: Executor): WritableDashboardRecords {
  return {
    async dashboard(tenantId, id) {
      const row = await executor.get(SELECT, { tenantId, id });
      return row === undefined ? null : dashboardOf(row);
    },
    async visibleDashboards(tenantId, ownerId, { offset, limit }) {
      const page = visibleTo(tenantId, ownerId).selectAll().orderBy('created').orderBy('id');
      return (await executor.query(page.limit(limit).offset(offset))).map(dashboardOf);
    },
    async visibleDashboardCount(tenantId, ownerId) {
      const query = visibleTo(tenantId, ownerId).select((row) => row.fn.countAll().as('rows'));
      return Number((await executor.query(query))[0]?.rows);
    },
    async ownDashboardCount(tenantId, ownerId) {
      return Number((await executor.get(COUNT_OWN, { tenantId, ownerId }))?.rows);
    },
    async putDashboard(tenantId, { id, ownerId, shared, created, ...details }) {
      await executor.run(PUT, {
        ...{ tenantId, id, ownerId, shared: shared ? 1 : 0, created },
        details: JSON.stringify(details),
      });
    },
    async deleteDashboard(tenantId, id) {
      return (await executor.run(DELETE, { tenantId, id })) > 0;
    },
  };
}

function visibleTo(tenantId: string, ownerId: string) {
  return tables
    .selectFrom('dashboard')
    .where('tenant_id', '=', tenantId)
    .where((row) => row.or([row('owner_id', '=', ownerId), row('shared', '=', 1)]));
}

function dashboardOf({ id, owner_id, shared, created, details }: DashboardTable): Dashboard {
  const rest = JSON.parse(details) as Pick<Dashboard, 'name' | 'tiles' | 'modified'>;
  return { ...rest, id, ownerId: owner_id, shared: shared === 1, created };
}

type Key = { tenantId: string; id: string };

const SELECT = statement((p: Key) =>
  tables
    .selectFrom('dashboard')
    .selectAll()
    .where('tenant_id', '=', p.tenantId)
    .where('id', '=', p.id),
);

const COUNT_OWN = statement((p: { tenantId: string; ownerId: string }) =>
  tables
    .selectFrom('dashboard')
    .select((row) => row.fn.countAll().as('rows'))
    .where('tenant_id', '=', p.tenantId)
    .where('owner_id', '=', p.ownerId),
);

const PUT = statement(
  (p: Key & { ownerId: string; shared: number; created: string; details: string }) =>
    tables
      .insertInto('dashboard')
      .values({
        tenant_id: p.tenantId,
        id: p.id,
        owner_id: p.ownerId,
        shared: p.shared,
        created: p.created,
        details: p.details,
      })
      .onConflict((conflict) =>
        conflict.columns(['tenant_id', 'id']).doUpdateSet((excluded) => ({
          shared: excluded.ref('excluded.shared'),
          details: excluded.ref('excluded.details'),
        })),
      ),
);

const DELETE = statement((p: Key) =>
  tables.deleteFrom('dashboard').where('tenant_id', '=', p.tenantId).where('id', '=', p.id),
);
