// The session of the console in several tabs: handed over, and ended in all of them.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { signInWithSecret, signOut } from '../../support/console-sign-in.ts';
import { type ConsoleWorld, startConsoleWorld } from '../../support/console-world.ts';
import { untilReads } from '../../support/eventually.ts';

let world: ConsoleWorld;
before(async () => {
  world = await startConsoleWorld();
});
after(() => world?.stop());
afterEach(() => world.endTest());

test('hands the session to a new tab, and ends it in all tabs', async () => {
  const first = await world.openSignedOut('/search/roles');
  await signInWithSecret(first, world.service);
  const second = await first.context().newPage();
  await second.goto(first.url().replace(/#.*/, '#/search/entitlements'));
  await second.locator('.tabs a[aria-current]', { hasText: 'Entitlements' }).waitFor();
  await second.locator('.rows-all .row').first().waitFor();
  await untilReads(() => second.evaluate('Object.keys(localStorage).join()'), 'cardea.last-use');
  await signOut(second);
  await first.getByText('You signed out in another tab').waitFor();
  await untilReads(() => first.evaluate('sessionStorage.length'), 0);
});

/** Signs in on a page that keeps its next message to the other tabs until `answer()` is called in it. */
async function busyTab(): Promise<Page> {
  const page = await world.openSignedOut('/search/roles');
  await signInWithSecret(page, world.service);
  await page.evaluate(`{
    const { postMessage } = BroadcastChannel.prototype;
    BroadcastChannel.prototype.postMessage = function (message) {
      globalThis.answer = () => postMessage.call(this, message);
    };
  }`);
  return page;
}

/** Opens the sign-in page in a new tab, which notes the kind of the last message that it received. */
async function waitingTab(first: Page): Promise<Page> {
  const page = await first.context().newPage();
  await page.goto(first.url());
  await page.getByRole('heading', { name: 'Sign in to Cardea' }).waitFor();
  // A channel receives a message after those of its page that were made before it.
  await page.evaluate(`{
    const later = new BroadcastChannel('cardea.session /');
    later.onmessage = ({ data }) => { globalThis.received = data.kind; };
  }`);
  return page;
}

test('takes the session of a busy tab after the sign-in page is shown, but not after an end', async () => {
  const first = await busyTab();
  const second = await waitingTab(first);
  await first.evaluate('answer()');
  await second.locator('.rows-all .row').first().waitFor();
  await signOut(second);
  await first.getByText('You signed out in another tab').waitFor();
  await second.evaluate('delete globalThis.received');
  await first.evaluate('answer()');
  await second.waitForFunction("globalThis.received === 'token'");
  await untilReads(() => second.evaluate('sessionStorage.length'), 0);
});

test('takes no session that ended while the tab waited for it', async () => {
  const first = await busyTab();
  const second = await waitingTab(first);
  const third = await waitingTab(first);
  const token = await first.evaluate("sessionStorage.getItem('cardea.token')");
  const end = JSON.stringify({ kind: 'end', token, since: 0, why: null, byLimit: false });
  await third.evaluate(`new BroadcastChannel('cardea.session /').postMessage(${end})`);
  await second.waitForFunction("globalThis.received === 'end'");
  await first.evaluate('answer()');
  await second.waitForFunction("globalThis.received === 'token'");
  await second.getByRole('heading', { name: 'Sign in to Cardea' }).waitFor();
  await untilReads(() => second.evaluate('sessionStorage.length'), 0);
});

test('keeps what is typed on the sign-in page when another tab hands its session over', async () => {
  const first = await busyTab();
  const second = await waitingTab(first);
  const field = second.getByLabel('Client ID');
  await field.fill('typed');
  await first.evaluate('answer()');
  await second.waitForFunction("globalThis.received === 'token'");
  await untilReads(() => second.evaluate('sessionStorage.length'), 0);
  assert.equal(await field.inputValue(), 'typed');
});

test('requires a new sign-in once every tab was closed', async () => {
  const first = await world.openSignedOut('/search/roles');
  await signInWithSecret(first, world.service);
  const url = first.url();
  const context = first.context();
  await first.close();
  const second = await context.newPage();
  await second.goto(url);
  await second.getByRole('heading', { name: 'Sign in to Cardea' }).waitFor();
});

const tokenIn = (page: Page) => page.evaluate("sessionStorage.getItem('cardea.token')");

test('ends a session for good in a tab that has renewed its token at the same moment', async () => {
  const first = await world.openSignedOut('/search/roles');
  await signInWithSecret(first, world.service);
  const second = await first.context().newPage();
  await second.goto(first.url());
  await second.locator('.rows-all .row').first().waitFor();
  const { since } = JSON.parse(
    String(await first.evaluate("sessionStorage.getItem('cardea.session')")),
  ) as { since: number };
  const end = { kind: 'end', token: 'replaced', since, byLimit: false };
  // A token that has expired ends no session that has a newer one.
  for (const why of ['It has expired.', null]) {
    const message = JSON.stringify({ ...end, why });
    await second.evaluate(`new BroadcastChannel('cardea.session /').postMessage(${message})`);
  }
  await first.getByText('You signed out in another tab').waitFor();
  await untilReads(() => first.evaluate('sessionStorage.length'), 0);
});

/** Opens two tabs of one session; the first one has left the console, where no message reaches it. */
async function tabThatLeft(): Promise<{ left: Page; open: Page; address: string }> {
  const left = await world.openSignedOut('/search/roles');
  const address = left.url();
  await left.clock.install();
  await signInWithSecret(left, world.service);
  const open = await left.context().newPage();
  await open.goto(address);
  await open.locator('.rows-all .row').first().waitFor();
  await left.goto('about:blank');
  return { left, open, address };
}

test('is signed out, too, in a tab that comes back from another page after the sign-out', async () => {
  const { left, open, address } = await tabThatLeft();
  await signOut(open);
  await left.goto(address);
  await left.getByRole('heading', { name: 'Sign in to Cardea' }).waitFor();
  await untilReads(() => left.evaluate('sessionStorage.length'), 0);
});

test('takes the new session in a tab that comes back after a limit ended the old one', async () => {
  const { left, open, address } = await tabThatLeft();
  const old = await tokenIn(open);
  await open.clock.fastForward('01:01:00');
  await open.getByText('You were signed out after 1 hour without activity').waitFor();
  await signInWithSecret(open, world.service);
  const token = await tokenIn(open);
  assert.notEqual(token, old);
  await left.goto(address);
  await left.locator('.rows-all .row').first().waitFor();
  await untilReads(() => tokenIn(left), token);
  // The provider of a sign-in there asks who the user is.
  await untilReads(() => left.evaluate("sessionStorage.getItem('cardea.limit')"), 'true');
});
