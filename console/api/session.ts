// The session of the tab. The token is stored in sessionStorage only, and the client secret
// nowhere. The session ends when the token expires or the service rejects it.
import { Cell } from './cell.ts';
import { type Session, sessionOf } from './claims.ts';

const KEY = 'cardea.token';
/** The maximum delay of setTimeout. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;
let timer: ReturnType<typeof setTimeout> | undefined;

/** The session; null: signed out. */
export const session = new Cell<Session | null>(storedSession());
/** Why the last session ended, for the sign-in page; null: the user signed out. */
export const endReason = new Cell<string | null>(null);

/** Starts a session. @returns false if the text is not a token or it has expired */
export function startSession(token: string): boolean {
  const started = sessionOf(token);
  if (started === null || started.expiresAt <= Date.now()) return false;
  sessionStorage.setItem(KEY, started.token);
  endReason.set(null);
  session.set(started);
  scheduleEnd(started);
  return true;
}

/** Ends the session. @param why null: the user signed out */
export function endSession(why: string | null): void {
  clearTimeout(timer);
  sessionStorage.removeItem(KEY);
  endReason.set(why);
  session.set(null);
}

function storedSession(): Session | null {
  const token = sessionStorage.getItem(KEY);
  const stored = token === null ? null : sessionOf(token);
  if (stored === null || stored.expiresAt <= Date.now()) return null;
  scheduleEnd(stored);
  return stored;
}

function scheduleEnd({ expiresAt }: Session): void {
  clearTimeout(timer);
  const wait = Math.min(expiresAt - Date.now(), LONGEST_WAIT_MS);
  timer = setTimeout(() => {
    if (expiresAt <= Date.now()) endSession('Your session has expired. Sign in again to continue.');
  }, wait);
}
