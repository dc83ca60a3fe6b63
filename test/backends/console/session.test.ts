// Signing in to the console, and sessions whose token expires or whose service is unreachable.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { untilAtRest, untilDrawn } from '../../support/at-rest.ts';
import { assertUsable, WINDOWS } from '../../support/console-pages.ts';
import { signInWithSecret, submitSignIn } from '../../support/console-sign-in.ts';
import {
  accessibilityFaults,
  type ConsoleWorld,
  startConsoleWorld,
} from '../../support/console-world.ts';
import { untilReads } from '../../support/eventually.ts';

let world: ConsoleWorld;
before(async () => {
  world = await startConsoleWorld();
});
after(() => world?.stop());
afterEach(() => world.endTest());

/** Signs in with an access token, on a page that searches. */
async function signInByToken(page: Page): Promise<void> {
  await page.getByRole('radio', { name: 'Access token' }).check();
  await page
    .getByLabel('Access token')
    .last()
    .fill(await world.service.token());
  await submitSignIn(page);
}

const signInByClient = (page: Page) => signInWithSecret(page, world.service);

for (const [window, options] of Object.entries(WINDOWS)) {
  test(`the sign-in is accessible, ${window}`, async () => {
    const page = await world.openSignedOut('/search', options);
    await page.getByLabel('Client ID').waitFor();
    await assertUsable(page);
  });
}

test('signs in with client credentials, opens the requested page, and stores no secret', async () => {
  const { clientId, clientSecret } = world.service;
  const page = await world.openSignedOut('/search/roles');
  await page.getByLabel('Client ID').fill(clientId);
  await page.getByLabel('Client secret').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('The client id or secret is wrong').waitFor();
  await page.getByLabel('Client secret').fill(clientSecret);
  await page.keyboard.press('Enter');
  await page.locator('.tabs a[aria-current]', { hasText: 'Roles' }).waitFor();
  const stored = await page.evaluate(
    'JSON.stringify([{ ...sessionStorage }, { ...localStorage }])',
  );
  assert.ok(!String(stored).includes(clientSecret));
  await page.reload();
  await page.locator('.rows-all .row').first().waitFor();
});

test('signs in with the link of a demo, once, and takes its code out of the address', async () => {
  const code = world.service.cardea.signInCodes.create(world.service.clientId);
  const page = await world.openSignedOut(`/sign-in?code=${code}`);
  await page.locator('.rows-all .row').first().waitFor();
  await page.waitForURL((url) => !url.href.includes(code));
  await page.close();
  const again = await world.openSignedOut(`/sign-in?code=${code}`);
  await again.getByText('The link was used before or has expired').waitFor();
  await again.getByRole('heading', { name: 'Sign in to Cardea' }).waitFor();
});

test('signs in with an access token, and rejects any other text', async () => {
  const page = await world.openSignedOut('/search/roles');
  await page.getByRole('radio', { name: 'Access token' }).check();
  await page.getByRole('textbox', { name: 'Access token' }).fill('not a token');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('The access token is invalid or has expired').waitFor();
  await page
    .getByLabel('Access token')
    .last()
    .fill(await world.service.token());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('.rows-all .row').first().waitFor();
  await page.getByRole('button', { name: 'test.admin' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to Cardea' }).waitFor();
  await untilReads(() => page.evaluate('sessionStorage.length'), 0);
});

test('shows the sign-in page when the token expires, and keeps the address', async () => {
  const page = await world.openSignedOut('/search/roles');
  // Limits of a session would end it first.
  const limits = { idleSeconds: 100_000, sessionSeconds: 100_000, openid: null };
  await page.route('**/console/settings.json', (route) => route.fulfill({ json: limits }));
  await page.reload();
  await page.clock.install();
  await signInByToken(page);
  await page.clock.fastForward('13:00:00');
  await page.getByText('Your session has expired').waitFor();
  await page.waitForURL(/#\/search\/roles$/);
});

test('keeps in the tab that a limit ended the session', async () => {
  const page = await world.openSignedOut('/search/roles');
  await page.clock.install();
  await signInByToken(page);
  await page.clock.fastForward('13:00:00');
  await page.getByText('You were signed out after').waitFor();
  await untilReads(() => page.evaluate("sessionStorage.getItem('cardea.limit')"), 'true');
});

test('ends the session after an hour without activity, but not with some', async () => {
  const page = await world.openSignedOut('/search/roles');
  await page.clock.install();
  await signInByClient(page);
  await page.clock.fastForward('50:00');
  await page.keyboard.press('Shift');
  await page.clock.fastForward('50:00');
  await page.locator('.rows-all .row').first().waitFor();
  await page.clock.fastForward('11:00');
  await page.getByText('You were signed out after 1 hour without activity').waitFor();
});

test('warns before an idle session ends, and a key continues it', async () => {
  const page = await world.openSignedOut('/search/roles');
  await page.clock.install();
  await page.reload();
  await signInByClient(page);
  await page.clock.fastForward('57:00');
  await untilDrawn(page);
  assert.equal(await page.locator('.banner').count(), 0);
  await page.clock.fastForward('01:30');
  const warning = page.getByRole('alert').getByText('Press any key to stay');
  await warning.waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.keyboard.press('Shift');
  await warning.waitFor({ state: 'detached' });
  await page.clock.fastForward('05:00');
  await page.locator('.rows-all .row').first().waitFor();
});

const DIALOGS: readonly (readonly [name: string, open: (page: Page) => Promise<void>])[] = [
  ['an open dialog', (page) => page.getByRole('button', { name: 'Keyboard' }).click()],
  [
    'the question of Sign out',
    async (page) => {
      await page.evaluate("location.hash = '/profiles/new?type=contractor'");
      await page.getByLabel('First name').fill('Ada');
      await page.getByRole('button', { name: 'test.admin' }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
    },
  ],
];
for (const [name, open] of DIALOGS) {
  test(`warns in ${name}, too, whose page is inert`, async () => {
    const page = await world.openSignedOut('/search/roles');
    await page.clock.install();
    await page.reload();
    await signInByClient(page);
    await open(page);
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await page.clock.fastForward('58:30');
    await dialog.getByRole('alert').getByText('Press any key to stay').waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.keyboard.press('Shift');
    await dialog.getByRole('alert').waitFor({ state: 'detached' });
  });
}

test('warns before the longest time of a session ends, although it is in use', async () => {
  const page = await world.openSignedOut('/search/roles');
  const limits = { idleSeconds: 100_000, sessionSeconds: 3_600, openid: null };
  await page.route('**/console/settings.json', (route) => route.fulfill({ json: limits }));
  await page.clock.install();
  await page.reload();
  await signInByToken(page);
  await page.clock.fastForward('58:30');
  const warning = page.getByRole('alert').getByText('Save your changes now');
  await warning.waitFor();
  await page.keyboard.press('Shift');
  await untilDrawn(page);
  assert.equal(await warning.count(), 1);
  await page.getByRole('button', { name: 'test.admin' }).click();
  await page.getByText('Session expires in 1 minute', { exact: true }).waitFor();
  await page.clock.fastForward('02:00');
  await page.getByText('You were signed out after 1 hour').waitFor();
});

test('warns before the token expires, also after a reload', async () => {
  const page = await world.openSignedOut('/search/roles');
  const limits = { idleSeconds: 100_000, sessionSeconds: 100_000, openid: null };
  await page.route('**/console/settings.json', (route) => route.fulfill({ json: limits }));
  await page.clock.install();
  await page.reload();
  await signInByToken(page);
  await page.clock.fastForward('11:58:20');
  const warning = page.getByRole('alert').getByText('Save your changes now');
  await warning.waitFor();
  await page.reload();
  // A quarter of the time from the reload on would come later.
  await warning.waitFor({ timeout: 45_000 });
});

for (const [name, minutes, isOver] of [
  ['continues the idle time after a reload', 50, false],
  ['ends an idle session that is opened again', 70, true],
] as const) {
  test(name, async () => {
    const page = await world.openSignedOut('/search/roles');
    await page.clock.install();
    await page.getByLabel('Client ID').fill(world.service.clientId);
    await page.getByLabel('Client secret').fill(world.service.clientSecret);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('.rows-all .row').first().waitFor();
    const address = page.url();
    // Another page in the same tab, whose timers end no session.
    await page.goto('about:blank');
    await page.clock.fastForward(minutes * 60_000);
    await page.goto(address);
    if (!isOver) {
      await page.locator('.rows-all .row').first().waitFor();
      await page.clock.fastForward('11:00');
    }
    await page.getByText('You were signed out after 1 hour without activity').waitFor();
  });
}

test('ends the session when the service rejects the token', async () => {
  const { service } = world;
  const made = await service.call('POST', '/v2024/personal-access-tokens', {
    name: 'for the console',
    scope: ['sp:scopes:all'],
  });
  const { id, secret } = (await made.json()) as { id: string; secret: string };
  const page = await world.openSignedOut('/search/identities');
  await page.getByLabel('Client ID').fill(id);
  await page.getByLabel('Client secret').fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('.rows-all .row').first().waitFor();
  await service.call('DELETE', `/v2024/personal-access-tokens/${id}`);
  const ended = page.getByText('Your session has expired');
  const deadline = Date.now() + 120_000;
  for (let n = 0; (await ended.count()) === 0; n++) {
    assert.ok(Date.now() < deadline, 'the session ends');
    await page
      .locator('.query-input')
      .fill(`again ${n}`, { timeout: 1_000 })
      .catch(() => {});
    await page.keyboard.press('Enter');
    await Promise.race([ended.waitFor(), page.locator('.total').waitFor()]);
  }
  await page.getByLabel('Client ID').fill(service.clientId);
  await page.getByLabel('Client secret').fill(service.clientSecret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('.query-input').waitFor();
});

test('loads further rows once the service is reachable again', async () => {
  const page = await world.open('/search/identities');
  await page.locator('.rows-all .row').first().waitFor();
  let refusals = 0;
  page.on('requestfailed', () => refusals++);
  await world.cutOff();
  await page.getByRole('grid').focus();
  await page.keyboard.press('End');
  await page.locator('.banner').waitFor();
  await page.locator('.results .notice').getByText('Retrying automatically').waitFor();
  assert.ok(refusals < 20, `${refusals} requests failed: it is asked with pauses`);
  await world.comeBack();
  await page.locator('.banner').waitFor({ state: 'detached' });
  const deadline = Date.now() + 60_000;
  while ((await page.locator('#row-400').count()) === 0) {
    assert.ok(Date.now() < deadline, 'the end is reached');
    await page.keyboard.press('End');
    await page.locator('.rows-all .row').last().waitFor();
  }
});

/** A saved search that does not exist: a load of it that succeeds at last says so. */
const DELETED = '8d3f7c1e-2b64-4a0f-9c5d-0e1f2a3b4c5d';
for (const [name, address, requests, place] of [
  ['a search', '/search/identities', '**/v2024/search?*', '.results'],
  ['a saved search', `/search/roles?saved=${DELETED}`, '**/v2024/saved-searches/*', '.results'],
  ['the dashboards', '/dashboard', '**/admin/v1/dashboards?*', '.dashboard-head'],
] as const) {
  test(`repeats by itself the load of ${name}, and says so`, async () => {
    const page = await world.open('/status');
    await page.route(requests, (route) => route.abort());
    await page.goto(page.url().replace(/#.*/, `#${address}`));
    const retrying = page.locator(place).getByText('Retrying automatically');
    await retrying.waitFor();
    await page.unroute(requests);
    await retrying.waitFor({ state: 'detached' });
  });
}

test('does not say that it repeats a change which did not reach the service', async () => {
  const page = await world.open('/tokens');
  const name = page.getByLabel('New API key name');
  await name.fill('offline');
  await untilAtRest(page);
  await world.cutOff();
  await name.press('Enter');
  // The list of the keys is loaded again, and says so.
  const notices = page.locator('.notice', { hasText: 'The service cannot be reached' });
  await notices.filter({ hasNotText: 'Retrying' }).waitFor();
  await world.comeBack();
  await page.locator('.banner').waitFor({ state: 'detached' });
});

test('reconnects by itself when the service is reachable again', async () => {
  const page = await world.open('/search/identities');
  await page.locator('.total strong').getByText('401').waitFor();
  await world.cutOff();
  await page.locator('.query-input').fill('lastName:Hughes');
  await page.keyboard.press('Enter');
  await page.locator('.banner').waitFor();
  await world.comeBack();
  await page.locator('.total strong').getByText('3', { exact: true }).waitFor();
  await page.locator('.banner').waitFor({ state: 'detached' });
});
