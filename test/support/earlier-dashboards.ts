// Dashboards as the store kept them before 0014-dashboard-lists, and a check of what they became.
import assert from 'node:assert/strict';
import { sql } from 'kysely';
import type { Dashboard } from '../../src/service/ports/dashboard-records.ts';
import type { Records } from '../../src/service/ports/store.ts';
import { type Executor, rawStatement } from '../../src/store/sql/statement.ts';

/** More than the migration reads at once. */
const COUNT = 250;
const TENANT = 'tenant';

/** Adds the rows to a database with the steps up to 0013-dashboards. */
export async function addEarlierDashboards(executor: Executor): Promise<void> {
  for (let n = 0; n < COUNT; n++) {
    const { id, ownerId, created, shared: _, ...details } = dashboard(n);
    await executor.query(
      rawStatement(
        sql`insert into dashboard (tenant_id, id, owner_id, shared, created, details)
          values (${TENANT}, ${id}, ${ownerId}, 1, ${created}, ${JSON.stringify(details)})`,
      ),
    );
  }
}

/** Checks that the migrated database has the same dashboards, and lists them. */
export async function checkMigratedDashboards(
  records: Pick<Records, 'dashboard' | 'visibleDashboards'>,
): Promise<void> {
  const listed = await records.visibleDashboards(TENANT, 'u1', { offset: 0, limit: COUNT });
  assert.equal(listed.length, COUNT);
  for (const [n, entry] of listed.entries()) {
    const { tiles, ...members } = dashboard(n);
    assert.deepEqual(entry, { ...members, tileCount: tiles.length });
    assert.deepEqual(await records.dashboard(TENANT, entry.id), dashboard(n));
  }
}

function dashboard(n: number): Dashboard {
  const id = `d${String(n).padStart(4, '0')}`;
  const tile = {
    ...{ title: 'ÿ', kind: 'number', width: 1, savedSearchId: 's1', search: null, field: null },
    ...{ size: null, alarmAbove: 0 },
  } as const;
  return {
    ...{ id, ownerId: 'u1', name: `Dashboard ${n}`, shared: true },
    ...{ created: '2026-01-01T00:00:00.000Z', modified: `2026-02-01T00:00:00.000Z` },
    tiles: Array(n % 3).fill(tile),
  };
}
