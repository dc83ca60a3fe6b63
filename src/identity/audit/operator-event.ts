// What an operator changes at the machine in the data of all tenants at once, written to the trail of each.
import { randomBytes } from 'node:crypto';
import { newId } from '../../auth/secrets.ts';
import type { WritableRecords } from '../ports/store.ts';
import { type AuditEvent, LOCAL_OPERATOR, recordAuditEvent } from './audit-event.ts';

/** A change of all tenants. */
export interface OperatorChange
  extends Pick<AuditEvent, 'action' | 'operation' | 'target' | 'attributes'> {
  /** What was changed, in upper case with `_`, e.g. `SIGNING_KEY`. */
  readonly object: string;
  /** Group of events; `SYSTEM_CONFIG` when left out. */
  readonly type?: string;
  /** ISO 8601 with milliseconds. */
  readonly created: string;
}

/** Appends one event to the trail of every tenant, in the caller's transaction. */
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
