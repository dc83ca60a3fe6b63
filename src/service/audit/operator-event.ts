// Records changes that a local operator makes to the data of all tenants, in each tenant's audit
// trail.
import type { WritableRecords } from '../ports/store.ts';
import { type AuditContent, LOCAL_OPERATOR, recordAuditEvent } from './audit-event.ts';

/**
 * Appends one event to the audit trail of every tenant, in the caller's transaction.
 * @param now epoch milliseconds, or ISO 8601
 */
export async function recordOperatorChange(
  records: WritableRecords,
  now: number | string,
  content: AuditContent,
): Promise<void> {
  for (const { id } of await records.tenants()) {
    await recordAuditEvent(records, id, { actor: LOCAL_OPERATOR, now }, content);
  }
}
