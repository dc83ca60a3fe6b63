// What the signed-in user may do, by the claims of the token and the access table of the service.
// It decides what the console offers; the service decides by the current rights.
import { mayDo, type Operation } from '../../src/auth/access.ts';
import type { Session } from './claims.ts';

/** True if the token of a session grants an operation. */
export function mayUser(session: Session | null, operation: Operation): boolean {
  if (session === null) return false;
  return mayDo(
    { identityId: session.identityId, capabilities: session.levels, scopes: session.scopes },
    operation,
  );
}
