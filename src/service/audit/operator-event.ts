// The local operator as a caller of use cases, and the changes that one makes, also those of the data
// of all tenants, which the trail of each tenant records.
import { randomBytes } from 'node:crypto';
import { ALL_SCOPES } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { ORG_ADMIN } from '../../auth/capabilities.ts';
import { type Clock, systemClock } from '../../auth/clock.ts';
import type { WritableRecords } from '../ports/store.ts';
import {
  type AuditContent,
  type ChangeContext,
  LOCAL_OPERATOR,
  recordAuditEvent,
} from './audit-event.ts';

/**
 * The operator at the command line as a caller, who may do everything, for good.
 * @param views what the operator looks through; null: none
 */
export function operatorOf(tenantId: string, views: Caller['views'] = null): Caller {
  const { name, id } = LOCAL_OPERATOR;
  const operator: Caller = {
    ...{ tenantId, views, current: async () => operator },
    ...{ identityId: id, userName: name, clientId: id, personalTokenId: null, tokenId: id },
    ...{ scopes: [ALL_SCOPES], capabilities: [ORG_ADMIN], ownerCapabilities: [] },
    credentialEnds: Number.POSITIVE_INFINITY,
  };
  return operator;
}

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
