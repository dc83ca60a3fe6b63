// The session in the sessionStorage of a tab, so that it survives a reload. The time of the last use
// is in the localStorage, since use of one tab continues the session of all, and so are the sessions
// that have ended: a tab that shows another page then still has their token.
// Invariant: tokens are in a storage that ends with the tab; no client secret and no refresh token.
import { type Session, type SessionDetails, sessionOf } from './claims.ts';

const TOKEN = 'cardea.token';
const DETAILS = 'cardea.session';
const LIMIT = 'cardea.limit';
const SEEN_VIEW = 'cardea.seen-view';
const USE = 'cardea.last-use';
const ENDED = 'cardea.ended';
/** Sessions that are remembered after their end. */
const ENDED_MAX = 100;

/** A session that the user or a limit ended. */
interface EndedSession {
  /** Epoch milliseconds of the sign-in, which identify the session. */
  readonly since: number;
  readonly byLimit: boolean;
}

/** The stored session; null if there is none, its token has expired, or it was ended in another tab. */
export function storedSession(): Session | null {
  const token = sessionStorage.getItem(TOKEN);
  const stored = token === null ? null : sessionOf(token, storedDetails());
  if (stored === null) return null;
  const ended = endedSessions().find(({ since }) => since === stored.details.since);
  if (ended?.byLimit === true) storeLimit();
  if (ended !== undefined || stored.expiresAt <= Date.now()) {
    removeStoredSession();
    return null;
  }
  storeSession(stored);
  if (localStorage.getItem(USE) === null) storeUse(Date.now());
  return stored;
}

/**
 * A view that the user looks through, with a short-lived credential of their own that it restricts.
 * Other tabs keep the session as it is.
 */
export interface SeenView {
  readonly view: string;
  readonly token: string;
  /** Id of the personal access token. */
  readonly credentialId: string;
}

/** The view that the user looks through in this tab; null: none. */
export function storedSeenView(): SeenView | null {
  const text = sessionStorage.getItem(SEEN_VIEW);
  return text === null ? null : (JSON.parse(text) as SeenView);
}

/** @param seen null: none any more */
export function storeSeenView(seen: SeenView | null): void {
  if (seen === null) sessionStorage.removeItem(SEEN_VIEW);
  else sessionStorage.setItem(SEEN_VIEW, JSON.stringify(seen));
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

/** Remembers the end of a session for tabs that show another page. */
export function storeEnd({ since }: SessionDetails, byLimit: boolean): void {
  const others = endedSessions().filter((one) => one.since !== since);
  const latest = [...others, { since, byLimit }].slice(-ENDED_MAX);
  localStorage.setItem(ENDED, JSON.stringify(latest));
}

function endedSessions(): readonly EndedSession[] {
  return JSON.parse(localStorage.getItem(ENDED) ?? '[]') as EndedSession[];
}

function storedDetails(): SessionDetails {
  const text = sessionStorage.getItem(DETAILS);
  if (text === null) return { since: Date.now(), person: null, views: null };
  return JSON.parse(text) as SessionDetails;
}
