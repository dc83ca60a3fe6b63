// Dashboards: one row each, with the tiles as JSON.

import type {
  Dashboard,
  ListedDashboard,
  WritableDashboardRecords,
} from '../../service/ports/dashboard-records.ts';
import { deleteByKey, selectByKey, upsertOf } from '../sql/keyed-rows.ts';
import type { DashboardTable } from '../sql/schema.ts';
import { type Executor, statement, tables } from '../sql/statement.ts';
import { storedJson } from '../sql/stored-json.ts';

export function dashboardRecords(executor: Executor): WritableDashboardRecords {
  return {
    async dashboard(tenantId, id) {
      const row = await executor.get(SELECT, { tenantId, id });
      return row === undefined ? null : dashboardOf(row);
    },
    async visibleDashboards(tenantId, ownerId, { offset, limit }) {
      const page = visibleTo(tenantId, ownerId).selectAll().orderBy('created').orderBy('id');
      return (await executor.query(page.limit(limit).offset(offset))).map(listedOf);
    },
    async visibleDashboardCount(tenantId, ownerId) {
      const query = visibleTo(tenantId, ownerId).select((row) => row.fn.countAll().as('rows'));
      return Number((await executor.query(query))[0]?.rows);
    },
    async ownDashboardCount(tenantId, ownerId) {
      return Number((await executor.get(COUNT_OWN, { tenantId, ownerId }))?.rows);
    },
    async putDashboard(tenantId, { shared, tiles, ...members }) {
      await executor.run(PUT, {
        ...{ tenantId, ...members, shared: shared ? 1 : 0, tileCount: tiles.length },
        tiles: JSON.stringify(tiles),
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

function listedOf({ tenant_id: _, tiles: __, ...row }: DashboardTable): ListedDashboard {
  const { owner_id: ownerId, shared, tile_count: tileCount, ...members } = row;
  return { ...members, ownerId, shared: shared === 1, tileCount };
}

function dashboardOf(row: DashboardTable): Dashboard {
  const { tileCount: _, ...members } = listedOf(row);
  return { ...members, tiles: storedJson(row.tiles, 'dashboard', row.id) };
}

const SELECT = selectByKey('dashboard');

const COUNT_OWN = statement((p: { tenantId: string; ownerId: string }) =>
  tables
    .selectFrom('dashboard')
    .select((row) => row.fn.countAll().as('rows'))
    .where('tenant_id', '=', p.tenantId)
    .where('owner_id', '=', p.ownerId),
);

const PUT = upsertOf(
  'dashboard',
  ['tenant_id', 'id'],
  ['owner_id', 'shared', 'created', 'name', 'modified', 'tile_count', 'tiles'],
);

const DELETE = deleteByKey('dashboard');
