// Audit events of auth users that get or lose levels: the change, and one for each level that the
// vendor's events name, since alerts search by those names. And the attributes of every auth user event.
import { levelActs } from '../../query/mapping/event-names.ts';
import {
  type AuditContent,
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

/** The events of an auth user that an import created or changed. */
export function importedUserEvents(
  before: AuthUser | null,
  after: AuthUser,
  context: EventContext,
): readonly AuditEvent[] {
  const act = before === null ? 'AUTH_USER_IMPORT_NEW' : 'AUTH_USER_IMPORT_CHANGED';
  const content = {
    act,
    target: after.uid,
    attributes: authUserAttributes(before, after),
  } as const;
  return levelEvents(before, after, context, content);
}

/**
 * The event of a change, and one for each level that was granted or revoked with it.
 * @param content of the event of the change
 */
export function levelEvents(
  before: Pick<AuthUser, 'capabilities'> | null,
  after: Pick<AuthUser, 'id' | 'uid' | 'capabilities'>,
  context: EventContext,
  content: AuditContent,
): readonly AuditEvent[] {
  const levels = levelActs(before?.capabilities ?? [], after.capabilities);
  return [
    newEvent(context, content),
    ...levels.map(({ act, level }) => {
      const attributes = { targetId: after.id, capability: level };
      return newEvent(context, { act, target: after.uid, attributes });
    }),
  ];
}
