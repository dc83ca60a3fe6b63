// The event in which an audit trail states how many of its first events predate its hash chain.
// Trails that always had a chain have no such event.
// Invariant: the statement is part of the chain, so a recorded number that differs was changed.
import { type AuditEvent, LOCAL_OPERATOR } from './audit-event.ts';

const ACTION = 'ChainAuditTrail';
/** The action as it appears in the text of an event: a cheap test before parsing. */
const ACTION_TEXT = `"action":"${ACTION}"`;

/**
 * The origin event of a trail whose first `carried` events were chained afterwards.
 * @param target name of the tenant
 * @param created ISO 8601 with milliseconds
 */
export function originEvent(
  target: string,
  carried: number,
  { id, created }: { readonly id: string; readonly created: string },
): AuditEvent {
  return {
    id,
    created,
    actor: LOCAL_OPERATOR,
    target,
    ...{ object: 'AUDIT_TRAIL', operation: 'CHAIN', action: ACTION },
    attributes: { carriedEvents: carried },
  };
}

/** The number stated in an origin event; null for other events. */
export function carriedOf(text: string): number | null {
  if (!text.includes(ACTION_TEXT)) return null;
  const event = JSON.parse(text) as {
    readonly action?: unknown;
    readonly attributes?: { readonly carriedEvents?: unknown };
  };
  const carried = event.attributes?.carriedEvents;
  return event.action === ACTION && typeof carried === 'number' ? carried : null;
}
