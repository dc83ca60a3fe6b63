// CARDEA_EVENT_RETENTION over HTTP: what is older can be neither searched nor read, and the audit trail stays whole.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { verifyAudit } from '../../src/service/audit/audit-verification.ts';
import type { NodeStatusAnswer } from '../../src/telemetry/node-status.ts';
import { figuresOf } from '../support/figures.ts';
import { type RunningService, startService } from '../support/service.ts';

const HOUR_MS = 3_600_000;

let service: RunningService;
before(async () => {
  service = await startService({ CARDEA_EVENT_RETENTION: '30d', CARDEA_METRICS: 'on' });
});
after(() => service.stop());

const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString();

async function idsOf(index: string): Promise<string[]> {
  const { status } = service.cardea.services;
  await status.waitUntilSearchable(await status.lastSequence(), 60_000);
  const body = { indices: [index], query: { query: 'name:imported' }, sort: ['id'] };
  const hits = await (await service.call('POST', '/v3/search', body)).json();
  return (hits as { id: string }[]).map(({ id }) => id);
}

test('documents of events and account activities end with the period', async () => {
  const [old, young] = [ago(30 * 24 + 1), ago(30 * 24 - 1)];
  await service.addDocuments([
    { _type: 'event', id: 'event-old', name: 'imported', created: old },
    { _type: 'event', id: 'event-young', name: 'imported', created: young },
    { _type: 'role', id: 'role-old', name: 'imported', created: old },
    { _type: 'accountactivity', id: 'activity-old', action: 'imported', modified: old },
    { _type: 'accountactivity', id: 'activity-young', action: 'imported', modified: young },
  ]);
  assert.deepEqual(await idsOf('events'), ['event-old', 'event-young']);
  const { events, accountactivities } = await service.cardea.purge.run();
  assert.deepEqual([events, accountactivities], [1, 1]);
  assert.deepEqual(await idsOf('events'), ['event-young']);
  assert.deepEqual(await idsOf('roles'), ['role-old']);
  const gone = ['events/event-old', 'accountactivities/activity-old'];
  const left = ['events/event-young', 'accountactivities/activity-young', 'roles/role-old'];
  for (const path of [...gone, ...left]) {
    const { status } = await service.call('GET', `/v3/search/${path}`);
    assert.equal(status, gone.includes(path) ? 404 : 200, path);
  }
  const figures = figuresOf(await (await service.call('GET', '/metrics')).text());
  const rows = (name: string) => figures.value('cardea_purged_rows_total', { rows: name });
  assert.deepEqual([rows('events'), rows('accountactivities'), rows('tombstones')], [1, 1, 0]);
  const status = (await (await service.call('GET', '/admin/v1/status')).json()) as NodeStatusAnswer;
  const before = status.retention.eventsPurgedBefore ?? '';
  assert.ok(old < before && before < young, before);
  const { store } = service.cardea;
  assert.deepEqual((await verifyAudit(store.read, service.tenantId)).faults, []);
});
