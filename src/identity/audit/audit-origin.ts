// The event with which a tenant's trail states how many of its first events were written before there was a hash chain. A
// trail that was never without a chain has no such event, and states none.
// Invariant: the statement is part of the chain, so a recorded number that differs from it was changed.
import { type AuditEvent, LOCAL_OPERATOR } from './audit-event.ts';

const ACTION = 'ChainAuditTrail';
/** How the action stands in the text of an event: a cheap test before the text is parsed. */
const ACTION_TEXT = `"action":"${ACTION}"`;

/**
 * The event of a trail whose first `carried` events were chained afterwards.
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
    action: ACTION,
    operation: 'CHAIN',
    status: 'PASSED',
    technicalName: 'AUDIT_TRAIL_CHAIN_PASSED',
    attributes: { carriedEvents: carried },
  };
}

/** The number that the text of an event states; null: it is another event. */
export function carriedOf(text: string): number | null {
  if (!text.includes(ACTION_TEXT)) return null;
  const event = JSON.parse(text) as {
    readonly action?: unknown;
    readonly attributes?: { readonly carriedEvents?: unknown };
  };
  const carried = event.attributes?.carriedEvents;
  return event.action === ACTION && typeof carried === 'number' ? carried : null;
}
