// Sessions of users who signed in with the OpenID provider: begins and finishes the sign-in, renews
// the access token while the page is open, and signs out at the provider, too.
// Invariant: refresh token and ID token are in the memory of the tab that signed in, nowhere else. So
// no two tabs use the same refresh token, which many providers accept once.

import { readUserInfo } from '../api/client.ts';
import { ApiFault, asFault } from '../api/fault.ts';
import { renewalWait, retryWait } from '../api/renewal-time.ts';
import {
  endReason,
  endSession,
  isAfterLimit,
  isJoining,
  LONGEST_WAIT_MS,
  ownSession,
  renewSession,
  startSession,
} from '../api/session.ts';
import { loadSettings, type OpenIdSettings, settings } from '../api/settings.ts';
import { leaveView } from '../api/views/look-through-view.ts';
import { Cell } from '../model/cell.ts';
import { replacePage } from '../ui/route.ts';
import type { ProviderClient, ProviderTokens } from './provider-client.ts';
import {
  GrantRefused,
  ProviderFault,
  refusedToken,
  type SignInFault,
  strangeAnswer,
  unknownUser,
} from './provider-fault.ts';
import { keepFlow, takeFlow } from './provider-flow.ts';

/** Why the last sign-in with the provider failed; null: it did not, or there was a later sign-in. */
export const signInFault = new Cell<SignInFault | null>(null);

/** The tokens of this tab's sign-in; null: another tab signed in, or the session has ended. */
let tokens: ProviderTokens | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

ownSession.watch(scheduleRenewal);
ownSession.watch(() => {
  if (ownSession.get() !== null) signInFault.set(null);
});

/**
 * Leaves for the provider; sets `signInFault` if that fails.
 * @param isFresh the provider must ask who the user is
 */
export async function beginSignIn(client: OpenIdSettings, isFresh: boolean): Promise<void> {
  signInFault.set(null);
  try {
    const provider = await load(client);
    const prepared = await provider.prepare(location.hash, isFresh || isAfterLimit.get());
    keepFlow(prepared.flow, sessionStorage);
    location.assign(prepared.address);
  } catch (error) {
    signInFault.set(faultOf(error));
  }
}

/** Finishes the sign-in whose answer is in the address, and returns to the page it began at. */
export async function finishSignIn(): Promise<void> {
  const answer = new URL(location.href);
  const flow = takeFlow(sessionStorage);
  // The code leaves the address before it is exchanged.
  replacePage(flow?.hash ?? '');
  try {
    await loadSettings();
    const client = settings.get().openid;
    if (flow === null || client === null) throw strangeAnswer();
    const provider = await load(client);
    const issued = await provider.complete(answer, flow);
    const person = await readUserInfo(issued.accessToken).catch((error: unknown) => {
      throw error instanceof ApiFault && error.kind === 'signed-out'
        ? refusedToken(error.message)
        : error;
    });
    if (person.identityId === null || person.levels.length === 0) {
      throw unknownUser(person.userName, person.identityId);
    }
    tokens = issued;
    if (!startSession(issued.accessToken, person)) throw refusedToken('The token has expired.');
  } catch (error) {
    signInFault.set(faultOf(error));
  }
  isJoining.set(false);
}

/** Signs out in every tab, and at the provider if the user signed in there. */
export async function signOut(): Promise<void> {
  const isProviders = (ownSession.get()?.details.person ?? null) !== null;
  const idToken = tokens?.idToken ?? null;
  const client = settings.get().openid;
  leaveView();
  endSession(null);
  if (!isProviders || client === null) return;
  try {
    const address = await (await load(client)).signOutAddress(idToken);
    if (address !== null) location.assign(address);
  } catch (error) {
    const { message } = faultOf(error);
    endReason.set(`You are signed out here, but perhaps not at the provider: ${message}`);
  }
}

function scheduleRenewal(): void {
  clearTimeout(timer);
  const current = ownSession.get();
  if (current === null || tokens?.accessToken !== current.token) {
    tokens = null;
    return;
  }
  if (tokens.refreshToken === null) return;
  const wait = renewalWait(current.expiresAt - Date.now());
  timer = setTimeout(() => void renew(0), Math.min(wait, LONGEST_WAIT_MS));
}

/**
 * Renews the access token. A refusal ends the session; any other failure is tried again until the
 * token expires.
 * @param failures the number of failed attempts before
 */
async function renew(failures: number): Promise<void> {
  const current = ownSession.get();
  const client = settings.get().openid;
  const refreshToken = tokens?.refreshToken ?? null;
  if (current === null || client === null || refreshToken === null) return;
  try {
    const renewed = await (await load(client)).renew(refreshToken);
    if (tokens === null || ownSession.get()?.token !== current.token) return;
    const idToken = renewed.idToken ?? tokens.idToken;
    // The provider may not accept the old refresh token again, whatever fails from here on.
    tokens = { ...tokens, refreshToken: renewed.refreshToken };
    const person = await readUserInfo(renewed.accessToken);
    if (ownSession.get()?.token !== current.token) return;
    tokens = { ...renewed, idToken };
    renewSession(current, renewed.accessToken, person);
  } catch (error) {
    if (!(error instanceof ProviderFault || error instanceof ApiFault)) throw error;
    if (ownSession.get()?.token !== current.token) return;
    if (isRefusal(error)) {
      endSession(
        `Your session could not be renewed. Sign in again to continue. Reason: ${error.message}`,
      );
      return;
    }
    const wait = retryWait(failures, current.expiresAt - Date.now());
    timer = setTimeout(() => void renew(failures + 1), wait);
  }
}

function isRefusal(fault: ProviderFault | ApiFault): boolean {
  return fault instanceof ApiFault ? fault.kind === 'signed-out' : fault instanceof GrantRefused;
}

async function load(client: OpenIdSettings): Promise<ProviderClient> {
  const { ProviderClient: Client } = await import('./provider-client.ts');
  return new Client(client);
}

function faultOf(error: unknown): SignInFault {
  if (error instanceof ProviderFault) return error.fault;
  return {
    title: 'The sign-in failed',
    message: asFault(error).message,
    advice: 'Try again in a moment.',
    isAboutUser: false,
  };
}
