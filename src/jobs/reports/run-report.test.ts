import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { testTenant } from '../../../test/support/tenant.ts';
import { withRecords } from '../../service/ports/forwarding-store.ts';
import { waitingRun } from '../../service/saved-searches/saved-searches.ts';
import { NeverDeliverable } from './mail-sender.ts';
import { readReport } from './run-report.ts';

const AT = '2026-01-01T00:00:00.000Z';

test('a run that is deleted between two parts of its file is not delivered', async () => {
  const { store, tenant, admin } = await testTenant();
  const search = {
    ...{ id: 's', ownerId: admin.id, created: AT, modified: AT, name: 's', description: null },
    ...{ query: '*', indices: ['roles'], columns: {}, fields: null, sort: null, orderBy: null },
    ...{ filters: null, shared: false },
  };
  const run = {
    ...waitingRun({
      ...{ savedSearchId: 's', scheduleId: null, ownerId: admin.id, recipients: [], created: AT },
      ...{ emailEmptyResults: true, displayQueryDetails: true },
    }),
    ...({ state: 'COMPLETED', openAt: null, attempt: 1 } as const),
    results: [{ type: 'role', count: 2, rows: 2, preview: [] }],
  };
  await store.write(async (records) => {
    await records.putSavedSearch(tenant.id, search);
    await records.putSearchRun(tenant.id, run);
    for (const part of [0, 1]) {
      const bytes = gzipSync(`row ${part}\r\n`);
      await records.addRunPart(tenant.id, { runId: run.id, attempt: 1, type: 'role', part, bytes });
    }
  });
  const { files } = await readReport(store.read, tenant.id, run.id);
  assert.equal(files[0]?.content.toString(), 'row 0\r\nrow 1\r\n');
  const deleting = withRecords(store.read, {
    async runPart(...query) {
      const part = await store.read.runPart(...query);
      await store.write((records) => records.deleteSavedSearch(tenant.id, 's'));
      return part;
    },
  });
  await assert.rejects(readReport(deleting, tenant.id, run.id), NeverDeliverable);
});
