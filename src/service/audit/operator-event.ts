// Records changes that a local operator makes to the data of all tenants, in each tenant's audit
// trail.
import { randomBytes } from 'node:crypto';
import { newId } from '../../auth/secrets.ts';
import type { WritableRecords } from '../ports/store.ts';
import { type AuditEvent, LOCAL_OPERATOR, recordAuditEvent } from './audit-event.ts';

/** A change that affects all tenants. */
export interface OperatorChange
  extends Pick<AuditEvent, 'action' | 'operation' | 'target' | 'attributes'> {
  /** The changed object, in upper case with `_`, e.g. `SIGNING_KEY`. */
  readonly object: string;
  /** Group of events; `SYSTEM_CONFIG` when omitted. */
  readonly type?: string;
  /** ISO 8601 with milliseconds. */
  readonly created: string;
}

/** Appends one event to the audit trail of every tenant, in the caller's transaction. */
export async function recordOperatorChange(
  records: WritableRecords,
  { object, ...change }: OperatorChange,
): Promise<void> {
  for (const { id } of await records.tenants()) {
    await recordAuditEvent(records, id, {
      ...change,
      id: newId(randomBytes),
      actor: LOCAL_OPERATOR,
      status: 'PASSED',
      technicalName: `${object}_${change.operation}_PASSED`,
    });
  }
}
