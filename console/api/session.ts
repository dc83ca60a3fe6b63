// Who is signed in, for as long as the tab is open: the token is kept in sessionStorage and nowhere else, the secret
// it was got by not at all. A token that expires, or that the service does not take any more, ends the session.
import { Cell } from './cell.ts';
import { type Session, sessionOf } from './claims.ts';

const KEY = 'cardea.token';
/** The longest that setTimeout can wait. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;
let timer: ReturnType<typeof setTimeout> | undefined;

/** The session; null: nobody is signed in. */
export const session = new Cell<Session | null>(kept());
/** Why the last session ended, for the page that asks to sign in again; null: it was asked for. */
export const ending = new Cell<string | null>(null);

/** Begins a session. @returns false: the text is no token, or it has expired */
export function begin(token: string): boolean {
  const begun = sessionOf(token);
  if (begun === null || begun.expiresAt <= Date.now()) return false;
  sessionStorage.setItem(KEY, begun.token);
  ending.set(null);
  session.set(begun);
  endInTime(begun);
  return true;
}

/** Ends the session. @param why null: the person signed out */
export function end(why: string | null): void {
  clearTimeout(timer);
  sessionStorage.removeItem(KEY);
  ending.set(why);
  session.set(null);
}

function kept(): Session | null {
  const token = sessionStorage.getItem(KEY);
  const found = token === null ? null : sessionOf(token);
  if (found === null || found.expiresAt <= Date.now()) return null;
  endInTime(found);
  return found;
}

function endInTime({ expiresAt }: Session): void {
  clearTimeout(timer);
  const wait = Math.min(expiresAt - Date.now(), LONGEST_WAIT_MS);
  timer = setTimeout(() => {
    if (expiresAt <= Date.now()) end('Your session has ended. Sign in again to go on.');
  }, wait);
}
