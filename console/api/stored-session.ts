// The session in the sessionStorage of a tab, so that it survives a reload.
// Invariant: a storage that ends with the tab; no client secret and no refresh token.
import { type Session, type SessionDetails, sessionOf } from './claims.ts';

const TOKEN = 'cardea.token';
const DETAILS = 'cardea.session';
const LIMIT = 'cardea.limit';

/** The stored session; null if there is none or its token has expired. */
export function storedSession(): Session | null {
  const token = sessionStorage.getItem(TOKEN);
  const stored = token === null ? null : sessionOf(token, storedDetails());
  if (stored === null || stored.expiresAt <= Date.now()) return null;
  storeSession(stored);
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
