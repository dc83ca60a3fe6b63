// Verifies the preconditions of all audit trails: the database prevents changes of events, and the
// tenant of each trail exists.
import type { AuditRecords } from '../ports/audit-records.ts';
import type { Records } from '../ports/store.ts';

/**
 * Returns the faults, one sentence each. Read-only, also safe while the server runs.
 * @throws ServiceError `unavailable`
 */
export async function verifyAuditDatabase(
  records: AuditRecords & Pick<Records, 'tenants'>,
): Promise<readonly string[]> {
  const faults = [...(await records.auditProtectionFaults())];
  // In this order, so that a tenant created meanwhile counts as existing.
  const auditedIds = await records.auditTenants();
  const existing = new Set((await records.tenants()).map(({ id }) => id));
  for (const id of auditedIds) {
    if (existing.has(id)) continue;
    faults.push(`the tenant ${id} was removed, but has an audit trail: restore it from a backup`);
  }
  return faults;
}
