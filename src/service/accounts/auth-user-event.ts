// Audit events of auth users that an import created or changed, and the attributes of every auth
// user event.
import {
  type AuditEvent,
  type AuditValue,
  changeAttributes,
  type EventContext,
  newEvent,
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

/** The event of an auth user that an import created or changed. */
export function importedUserEvent(
  before: AuthUser | null,
  after: AuthUser,
  context: EventContext,
): AuditEvent {
  return newEvent(context, {
    ...{ object: 'AUTH_USER', operation: before === null ? 'CREATE' : 'MODIFY' },
    ...{ action: 'ImportAuthUsers', target: after.uid, type: 'USER_MANAGEMENT' },
    attributes: authUserAttributes(before, after),
  });
}
