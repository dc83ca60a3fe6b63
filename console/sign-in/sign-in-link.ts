// Signing in by a link that the service printed, such as `cardea demo` at its start. The code of the
// link works once; it leaves the address before it is exchanged.
import { redeemCode } from '../api/client.ts';
import { asFault } from '../api/fault.ts';
import { endReason, isJoining, session, startSession } from '../api/session.ts';
import { replace } from '../ui/route.ts';

/** Exchanges the code for a session, unless there is one, and shows the search page. */
export async function followLink(code: string): Promise<void> {
  replace('#/');
  if (session.get() !== null) return;
  try {
    startSession(await redeemCode(code));
  } catch (error) {
    endReason.set(`${asFault(error).message} Sign in with credentials, or restart the demo.`);
  }
  isJoining.set(false);
}
