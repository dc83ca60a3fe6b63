// Signing in to the console with an OpenID provider, and the limits of a session as settings.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addUser } from '../../support/callers.ts';
import {
  accessibilityFaults,
  type ConsoleWorld,
  startConsoleWorld,
} from '../../support/console-world.ts';
import { eventually, untilReads } from '../../support/eventually.ts';
import {
  CLIENT_ID,
  RESOURCE,
  type RunningProvider,
  SCOPES,
  startProvider,
} from '../../support/openid-provider.ts';

let provider: RunningProvider;
let world: ConsoleWorld;
before(async () => {
  provider = await startProvider();
  const { issuer, jwksUrl } = provider;
  world = await startConsoleWorld(
    {
      CARDEA_EXTERNAL_ISSUERS: JSON.stringify([
        { issuer, jwksUrl, audience: 'cardea', tenants: ['test'] },
      ]),
      CARDEA_ALLOW_PRIVATE_URLS: 'on',
      CARDEA_CONSOLE_OPENID_ISSUER: issuer,
      CARDEA_CONSOLE_OPENID_CLIENT: CLIENT_ID,
      CARDEA_CONSOLE_OPENID_SCOPES: SCOPES,
      CARDEA_CONSOLE_OPENID_PARAMETERS: `resource=${encodeURIComponent(RESOURCE)}`,
      CARDEA_CONSOLE_OPENID_LABEL: 'Sign in with Example',
      CARDEA_CONSOLE_IDLE_SECONDS: '600',
      CARDEA_CONSOLE_SESSION_SECONDS: '1800',
    },
    issuer,
  );
  provider.serve(`${world.url}/console/`);
});
after(async () => {
  await world?.stop();
  await provider?.stop();
});
/** The life of a token that a test sees renewed: 16 s for a slow machine to sign in, and 4 s to retry. */
const SOON_SECONDS = 20;
const USUAL = { audience: 'cardea', tokenSeconds: 600, refreshTokens: true, tenant: 'test' };
afterEach(async () => {
  Object.assign(provider.behaviour, USUAL);
  await world.endTest();
});

const button = (page: Page) => page.getByRole('button', { name: 'Sign in with Example' });

/** Leaves for the provider and logs in there. */
async function signIn(page: Page, user: string): Promise<void> {
  await button(page).click();
  await page.getByLabel('User').fill(user);
  await page.getByRole('button', { name: 'Log in' }).click();
}

const stored = async (page: Page) =>
  JSON.parse(String(await page.evaluate('JSON.stringify({ ...sessionStorage })'))) as Record<
    string,
    string
  >;

test('signs in, returns to the page it began at, and keeps neither code nor verifier', async () => {
  const page = await world.openSignedOut('/search/roles');
  await button(page).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByText('Other ways to sign in').click();
  await page.getByLabel('Client ID').waitFor();
  await button(page).click();
  await page.getByLabel('User').waitFor();
  await page.goBack();
  await button(page).waitFor();
  await untilReads(() => stored(page), {});
  await signIn(page, world.service.adminId);
  await page.locator('.tabs a[aria-current]', { hasText: 'Roles' }).waitFor();
  await page.locator('.rows-all .row').first().waitFor();
  await page.waitForURL(({ href }) => href === `${world.url}/console/#/search/roles`);
  await untilReads(
    async () => Object.keys(await stored(page)).sort(),
    ['cardea.session', 'cardea.token'],
  );
  await untilReads(() => page.evaluate('Object.keys(localStorage).join()'), 'cardea.last-use');
  // The rights are those of the auth user here, also after a reload and in another tab.
  await page.reload();
  await page.getByRole('link', { name: 'Clients' }).waitFor();
  const second = await page.context().newPage();
  await second.goto(`${world.url}/console/#/clients`);
  await second.getByRole('heading', { name: 'Clients', level: 1 }).waitFor();
  await second.getByRole('link', { name: 'Tokens' }).waitFor();
});

test('refuses an answer with another state, or to a tab that began no sign-in', async () => {
  const strange = 'does not belong to a sign-in that this tab began';
  const page = await world.openSignedOut('/search/roles');
  await button(page).click();
  await page.getByLabel('User').waitFor();
  const requests = provider.tokenRequests();
  const iss = encodeURIComponent(provider.issuer);
  await page.goto(`${world.url}/console/?code=stolen&state=other&iss=${iss}`);
  await page.getByText(strange).waitFor();
  await untilReads(() => stored(page), {});
  await page.waitForURL(({ href }) => href === `${world.url}/console/#/search/roles`);
  await page.goto(`${world.url}/console/?code=stolen&state=other&iss=${iss}`);
  await page.getByText(strange).waitFor();
  assert.equal(provider.tokenRequests(), requests);
  assert.deepEqual(await accessibilityFaults(page), []);
  await signIn(page, world.service.adminId);
  await page.locator('.rows-all .row').first().waitFor();
});

test('tells a user without capabilities what to do, and lets another one sign in', async () => {
  const { userId } = await addUser(world.service, {});
  const page = await world.openSignedOut('/search/roles');
  await signIn(page, userId);
  await page.getByText('You have no access').waitFor();
  await page.getByText(`there is no auth user with the id ${userId}`).waitFor();
  await untilReads(() => stored(page), {});
  await page.getByRole('button', { name: 'Sign in as another user' }).click();
  await page.getByLabel('User').fill(world.service.adminId);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.locator('.rows-all .row').first().waitFor();
});

test('shows why the provider refuses a user', async () => {
  const page = await world.openSignedOut('/search/roles');
  await button(page).click();
  await page.getByRole('button', { name: 'Refuse' }).click();
  await page.getByText('You may not use this application (access_denied)').waitFor();
  await page.getByText('assign the console to you').waitFor();
  await page.waitForURL(({ href }) => href === `${world.url}/console/#/search/roles`);
});

for (const [name, behaviour, advice] of [
  ['another audience', { audience: 'other' }, 'CARDEA_CONSOLE_OPENID_PARAMETERS'],
  ['no tenant', { tenant: null }, '"claims" of CARDEA_EXTERNAL_ISSUERS'],
  ['a tenant of others', { tenant: 'demo' }, '"tenants" of the issuer'],
] as const) {
  test(`says how to mend an access token with ${name}`, async () => {
    Object.assign(provider.behaviour, behaviour);
    const page = await world.openSignedOut('/search/roles');
    await signIn(page, world.service.adminId);
    await page.getByText('The service refused the sign-in').waitFor();
    await page.getByText('JWT validation failed').waitFor();
    await page.getByText(advice).waitFor();
    await untilReads(() => stored(page), {});
  });
}

test('says that the provider cannot be reached, and works once it can', async () => {
  const page = await world.openSignedOut('/search/roles');
  await button(page).waitFor();
  await provider.shut();
  await button(page).click();
  await page.getByText('The provider cannot be reached').waitFor();
  await page.getByText(`allow ${world.url} at the provider`).waitFor();
  await button(page).and(page.locator(':focus')).waitFor();
  await provider.reopen();
  await signIn(page, world.service.adminId);
  await page.locator('.rows-all .row').first().waitFor();
});

test('renews the access token in every tab, and stores no refresh token', async () => {
  provider.behaviour.tokenSeconds = SOON_SECONDS;
  const page = await world.openSignedOut('/search/roles');
  await signIn(page, world.service.adminId);
  await page.locator('.rows-all .row').first().waitFor();
  const second = await page.context().newPage();
  await second.goto(`${world.url}/console/#/search/entitlements`);
  await second.locator('.rows-all .row').first().waitFor();
  const first = (await stored(page))['cardea.token'];
  provider.behaviour.tokenSeconds = 600;
  await eventually(async () => {
    const [one, two] = await Promise.all([stored(page), stored(second)]);
    assert.notEqual(one['cardea.token'], first);
    assert.equal(two['cardea.token'], one['cardea.token']);
    assert.deepEqual(Object.keys(one).sort(), ['cardea.session', 'cardea.token']);
  });
  await page.getByRole('link', { name: 'Status' }).click();
  await page.getByText('The service is ready').waitFor();
});

/** Lets the first request to an address fail. */
async function failOnce(page: Page, address: string, answer: Failure): Promise<void> {
  const headers = { 'access-control-allow-origin': '*' };
  await page.route(
    address,
    (route) => (answer === null ? route.abort() : route.fulfill({ headers, ...answer })),
    { times: 1 },
  );
}

/** null: the connection breaks off. */
type Failure = { readonly status: number; readonly json?: object } | null;

for (const [name, path, answer] of [
  ['cannot be reached', 'token', null],
  ['is overloaded', 'token', { status: 503 }],
  ['limits requests', 'token', { status: 429, json: { error: 'slow_down' } }],
  ['has rotated the refresh token before the service fails', 'userinfo', null],
] as const) {
  test(`tries a renewal again when the provider ${name}`, async () => {
    provider.behaviour.tokenSeconds = SOON_SECONDS;
    const page = await world.openSignedOut('/search/roles');
    await signIn(page, world.service.adminId);
    await page.locator('.rows-all .row').first().waitFor();
    // Before the token lives longer: the next renewal may begin at any moment.
    const address = path === 'token' ? `${provider.issuer}/token` : `${world.url}/oauth/userinfo`;
    const failed = page.waitForRequest(address);
    await failOnce(page, address, answer);
    const first = (await stored(page))['cardea.token'];
    provider.behaviour.tokenSeconds = 600;
    await failed;
    await eventually(async () => {
      const { 'cardea.token': token } = await stored(page);
      assert.ok(token !== undefined && token !== first);
    });
    await page.getByRole('link', { name: 'Status' }).click();
    await page.getByText('The service is ready').waitFor();
  });
}

test('ends the session with the reason when the provider refuses to renew it', async () => {
  provider.behaviour.tokenSeconds = SOON_SECONDS;
  const page = await world.openSignedOut('/search/roles');
  await signIn(page, world.service.adminId);
  await page.locator('.rows-all .row').first().waitFor();
  const json = { error: 'invalid_grant', error_description: 'revoked by an administrator' };
  await failOnce(page, `${provider.issuer}/token`, { status: 400, json });
  provider.behaviour.tokenSeconds = 600;
  await page
    .getByText('could not be renewed. Sign in again to continue. Reason: revoked by an')
    .waitFor();
  await untilReads(() => stored(page), {});
  await button(page).click();
  await page.locator('.rows-all .row').first().waitFor();
});

test('removes the message of a failed sign-in at the next attempt', async () => {
  const page = await world.openSignedOut('/search/roles');
  await button(page).click();
  await page.getByRole('button', { name: 'Refuse' }).click();
  const message = page.getByText('The provider refused the sign-in');
  await message.waitFor();
  await page.getByText('Other ways to sign in').click();
  await page.getByLabel('Client ID').fill('unknown');
  await page.getByLabel('Client secret').fill('wrong');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('The client id or secret is wrong').waitFor();
  await message.waitFor({ state: 'detached' });
});

test('without a refresh token the session ends, and a sign-in continues at the same page', async () => {
  Object.assign(provider.behaviour, { tokenSeconds: SOON_SECONDS, refreshTokens: false });
  const page = await world.openSignedOut('/search/entitlements');
  await signIn(page, world.service.adminId);
  // A slow machine may show no rows before.
  await page.getByText('Your session has expired').waitFor();
  provider.behaviour.tokenSeconds = 600;
  await button(page).click();
  await page.locator('.tabs a[aria-current]', { hasText: 'Entitlements' }).waitFor();
});

test('signs out at the provider, too', async () => {
  const page = await world.openSignedOut('/search/roles');
  await signIn(page, world.service.adminId);
  await page.locator('.rows-all .row').first().waitFor();
  await page.getByRole('button', { name: /^user / }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Leave the provider' }).click();
  await button(page).waitFor();
  await untilReads(() => stored(page), {});
  await button(page).click();
  await page.getByLabel('User').waitFor();
});

test('signs out here although the provider cannot be reached, and says so', async () => {
  const page = await world.openSignedOut('/search/roles');
  await signIn(page, world.service.adminId);
  await page.locator('.rows-all .row').first().waitFor();
  await provider.shut();
  await page.getByRole('button', { name: /^user / }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('signed out here, but perhaps not at the provider').waitFor();
  await provider.reopen();
});

async function signInWithToken(page: Page): Promise<void> {
  await page.getByText('Other ways to sign in').click();
  await page.getByRole('radio', { name: 'Access token' }).check();
  await page
    .getByLabel('Access token')
    .last()
    .fill(await world.service.token());
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.locator('.rows-all .row').first().waitFor();
}

test('ends the session after the idle time of the settings', async () => {
  const page = await world.openSignedOut('/search/roles');
  await page.clock.install();
  await signInWithToken(page);
  await page.clock.fastForward('11:00');
  await page.getByText('You were signed out after 10 minutes without activity').waitFor();
  // The provider asks who it is, although it knows the user.
  await page.clock.resume();
  const leaving = page.waitForRequest(/\/auth\?.*prompt=login/);
  await button(page).click();
  await orShow(page, leaving);
});

/** Adds what the page shows to the error of a wait, which alone does not tell why nothing came. */
async function orShow(page: Page, wait: Promise<unknown>): Promise<void> {
  await wait.catch(async (error: Error) => {
    const shown = await page.locator('body').innerText();
    throw new Error(`${error.message}\n${page.url()} shows:\n${shown}`, { cause: error });
  });
}

test('ends the session after the longest time of the settings, although it is in use', async () => {
  const page = await world.openSignedOut('/search/roles');
  await page.clock.install();
  await signInWithToken(page);
  for (let minutes = 0; minutes < 25; minutes += 5) {
    await page.clock.fastForward('05:00');
    await page.keyboard.press('Shift');
  }
  await page.locator('.rows-all .row').first().waitFor();
  await page.reload();
  await page.locator('.rows-all .row').first().waitFor();
  await page.clock.fastForward('06:00');
  await page.getByText('You were signed out after 30 minutes').waitFor();
});
