// Adds an event to every trail with the number of its events from before the chain: until now only
// the recorded end of the chain had it, which the chain does not protect. From now on every tenant
// has at least one event.
import { randomUUID } from 'node:crypto';
import { recordAuditEvents } from '../../service/audit/audit-event.ts';
import { originEvent } from '../../service/audit/audit-origin.ts';
import { auditRecords } from '../records/audit-records.ts';
import { documentRecords } from '../records/document-records.ts';
import { tables } from '../statement.ts';
import type { Migration } from './migration.ts';

export const auditOrigin: Migration = {
  name: '0007-audit-origin',
  up: () => [],
  afterAll: async (executor) => {
    const { addDynamicFields } = documentRecords(executor);
    const { appendAuditEvents } = auditRecords(executor);
    const tenants = await executor.query(tables.selectFrom('tenant').select(['id', 'name']));
    const names = new Map(tenants.map(({ id, name }) => [id, name]));
    const heads = await executor.query(
      tables.selectFrom('audit_head').select(['tenant_id', 'carried']),
    );
    const carried = new Map(heads.map((head) => [head.tenant_id, Number(head.carried)]));
    const created = new Date().toISOString();
    for (const tenantId of new Set([...names.keys(), ...carried.keys()])) {
      const id = randomUUID().replaceAll('-', '');
      const target = names.get(tenantId) ?? tenantId;
      const event = originEvent(target, carried.get(tenantId) ?? 0, { id, created });
      await recordAuditEvents({ addDynamicFields, appendAuditEvents }, tenantId, [event]);
    }
  },
};
