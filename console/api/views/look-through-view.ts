// Looking through a view: a personal access token of the user's own that the view restricts stands in
// for the session in this tab. It ends after an hour; leaving the view deletes it.
import { createToken, deleteToken } from '../admin-api.ts';
import { requestToken } from '../client.ts';
import { ownSession, seenView, showSeenView } from '../session.ts';

/** Longest time that somebody looks through a view. */
const LONGEST_LOOK_MS = 3_600_000;

/** Shows the console as a user who is restricted to the view sees it. @throws ApiFault */
export async function lookThrough(view: string): Promise<void> {
  const own = ownSession.get();
  if (own === null) return;
  const now = Date.now();
  const { id, secret } = await createToken({
    // A user has each name once.
    name: `Console through ${view}, ${new Date(now).toISOString()}`,
    scope: own.scopes,
    view,
    expirationDate: new Date(Math.min(now + LONGEST_LOOK_MS, own.expiresAt)).toISOString(),
  });
  const token = await requestToken(id, secret);
  // The user may have signed out meanwhile.
  if (ownSession.get()?.token === own.token) showSeenView({ view, token, credentialId: id });
}

/** Shows the console with the rights of the session again. */
export function leaveView(): void {
  const seen = seenView.get();
  if (seen === null) return;
  showSeenView(null);
  // Where this fails, the token ends by itself within the hour.
  deleteToken(seen.credentialId).catch(() => {});
}
