// The audit event of an auth user that an import created or changed, and the attributes of every event about one.
import {
  type AuditActor,
  type AuditEvent,
  type AuditValue,
  changeAttributes,
} from '../audit/audit-event.ts';
import type { AuthUser } from '../ports/store.ts';

/** The attributes of an event about an auth user: the id, the members that differ, and the capabilities where they do. */
export function authUserAttributes(
  before: AuthUser | null,
  after: AuthUser,
): Readonly<Record<string, AuditValue>> {
  const change = changeAttributes(before === null ? null : { ...before }, { ...after });
  const regranted = JSON.stringify(before?.capabilities) !== JSON.stringify(after.capabilities);
  return {
    targetId: after.id,
    ...change,
    ...(regranted
      ? {
          capabilitiesBefore: before?.capabilities ?? [],
          capabilitiesAfter: after.capabilities,
        }
      : {}),
  };
}

/**
 * The event of one auth user that an import created or changed.
 * @param at its id, and ISO 8601 with milliseconds
 */
export function importedUserEvent(
  before: AuthUser | null,
  after: AuthUser,
  actor: AuditActor,
  at: { readonly id: string; readonly created: string },
): AuditEvent {
  const operation = before === null ? 'CREATE' : 'MODIFY';
  return {
    ...at,
    actor,
    target: after.uid,
    type: 'USER_MANAGEMENT',
    action: 'ImportAuthUsers',
    operation,
    status: 'PASSED',
    technicalName: `AUTH_USER_${operation}_PASSED`,
    attributes: authUserAttributes(before, after),
  };
}
