// The session of the browser: shared by the tabs that are open, and gone with the last of them. The
// token is in the sessionStorage of each tab, the client secret nowhere. A new tab requests the
// token from the open ones. The session ends when the token expires, when the service rejects it,
// when a tab signs out, or without any use for an hour.
// Invariant: nothing secret is in a storage that outlives the tabs.
import { Cell } from './cell.ts';
import { type Session, sessionOf } from './claims.ts';
import { type Message, type Port, TabChannel } from './tab-channel.ts';

const KEY = 'cardea.token';
/** The maximum delay of setTimeout. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;
/** The session ends after this time without a key or click in any tab. */
export const IDLE_MS = 60 * 60_000;
const EXPIRED = 'Your session has expired. Sign in again to continue.';
const IDLE_CHECK_MS = 15_000;
/** How long a new tab waits for the token of another one. */
const HAND_OVER_MS = 400;
/** Activity is reported to other tabs at most this often. */
const REPORT_MS = 10_000;
let timer: ReturnType<typeof setTimeout> | undefined;
let lastUse = Date.now();
let lastReport = 0;

/** Why the last session ended, for the sign-in page; null: the user signed out. */
export const endReason = new Cell<string | null>(null);
/** The session; null: signed out. */
export const session = new Cell<Session | null>(storedSession());
/** True while a new tab waits for the token of another one. */
export const isJoining = new Cell(session.get() === null);

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
  token: () => session.get()?.token ?? null,
  onToken(token) {
    if (session.get() === null && isJoining.get()) startSession(token);
    isJoining.set(false);
  },
  onEnd(token, why) {
    if (session.get()?.token === token) end(why ?? 'You signed out in another tab.');
  },
  onUse() {
    lastUse = Date.now();
  },
});
if (isJoining.get()) {
  channel.request();
  setTimeout(() => isJoining.set(false), HAND_OVER_MS);
}
for (const event of ['pointerdown', 'keydown', 'wheel', 'touchstart'])
  addEventListener(event, noteUse, { capture: true, passive: true });
// A timer of an hour stops while a computer sleeps, so the clock is compared instead.
setInterval(endIfIdle, IDLE_CHECK_MS);
document.addEventListener('visibilitychange', endIfIdle);

/** Starts a session. @returns false if the text is not a token or it has expired */
export function startSession(token: string): boolean {
  const started = sessionOf(token);
  if (started === null || started.expiresAt <= Date.now()) return false;
  lastUse = Date.now();
  sessionStorage.setItem(KEY, started.token);
  endReason.set(null);
  session.set(started);
  scheduleEnd(started);
  return true;
}

/** Ends the session in every tab. @param why null: the user signed out */
export function endSession(why: string | null): void {
  const token = session.get()?.token;
  end(why);
  if (token !== undefined) channel.end(token, why);
}

function end(why: string | null): void {
  clearTimeout(timer);
  sessionStorage.removeItem(KEY);
  endReason.set(why);
  session.set(null);
}

function noteUse(): void {
  // The first use after an hour does not continue the session.
  endIfIdle();
  lastUse = Date.now();
  if (lastUse - lastReport < REPORT_MS) return;
  lastReport = lastUse;
  channel.use();
}

function endIfIdle(): void {
  const current = session.get();
  if (current === null || Date.now() - lastUse < IDLE_MS) return;
  const isExpired = current.expiresAt <= Date.now();
  endSession(isExpired ? EXPIRED : 'You were signed out after an hour without activity.');
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
    if (expiresAt <= Date.now()) endSession(EXPIRED);
  }, wait);
}
