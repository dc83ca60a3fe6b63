// The part of the store contract that dashboards use.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Dashboard, ListedDashboard } from '../../src/service/ports/dashboard-records.ts';
import { ACME, type OpenStore, OTHER, withStore } from './store-records.ts';

const AT = '2026-01-01T00:00:00.000Z';

function dashboard(id: string, ownerId: string, changed: Partial<Dashboard> = {}): Dashboard {
  return {
    ...{ id, ownerId, name: `Dashboard ${id} ÿ`, shared: false, created: AT, modified: AT },
    tiles: [
      {
        ...{ title: null, kind: 'number', width: 1, savedSearchId: 's1', search: null },
        ...{ field: null, size: null, alarmAbove: 0 },
      },
    ],
    ...changed,
  };
}

const PAGE = { offset: 0, limit: 100 };
const listed = ({ tiles, ...members }: Dashboard): ListedDashboard => ({
  ...members,
  tileCount: tiles.length,
});
const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id);

/** Registers the tests. */
export function dashboards(open: OpenStore): void {
  describe('dashboards', () => {
    const held = withStore(open, 'dashboards');

    test('are read as written, and listed for their owner and where shared', async () => {
      const { store } = held;
      const own = dashboard('d1', 'u1');
      const shared = dashboard('d2', 'u2', { shared: true });
      const later = dashboard('d0', 'u1', { created: '2026-02-01T00:00:00.000Z' });
      await store.write(async (r) => {
        for (const one of [later, shared, own, dashboard('d3', 'u2')]) {
          await r.putDashboard(ACME.id, one);
        }
      });
      assert.deepEqual(await store.read.dashboard(ACME.id, 'd1'), own);
      assert.equal(await store.read.dashboard(ACME.id, 'd9'), null);
      const { read } = store;
      assert.deepEqual(
        await read.visibleDashboards(ACME.id, 'u1', PAGE),
        [own, shared, later].map(listed),
      );
      assert.deepEqual(ids(await read.visibleDashboards(ACME.id, 'u2', PAGE)), ['d2', 'd3']);
      assert.deepEqual(ids(await read.visibleDashboards(ACME.id, 'u3', PAGE)), ['d2']);
      const page = await read.visibleDashboards(ACME.id, 'u1', { offset: 1, limit: 1 });
      assert.deepEqual(ids(page), ['d2']);
      assert.equal(await read.visibleDashboardCount(ACME.id, 'u1'), 3);
      assert.equal(await read.ownDashboardCount(ACME.id, 'u1'), 2);
    });

    test('exist only in their tenant', async () => {
      const { read } = held.store;
      assert.equal(await read.dashboard(OTHER.id, 'd1'), null);
      assert.deepEqual(await read.visibleDashboards(OTHER.id, 'u1', PAGE), []);
      assert.equal(await read.visibleDashboardCount(OTHER.id, 'u1'), 0);
      assert.equal(await read.ownDashboardCount(OTHER.id, 'u1'), 0);
      assert.equal(await held.store.write((r) => r.deleteDashboard(OTHER.id, 'd1')), false);
      assert.notEqual(await read.dashboard(ACME.id, 'd1'), null);
    });

    test('are replaced, also their sharing, and deleted', async () => {
      const { store } = held;
      const changed = dashboard('d2', 'u2', { name: 'private now', tiles: [] });
      await store.write((r) => r.putDashboard(ACME.id, changed));
      assert.deepEqual(await store.read.dashboard(ACME.id, 'd2'), changed);
      assert.deepEqual(await store.read.visibleDashboards(ACME.id, 'u3', PAGE), []);
      assert.equal(await store.write((r) => r.deleteDashboard(ACME.id, 'd2')), true);
      assert.equal(await store.write((r) => r.deleteDashboard(ACME.id, 'd2')), false);
      assert.equal(await store.read.dashboard(ACME.id, 'd2'), null);
    });
  });
}
