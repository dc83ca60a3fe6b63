// The session in the sessionStorage of a tab, so that it survives a reload. The time of the last use
// is in the localStorage, since use of one tab continues the session of all.
// Invariant: the token is in a storage that ends with the tab; no client secret and no refresh token.
import { type Session, type SessionDetails, sessionOf } from './claims.ts';

const TOKEN = 'cardea.token';
const DETAILS = 'cardea.session';
const LIMIT = 'cardea.limit';
const USE = 'cardea.last-use';

/** The stored session; null if there is none or its token has expired. */
export function storedSession(): Session | null {
  const token = sessionStorage.getItem(TOKEN);
  const stored = token === null ? null : sessionOf(token, storedDetails());
  if (stored === null || stored.expiresAt <= Date.now()) return null;
  storeSession(stored);
  if (localStorage.getItem(USE) === null) storeUse(Date.now());
  return stored;
}

export function storeSession({ token, details }: Session): void {
  sessionStorage.setItem(TOKEN, token);
  sessionStorage.setItem(DETAILS, JSON.stringify(details));
}

export function removeStoredSession(): void {
  sessionStorage.removeItem(TOKEN);
  sessionStorage.removeItem(DETAILS);
}

/** When the session was last used in any tab, in epoch milliseconds. */
export function lastUse(): number {
  return Number(localStorage.getItem(USE) ?? Date.now());
}

/** @param at epoch milliseconds */
export function storeUse(at: number): void {
  localStorage.setItem(USE, String(at));
}

/** True if a limit ended the last session of the tab. */
export function endedByLimit(): boolean {
  return sessionStorage.getItem(LIMIT) !== null;
}

export function storeLimit(): void {
  sessionStorage.setItem(LIMIT, 'true');
}

export function forgetLimit(): void {
  sessionStorage.removeItem(LIMIT);
}

function storedDetails(): SessionDetails {
  const text = sessionStorage.getItem(DETAILS);
  if (text === null) return { since: Date.now(), person: null };
  return JSON.parse(text) as SessionDetails;
}
