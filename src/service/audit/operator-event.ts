// Changes that a local operator makes, also those of the data of all tenants, which the trail of each
// tenant records.
import { randomBytes } from 'node:crypto';
import { type Clock, systemClock } from '../../auth/clock.ts';
import type { WritableRecords } from '../ports/store.ts';
import {
  type AuditContent,
  type ChangeContext,
  LOCAL_OPERATOR,
  recordAuditEvent,
} from './audit-event.ts';

/** A change that a local operator makes. */
export function byOperator(clock: Clock = systemClock): ChangeContext {
  return { now: clock.now(), random: randomBytes, actor: LOCAL_OPERATOR };
}

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
