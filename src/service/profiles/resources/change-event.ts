// The audit events of profile management: one for each changed record, or a single one if a bulk
// call changed more than EVENTS_MAX.
import type { Caller } from '../../../auth/caller.ts';
import { PROFILE_OBJECTS, type ProfileTitle } from '../../../query/mapping/event-names.ts';
import {
  type AuditValue,
  actorOf,
  changeAttributes,
  recordAuditEvent,
} from '../../audit/audit-event.ts';
import type { WritableRecords } from '../../ports/store.ts';

/** Most events of one call. */
export const EVENTS_MAX = 100;

/** The operation, the kind of record and the time of a change. */
export interface Change {
  readonly operation: 'CREATE' | 'MODIFY' | 'DELETE';
  /** The kind in title case, e.g. `Profile Type`. */
  readonly title: ProfileTitle;
  /** ISO 8601 with milliseconds. */
  readonly at: string;
  /** The job that made the change, if any. */
  readonly jobId?: string;
}

/**
 * A record before and after the change; `before` is null for a new one, `after` for a deleted one.
 */
export interface ChangedRecord {
  readonly id: string;
  readonly name: string;
  readonly before: object | null;
  readonly after: object | null;
  /**
   * Uids of attributes whose values changed. The values are not recorded: they are personal data,
   * and nothing can be erased from the trail.
   */
  readonly attributes?: readonly string[];
}

/** Times that every change updates and that the event has anyway. */
const TIMES: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'created_at', 'updated_at']);

/** Writes the events in the transaction of the change. */
export async function recordChanges(
  records: WritableRecords,
  caller: Caller,
  { operation, title, at, jobId }: Change,
  changed: readonly ChangedRecord[],
): Promise<void> {
  const context = { actor: actorOf(caller), now: at };
  const act = `${PROFILE_OBJECTS[title]}_${operation}` as const;
  const attributes = jobId === undefined ? {} : { jobId };
  const event = (target: string, more: Readonly<Record<string, AuditValue>>) =>
    recordAuditEvent(records, caller.tenantId, context, {
      ...{ act, target },
      attributes: { ...attributes, ...more },
    });
  if (changed.length > EVENTS_MAX) {
    await event(title, { count: changed.length });
    return;
  }
  for (const { id, name, before, after, attributes: uids = [] } of changed) {
    const states = changeAttributes(withoutTimes(before), withoutTimes(after));
    const members = states['changed'] as readonly string[];
    const values = uids.map((uid) => `attributes.${uid}`);
    await event(name, { targetId: id, ...states, changed: [...members, ...values] });
  }
}

function withoutTimes(members: object | null): Readonly<Record<string, unknown>> | null {
  if (members === null) return null;
  return Object.fromEntries(Object.entries(members).filter(([name]) => !TIMES.has(name)));
}
