// The session of the browser: shared by the tabs that are open, and gone with the last of them. The
// token is in the sessionStorage of each tab, the client secret nowhere. A new tab requests the
// token from the open ones. The session ends when the token expires and is not renewed, when the
// service rejects it, when a tab signs out, and after the limits of the settings, of which it warns.
// Invariant: nothing secret is in a storage that outlives the tabs.

import { durationText } from '../model/amount.ts';
import { Cell } from '../model/cell.ts';
import { type ProviderUser, type Session, type SessionDetails, sessionOf } from './claims.ts';
import { type Ending, endingOf } from './session-ending.ts';
import { isWaitingForSettings, settings } from './settings.ts';
import {
  endedByLimit,
  forgetLimit,
  lastUse,
  removeStoredSession,
  type SeenView,
  storedSeenView,
  storedSession,
  storeEnd,
  storeLimit,
  storeSeenView,
  storeSession,
  storeUse,
} from './stored-session.ts';
import { type Message, type Port, TabChannel } from './tab-channel.ts';

/** The maximum delay of setTimeout. */
export const LONGEST_WAIT_MS = 2 ** 31 - 1;
const EXPIRED = 'Your session has expired. Sign in again to continue.';
const LIMITS_CHECK_MS = 15_000;
/** How long a new tab waits for the token of another one before it shows the sign-in page. */
const HAND_OVER_MS = 400;
/** Activity is stored at most this often. */
const USE_STEP_MS = 1_000;
let timer: ReturnType<typeof setTimeout> | undefined;
/** Epoch milliseconds: when this tab received the token. */
let tokenSince = Date.now();

/** Why the last session ended, for the sign-in page; null: the user signed out. */
export const endReason = new Cell<string | null>(null);
/** The session that the user signed in to; null: signed out. */
export const ownSession = new Cell<Session | null>(storedSession());
/** The view that the user looks through in this tab; null: none. */
export const seenView = new Cell<SeenView | null>(
  ownSession.get() === null ? null : storedSeenView(),
);
/** What pages use: the session, restricted by the view that the user looks through. */
export const session = new Cell<Session | null>(effectiveSession());
/** How the session is about to end; null: it is not. */
export const ending = new Cell<Ending | null>(null);
/** True while a new tab waits for the token of another one. */
export const isJoining = new Cell(ownSession.get() === null);
/**
 * A busy tab may hand the token over after the sign-in page was shown, but not after an end, and not
 * while the user fills in that page.
 */
let mayJoin = isJoining.get();
/** True after a limit ended the session: the user must then prove again who they are. */
export const isAfterLimit = new Cell(endedByLimit());

// The path keeps two services behind one host from exchanging tokens.
const { pathname } = new URL('../', document.baseURI);
const broadcast = new BroadcastChannel(`cardea.session ${pathname}`);
const port: Port = {
  post: (message) => broadcast.postMessage(message),
  listen: (receive) => {
    broadcast.onmessage = ({ data }: MessageEvent<Message>) => receive(data);
  },
};
const channel = new TabChannel(port, {
  held: () => ownSession.get(),
  onToken(token, details) {
    if (ownSession.get() === null && mayJoin) begin(token, details);
    isJoining.set(false);
  },
  onRenewal(old, token, details) {
    if (ownSession.get()?.token === old) begin(token, details);
  },
  onEnd({ token, since, why, byLimit }) {
    // A busy tab may still hand the ended token over.
    const current = ownSession.get();
    if (current === null) stopJoining();
    // This tab may have renewed the token at the same moment.
    const isEnded =
      current?.token === token || (isForGood(why, byLimit) && current?.details.since === since);
    if (!isEnded) return;
    if (byLimit) noteLimit();
    end(why ?? 'You signed out in another tab.');
  },
});

/** Requests the token from other tabs, and from now on ends the session at its limits; called once. */
export function followSession(): void {
  if (isJoining.get()) {
    channel.request();
    setTimeout(() => isJoining.set(false), HAND_OVER_MS);
  }
  for (const event of ['pointerdown', 'keydown', 'wheel', 'touchstart'])
    addEventListener(event, noteUse, { capture: true, passive: true });
  // A timer of an hour stops while a computer sleeps, so the clock is compared instead.
  setInterval(checkLimits, LIMITS_CHECK_MS);
  document.addEventListener('visibilitychange', checkLimits);
  ownSession.watch(showEnding);
  ownSession.watch(() => {
    if (ownSession.get() === null) showSeenView(null);
    session.set(effectiveSession());
  });
  seenView.watch(() => session.set(effectiveSession()));
  settings.watch(applyLimits);
  isWaitingForSettings.watch(applyLimits);
}

/**
 * Starts a session.
 * @param person the user of a token of the OpenID provider
 * @returns false if the text is not a token or it has expired
 */
export function startSession(token: string, person: ProviderUser | null = null): boolean {
  const since = Date.now();
  storeUse(since);
  forgetLimit();
  isAfterLimit.set(false);
  return begin(token, { since, person, views: person?.views ?? null });
}

/** Replaces the token of a session in every tab; the session stays as old as it is. */
export function renewSession(old: Session, token: string, person: ProviderUser): void {
  const details = { ...old.details, person, views: person.views };
  if (ownSession.get()?.token !== old.token || !begin(token, details)) return;
  channel.renew(old.token, token, details);
}

/** Notes which views restrict the session of a token, which may change at any time. */
export function noteViews(token: string, views: readonly string[]): void {
  const current = ownSession.get();
  if (current === null || current.token !== token) return;
  if (JSON.stringify(current.views) === JSON.stringify(views)) return;
  const changed = { ...current, views, details: { ...current.details, views } };
  storeSession(changed);
  ownSession.set(changed);
}

/** Looks through a view in this tab. @param seen null: not any more */
export function showSeenView(seen: SeenView | null): void {
  storeSeenView(seen);
  seenView.set(seen);
}

/** Ends what a token stood for that the service refused: the session, or the look through a view. */
export function endRefused(token: string | undefined): void {
  if (token === undefined) return;
  if (seenView.get()?.token === token) showSeenView(null);
  else if (ownSession.get()?.token === token) endSession(EXPIRED);
}

/** Takes no token of another tab from now on. */
export function stopJoining(): void {
  mayJoin = false;
}

/** Ends the session in every tab. @param why null: the user signed out */
export function endSession(why: string | null): void {
  endEverywhere(why, false);
}

function endEverywhere(why: string | null, byLimit: boolean): void {
  const current = ownSession.get();
  end(why);
  if (current === null) return;
  const { token, details } = current;
  channel.end({ token, since: details.since, why, byLimit });
  if (isForGood(why, byLimit)) storeEnd(details, byLimit);
}

/** True if the user or a limit ended a session; false: its token is not accepted any more. */
function isForGood(why: string | null, byLimit: boolean): boolean {
  return why === null || byLimit;
}

function effectiveSession(): Session | null {
  const [own, seen] = [ownSession.get(), seenView.get()];
  if (own === null || seen === null || own.views === null) return own;
  return { ...own, token: seen.token, views: [...own.views, seen.view] };
}

function begin(token: string, details: SessionDetails): boolean {
  const started = sessionOf(token, details);
  if (started === null || started.expiresAt <= Date.now()) return false;
  storeSession(started);
  tokenSince = Date.now();
  endReason.set(null);
  ownSession.set(started);
  scheduleEnd();
  return true;
}

function end(why: string | null): void {
  clearTimeout(timer);
  stopJoining();
  removeStoredSession();
  endReason.set(why);
  ownSession.set(null);
}

function endAfterLimit(why: string): void {
  noteLimit();
  endEverywhere(why, true);
}

/** A reload does not forget it. */
function noteLimit(): void {
  storeLimit();
  isAfterLimit.set(true);
}

function noteUse(): void {
  // The first use after the limit does not continue the session.
  endIfIdle();
  if (ownSession.get() === null || isWaitingForSettings.get()) return;
  const now = Date.now();
  if (Math.abs(now - lastUse()) < USE_STEP_MS) return;
  storeUse(now);
  showEnding();
}

/** After a reload the limits are unknown until the settings have arrived. */
function applyLimits(): void {
  checkLimits();
  scheduleEnd();
}

function checkLimits(): void {
  endIfIdle();
  showEnding();
}

function showEnding(): void {
  const current = ownSession.get();
  if (current === null || isWaitingForSettings.get()) {
    ending.set(null);
    return;
  }
  const { idleSeconds, sessionSeconds } = settings.get();
  const { expiresAt, details } = current;
  const [used, since] = [lastUse(), details.since];
  const limits = {
    idle: { from: used, to: used + idleSeconds * 1_000 },
    longest: { from: since, to: since + sessionSeconds * 1_000 },
    // Only a token that can be renewed may be younger than the session.
    token: { from: details.person === null ? since : tokenSince, to: expiresAt },
    mayRenew: details.person !== null,
  };
  ending.set(endingOf(limits, Date.now()));
}

function endIfIdle(): void {
  const current = ownSession.get();
  const { idleSeconds } = settings.get();
  if (current === null || isWaitingForSettings.get()) return;
  if (Date.now() - lastUse() < idleSeconds * 1_000) return;
  endAfterLimit(`You were signed out after ${durationText(idleSeconds)} without activity.`);
}

/** Ends the session when its token expires, or at the longest time from the sign-in on. */
function scheduleEnd(): void {
  clearTimeout(timer);
  const current = ownSession.get();
  if (current === null || isWaitingForSettings.get()) return;
  const { sessionSeconds } = settings.get();
  const limit = current.details.since + sessionSeconds * 1_000;
  const wait = Math.min(current.expiresAt, limit) - Date.now();
  timer = setTimeout(
    () => {
      if (limit <= Date.now()) {
        endAfterLimit(`You were signed out after ${durationText(sessionSeconds)}.`);
      } else if (current.expiresAt <= Date.now()) endSession(EXPIRED);
      else scheduleEnd();
    },
    Math.min(Math.max(wait, 0), LONGEST_WAIT_MS),
  );
}
