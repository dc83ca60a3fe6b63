// Audit events of auth users that an import created or changed, and the attributes of every auth
// user event.
import {
  type AuditActor,
  type AuditEvent,
  type AuditValue,
  changeAttributes,
} from '../audit/audit-event.ts';
import type { AuthUser } from '../ports/store.ts';

/** The attributes of an auth user event: id, changed members, and capabilities if they changed. */
export function authUserAttributes(
  before: AuthUser | null,
  after: AuthUser,
): Readonly<Record<string, AuditValue>> {
  const change = changeAttributes(before === null ? null : { ...before }, { ...after });
  const capabilitiesChanged =
    JSON.stringify(before?.capabilities) !== JSON.stringify(after.capabilities);
  return {
    targetId: after.id,
    ...change,
    ...(capabilitiesChanged
      ? {
          capabilitiesBefore: before?.capabilities ?? [],
          capabilitiesAfter: after.capabilities,
        }
      : {}),
  };
}

/**
 * The event of an auth user that an import created or changed.
 * @param at id and creation time, ISO 8601 with milliseconds
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
