// The audit events of profile management: one for each changed record, or one for all where a bulk call changed more
// than EVENTS_MAX.
import { randomUUID } from 'node:crypto';
import type { Caller } from '../../auth/caller.ts';
import { recordAuditEvent } from '../audit-event.ts';
import type { WritableRecords } from '../store.ts';

/** Most events of one call. */
export const EVENTS_MAX = 100;

/** What was done to which kind of record. */
export interface Change {
  readonly operation: 'CREATE' | 'MODIFY' | 'DELETE';
  /** The kind in title case, e.g. `Profile Type`. */
  readonly title: string;
  /** ISO 8601 with milliseconds. */
  readonly at: string;
  /** The job that did it, where it was one. */
  readonly jobId?: string;
}

/** Writes the events in the transaction of the change. */
export async function recordChanges(
  records: WritableRecords,
  caller: Caller,
  { operation, title, at, jobId }: Change,
  changed: readonly { readonly id: string; readonly name: string }[],
): Promise<void> {
  const actorId = caller.identityId ?? caller.clientId;
  const shared = {
    created: at,
    actor: caller.userName ?? caller.clientId,
    action: `${operation[0]}${operation.slice(1).toLowerCase()}${title.replaceAll(' ', '')}`,
    operation,
    status: 'PASSED',
    technicalName: `${title.replaceAll(' ', '_').toUpperCase()}_${operation}_PASSED`,
    type: 'PROFILE_MANAGEMENT',
  } as const;
  const attributes = { actorId, ...(jobId === undefined ? {} : { jobId }) };
  const event = (target: string, more: Readonly<Record<string, string | number>>) =>
    recordAuditEvent(records, caller.tenantId, {
      ...shared,
      id: randomUUID().replaceAll('-', ''),
      target,
      attributes: { ...attributes, ...more },
    });
  if (changed.length > EVENTS_MAX) {
    await event(title, { count: changed.length });
    return;
  }
  for (const { id, name } of changed) await event(name, { targetId: id });
}
