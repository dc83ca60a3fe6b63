// When the console warns that the session is about to end, and whether using it continues the session.
import { renewalWait } from './renewal-time.ts';

/** How a session is about to end: `idle`, unless it is used; `final`, whatever the user does. */
export type Ending = 'idle' | 'final';

/** A limit of a session, in epoch milliseconds. */
export interface Limit {
  readonly from: number;
  readonly to: number;
}

/** The limits of a session. */
export interface SessionLimits {
  /** From the last use on. */
  readonly idle: Limit;
  /** From the sign-in on. */
  readonly longest: Limit;
  /** From when this tab received the token to when the token expires. */
  readonly token: Limit;
  /** True if this tab or another one may renew the token. */
  readonly mayRenew: boolean;
}

const LEAD_MS = 120_000;

/** How the session is about to end; null: it is not. */
export function endingOf(limits: SessionLimits, now: number): Ending | null {
  const { idle, longest, token, mayRenew } = limits;
  const tokenLeadMs = mayRenew ? overdueMs(token) : leadMs(token);
  if (longest.to - now <= leadMs(longest) || token.to - now <= tokenLeadMs) return 'final';
  return idle.to - now <= leadMs(idle) ? 'idle' : null;
}

/** How long before a limit the warning begins: two minutes, or a quarter of a short limit. */
function leadMs({ from, to }: Limit): number {
  return Math.min(LEAD_MS, (to - from) / 4);
}

/** The rest of a token's life in which its renewal is overdue: half of what is left when it is due. */
function overdueMs({ from, to }: Limit): number {
  return (to - from - renewalWait(to - from)) / 2;
}
