// Verifies what the audit trails of all tenants rest on: the database refuses changes of events, and each trail belongs to a
// tenant that is there.
import type { AuditRecords } from '../ports/audit-records.ts';
import type { Records } from '../ports/store.ts';

/**
 * What is wrong, one sentence each; empty where all is well. It only reads, also beside a running server.
 * @throws ServiceError `unavailable`
 */
export async function verifyAuditDatabase(
  records: AuditRecords & Pick<Records, 'tenants'>,
): Promise<readonly string[]> {
  const faults = [...(await records.auditProtectionFaults())];
  // In this order: a tenant that is created meanwhile is among those that are there.
  const audited = await records.auditTenants();
  const there = new Set((await records.tenants()).map(({ id }) => id));
  for (const id of audited) {
    if (there.has(id)) continue;
    faults.push(`the tenant ${id} was removed, but has an audit trail: restore it from a backup`);
  }
  return faults;
}
