// Adds an event to every trail with the number of its events from before the chain. From now on every
// tenant has at least one event.
import { LOCAL_OPERATOR, recordAuditEvent } from '../../service/audit/audit-event.ts';
import { auditRecords } from '../records/audit-records.ts';
import { documentRecords } from '../records/document-records.ts';
import type { Migration } from '../sql/migration.ts';
import { tables } from '../sql/statement.ts';

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
    const context = { actor: LOCAL_OPERATOR, now: Date.now() };
    for (const tenantId of new Set([...names.keys(), ...carried.keys()])) {
      await recordAuditEvent({ addDynamicFields, appendAuditEvents }, tenantId, context, {
        act: 'AUDIT_TRAIL_CHAIN',
        target: names.get(tenantId) ?? tenantId,
        attributes: { carriedEvents: carried.get(tenantId) ?? 0 },
      });
    }
  },
};
