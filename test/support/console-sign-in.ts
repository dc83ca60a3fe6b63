// Signing in to the console on a page that searches, and signing out.
import type { Page } from 'playwright-core';
import type { RunningService } from './service.ts';

/** Signs in with the client credentials of the administrator. */
export async function signInWithSecret(
  page: Page,
  { clientId, clientSecret }: RunningService,
): Promise<void> {
  await page.getByLabel('Client ID').fill(clientId);
  await page.getByLabel('Client secret').fill(clientSecret);
  await submitSignIn(page);
}

/** Sends the filled form, and waits for the rows of the search. */
export async function submitSignIn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('.rows-all .row').first().waitFor();
}

/** Signs the administrator out. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'test.admin' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to Cardea' }).waitFor();
}
